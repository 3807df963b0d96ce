import { defineConfig } from 'vitest/config';
import { BASE, needing } from './vitest.base.ts';

/** `npm run test:fleet`: workers in processes of their own at three nodes of NATS, with faults; two at a time, as they mostly wait for leases. */
export default defineConfig({
  test: {
    ...BASE,
    ...needing('nats-server', 'faketime'),
    include: ['test/fleet/**/*.test.ts'],
    maxWorkers: 2,
  },
});
