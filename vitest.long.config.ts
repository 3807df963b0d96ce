import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BASE, UNIT } from './vitest.base.ts';

const env = { ...BASE.env, TEST_LONG: 'true' };

/** `npm run test:long`: kills, months and leaks, and the property tests of `npm test` with all their cases. */
export default defineConfig({
  test: {
    projects: [
      { test: { ...UNIT, env, sequence: { groupOrder: 0 } } },
      {
        test: {
          ...BASE,
          name: 'long',
          env,
          include: ['test/long/**/*.test.ts', 'test/integration/restarts/restartKilled.test.ts'],
          maxWorkers: availableParallelism(),
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
