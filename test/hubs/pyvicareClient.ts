import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

// What the scenes were written against; a later one may change its own names.
const PACKAGE = 'PyViCare==2.63.0';
const HOME = path.join(process.env['XDG_CACHE_HOME'] ?? path.join(os.homedir(), '.cache'), 'heating2mqtt-tests', PACKAGE);
const PYTHON = path.join(HOME, 'bin', 'python');
const READY = path.join(HOME, 'ready');
const SCENES = path.resolve(import.meta.dirname, 'pyvicare.py');
const MAIN = path.resolve(import.meta.dirname, '../../src/main.ts');

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

const simulate = async (args: readonly string[]): Promise<{ readonly url: string; stop(): Promise<void> }> => {
  const child = spawn(process.execPath, [MAIN, 'simulate', ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  let said = '';
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    said += String(chunk);
    if (said.includes('Ctrl-C stops it.')) break;
  }
  const url = /is at (\S+)/.exec(said)?.[1];
  if (url === undefined) throw new Error(`heating2mqtt simulate did not start: ${said}`);
  return {
    url,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
};

/** Plays one scene of pyvicare.py against a `heating2mqtt simulate` of its own and gives what PyViCare saw. */
export const playScene = async (scene: string, ...args: readonly string[]): Promise<unknown> => {
  const { url, stop } = await simulate(args);
  try {
    const { stdout } = await run(PYTHON, [SCENES, url, scene], { maxBuffer: 16 * 1024 * 1024, timeout: 120_000 });
    return JSON.parse(stdout);
  } finally {
    await stop();
  }
};
