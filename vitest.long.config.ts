import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BASE, UNIT } from './vitest.base.ts';

/** Integration tests that have more cases here. */
const MORE_CASES = ['cli/anyFiles', 'restarts/restartKilled', 'simulator/simulatorAnything'].map(
  (name) => `test/integration/${name}.test.ts`,
);

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
          globalSetup: ['test/support/system/compileCache.ts'],
          env,
          testTimeout: 600_000,
          include: ['test/long/**/*.test.ts', ...MORE_CASES],
          maxWorkers: availableParallelism(),
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
