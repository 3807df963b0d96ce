import { defineConfig } from 'vitest/config';
import { BASE, needing } from './vitest.base.ts';

/** `npm run test:fleet`: workers in processes of their own at three nodes of NATS, with faults; each test alone, as they take all cores. */
export default defineConfig({
  test: {
    ...BASE,
    ...needing('nats-server', 'faketime'),
    include: ['test/fleet/**/*.test.ts'],
    fileParallelism: false,
  },
});
