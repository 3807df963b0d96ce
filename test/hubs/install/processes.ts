import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { neededProgram } from '../../support/programs.ts';

const WITHIN_MS = 180_000;

/** Starts a process that outlives this one, with its output at the end of a file. Gives its id. */
export const launch = (command: string, args: readonly string[], log: string, cwd: string): number => {
  const output = openSync(log, 'a');
  const child = spawn(command, args, { cwd, detached: true, stdio: ['ignore', output, output] });
  closeSync(output);
  child.unref();
  return child.pid ?? 0;
};

export const isAlive = (pid: number): boolean => {
  try {
    // One that has ended and has no parent that asks stays in the table.
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};

export const end = async (pid: number | undefined, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> => {
  if (pid === undefined || !isAlive(pid)) return;
  process.kill(pid, signal);
  for (let waits = 0; isAlive(pid); waits += 1) {
    await sleep(50);
    if (waits === 1200) process.kill(pid, 'SIGKILL');
  }
};

/** Resolves when `check` gives a value that is true; throws with the end of the log where the process ends or takes three minutes. */
export const until = async <T>(what: string, pid: number, log: string, check: () => T | Promise<T>): Promise<T> => {
  for (const last = Date.now() + WITHIN_MS; ; await sleep(100)) {
    const found = await check();
    if (found) return found;
    if (!isAlive(pid) || Date.now() > last) throw new Error(`${what}: not reached\n${readFileSync(log, 'utf8').slice(-4000)}`);
  }
};

/** Starts a Mosquitto of MQTT 5 with its files in `folder`. */
export const startMosquitto = async (folder: string, port: number): Promise<number> => {
  const [config, log] = [join(folder, 'mosquitto.conf'), join(folder, 'mosquitto.log')];
  writeFileSync(config, `listener ${port} 127.0.0.1\nallow_anonymous true\nuser ${userInfo().username}\npersistence false\n`);
  const pid = launch(neededProgram('mosquitto'), ['-c', config], log, folder);
  await until('Mosquitto', pid, log, () => readFileSync(log, 'utf8').includes('running'));
  return pid;
};
