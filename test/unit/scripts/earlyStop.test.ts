import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../support/system/testSystem.ts';
import { sameClock } from '../../support/time/sameClock.ts';

const BIN = join(import.meta.dirname, '../../../scripts/bin.cjs');

/** The first file of the release as process 1, before a program that takes its time and may listen itself. */
const stopped = async (program: string): Promise<readonly unknown[]> => {
  const folder = tempDir();
  writeFileSync(join(folder, 'bin.cjs'), readFileSync(BIN, 'utf8').replace('{{needed}}', '1.0.0'));
  writeFileSync(join(folder, 'pid.cjs'), "Object.defineProperty(process, 'pid', { value: 1 });");
  writeFileSync(join(folder, 'start.js'), `${program}; setInterval(() => undefined, 1000); console.log('loading');`);
  const child = spawn(process.execPath, ['--require', './pid.cjs', 'bin.cjs'], { cwd: folder, env: sameClock() });
  await once(child.stdout, 'data');
  child.kill('SIGTERM');
  return once(child, 'exit');
};

test('process 1 takes a stop while the program is still being loaded', async () => {
  expect(await stopped('')).toEqual([0, null]);
});

test('a program that listens itself decides how it ends', async () => {
  expect(await stopped("process.on('SIGTERM', () => setTimeout(() => process.exit(7), 10))")).toEqual([7, null]);
});
