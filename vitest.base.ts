import { existsSync, globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
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
  // Only `npm run test:recorded` looks at other devices than those of test/fixtures.
  env: { TEST_SEED: seed, TEST_DEVICES: '' },
  setupFiles: ['test/support/chance.ts'],
  // A test on a loaded machine takes longer than by itself.
  testTimeout: 240_000,
  hookTimeout: 240_000,
  expect: { poll: { timeout: 100_000 } },
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

/** The folder that a variable names, with what the tests need from outside the repository; without it the run ends with one sentence. */
export const folderFrom = (variable: string, what: string, holds: string): string => {
  const folder = process.env[variable] ?? '';
  if (folder !== '' && existsSync(folder) && globSync(holds, { cwd: folder }).length > 0) return path.resolve(folder);
  process.stderr.write(`Set ${variable} to the folder with ${what} (${holds}).\n`);
  return process.exit(1);
};
