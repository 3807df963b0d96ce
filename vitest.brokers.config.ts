import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BASE, needing } from './vitest.base.ts';

/** Tests of `npm test` that run again here, where another broker could make a difference. */
const AGAIN = [
  'commands/commandProperties',
  'commands/commandTopics',
  'commands/sentBack',
  'commands/writesRetained',
  'mqtt/brokerClient',
  'mqtt/otherAddress',
].map((name) => `test/integration/${name}.test.ts`);
const missing = AGAIN.filter((file) => !existsSync(file));
if (missing.length > 0) throw new Error(`vitest.brokers.config.ts names tests that are not there: ${missing.join(', ')}`);

/** `npm run test:brokers`: the bridge at a real Mosquitto, with MQTT 5, passwords and certificates, and at clusters. */
export default defineConfig({
  test: {
    ...BASE,
    ...needing('mosquitto', 'mosquitto_passwd', 'mosquitto_pub', 'openssl', 'nats-server', 'rabbitmq-server'),
    env: { ...BASE.env, TEST_BROKER: 'mosquitto' },
    include: ['test/brokers/**/*.test.ts', ...AGAIN],
    isolate: false,
    maxWorkers: availableParallelism() * 2,
  },
});
