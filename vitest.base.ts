import { availableParallelism } from 'node:os';
import type { TestProjectInlineConfiguration } from 'vitest/config';
import type { Program } from './test/support/programs.ts';

type Options = NonNullable<TestProjectInlineConfiguration['test']>;

/** Repeats the chance of an earlier run: `TEST_SEED=<seed> npm test`. */
const seed = process.env['TEST_SEED'] ?? String(Date.now() % 1_000_000_000);
if (process.env['TEST_SEED'] === undefined) {
  process.env['TEST_SEED'] = seed;
  process.stdout.write(`chance of this run: TEST_SEED=${seed}\n`);
}

/** What all test runs have in common. */
export const BASE = {
  env: { TEST_SEED: seed },
  setupFiles: ['test/support/chance.ts'],
  // A test on a loaded machine takes longer than by itself.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 40_000 } },
} satisfies Options;

/** For a suite that is asked for by name: without these programs it fails, with one sentence that names their packages. */
export const needing = (...programs: readonly Program[]) =>
  ({ provide: { programs }, globalSetup: ['test/support/programs.ts'] }) satisfies Options;

/** The tests that compute. Starting a worker and loading `src` costs more than most files, so all files share the workers. */
export const UNIT = {
  ...BASE,
  name: 'unit',
  include: ['test/unit/**/*.test.ts'],
  isolate: false,
  maxWorkers: availableParallelism(),
} satisfies Options;
