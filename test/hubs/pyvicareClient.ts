import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { startCommand } from '../support/cli/inProcess.ts';

// What the scenes were written against; a later one may change its own names.
const PACKAGE = 'PyViCare==2.63.0';
const HOME = path.join(process.env['XDG_CACHE_HOME'] ?? path.join(os.homedir(), '.cache'), 'heating2mqtt-tests', PACKAGE);
const PYTHON = path.join(HOME, 'bin', 'python');
const READY = path.join(HOME, 'ready');
const SCENES = path.resolve(import.meta.dirname, 'pyvicare.py');

const run = promisify(execFile);

/** Installs PyViCare into an environment of its own, the first time only. */
export const installPyViCare = async (): Promise<void> => {
  if (existsSync(READY)) return;
  rmSync(HOME, { recursive: true, force: true });
  mkdirSync(path.dirname(HOME), { recursive: true });
  await run('python3', ['-m', 'venv', HOME]).catch((cause: unknown) => {
    throw new Error('PyViCare needs an environment of Python: apt-get install python3-venv', { cause });
  });
  await run(PYTHON, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', PACKAGE]);
  writeFileSync(READY, '');
};

/** Plays one scene of pyvicare.py against a `heating2mqtt simulate` of its own and gives what PyViCare saw. */
export const playScene = async (scene: string, ...args: readonly string[]): Promise<unknown> => {
  const simulator = startCommand(['simulate', ...args]);
  await simulator.until('Ctrl-C stops it.');
  const [, url = ''] = /is at (\S+)/.exec(simulator.out()) ?? [];
  const { stdout } = await run(PYTHON, [SCENES, url, scene], { maxBuffer: 16 * 1024 * 1024, timeout: 120_000 });
  return JSON.parse(stdout);
};
