import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BASE, UNIT } from './vitest.base.ts';

/** `npm test`: first the tests that compute, then those that wait. */
export default defineConfig({
  test: {
    projects: [
      { test: { ...UNIT, globalSetup: ['test/support/system/runFolder.ts'], sequence: { groupOrder: 0 } } },
      {
        test: {
          ...BASE,
          name: 'integration',
          globalSetup: ['test/support/system/runFolder.ts', 'test/support/system/compileCache.ts'],
          include: ['test/integration/**/*.test.ts'],
          isolate: false,
          // They mostly wait, for pauses of the bridge and for child processes.
          maxWorkers: availableParallelism() * 3,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
