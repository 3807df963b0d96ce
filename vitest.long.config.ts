import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { BASE, needing, UNIT } from './vitest.base.ts';

/** Tests of `npm test` that depend on chance, and so have more cases here. */
const withMoreCases = (folder: string): string[] =>
  globSync(`test/${folder}/**/*.test.ts`).filter((file) => readFileSync(file, 'utf8').includes('support/chance.ts'));

const env = { ...BASE.env, TEST_LONG: 'true' };

const LONGEST = [
  'monthOfOne',
  'months',
  'kills',
  'monthOfMany',
  'weeksModel',
  'leaks',
  'writesTrusted',
  'killedRestore',
  'weeksModelNeighbours',
].map((name) => `/${name}.test.ts`);

/** What takes minutes begins first, so that no core waits for it at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification): boolean => LONGEST.some((name) => moduleId.endsWith(name));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

/** `npm run test:long`: kills, months and leaks, and the property tests of `npm test` with all their cases. */
export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      { test: { ...UNIT, env, include: withMoreCases('unit'), sequence: { groupOrder: 0 } } },
      {
        test: {
          ...BASE,
          ...needing('prlimit'),
          name: 'long',
          globalSetup: ['test/support/programs.ts', 'test/support/system/compileCache.ts'],
          env,
          testTimeout: 1_200_000,
          include: ['test/long/**/*.test.ts', ...withMoreCases('integration')],
          maxWorkers: availableParallelism() + 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
