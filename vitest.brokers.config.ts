import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BASE, needing } from './vitest.base.ts';

/** `npm run test:brokers`: the bridge at a real Mosquitto, with passwords and certificates. */
export default defineConfig({
  test: {
    ...BASE,
    ...needing('mosquitto', 'mosquitto_passwd', 'mosquitto_pub', 'openssl'),
    include: ['test/brokers/**/*.test.ts'],
    isolate: false,
    maxWorkers: availableParallelism() * 2,
  },
});
