import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BASE, needing, UNIT } from './vitest.base.ts';

/** Tests of `npm test` that depend on chance, and so have more cases here. */
const withMoreCases = (folder: string): string[] =>
  globSync(`test/${folder}/**/*.test.ts`).filter((file) => readFileSync(file, 'utf8').includes('support/chance.ts'));

const env = { ...BASE.env, TEST_LONG: 'true' };

/** `npm run test:long`: kills, months and leaks, and the property tests of `npm test` with all their cases. */
export default defineConfig({
  test: {
    projects: [
      { test: { ...UNIT, env, include: withMoreCases('unit'), sequence: { groupOrder: 0 } } },
      {
        test: {
          ...BASE,
          ...needing('prlimit'),
          name: 'long',
          globalSetup: ['test/support/programs.ts', 'test/support/system/compileCache.ts'],
          env,
          testTimeout: 600_000,
          include: ['test/long/**/*.test.ts', ...withMoreCases('integration')],
          maxWorkers: availableParallelism() + 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
