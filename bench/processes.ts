import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';

/** The processes that a bench starts: none stays behind, whatever fails; and what is measured of them. */

/** A folder on a disk, where a wait for the disk costs what it costs users; `/tmp` is in memory on some systems. */
export const DISK = existsSync('/var/tmp') ? '/var/tmp' : tmpdir();

/** No wait is longer: a row that waits in vain fails. */
const MOST_MS = 60_000;
/** So long a process may take to end by itself: a worker has 110 s to hand over its accounts. */
const END_MS = 120_000;

/** Rejects after a minute, naming what was waited for. A rejection that nobody awaits any more does not end the bench. */
export const within = <T>(what: string, promise: Promise<T>, mostMs = MOST_MS): Promise<T> => {
  const { promise: late, reject } = Promise.withResolvers<T>();
  const timer = setTimeout(() => reject(new Error(`waited in vain for ${what}`)), mostMs);
  const first = Promise.race([promise, late]).finally(() => clearTimeout(timer));
  first.catch(() => {});
  return first;
};

const running = new Set<ChildProcess>();

/** The process ends with the bench at the latest. */
export const started = <T extends ChildProcess>(child: T): T => {
  running.add(child);
  child.once('exit', () => running.delete(child));
  child.once('error', () => running.delete(child));
  return child;
};

process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));

/** Ends what a row that failed has left. */
export const endAll = async (): Promise<void> => {
  const left = [...running];
  for (const child of left) child.kill('SIGKILL');
  await Promise.all(left.map((child) => (child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined)));
};

/** Ends a process, by force if it does not end itself, which is an error. */
export const end = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  try {
    await within('the end of a process', exit, END_MS);
  } catch (cause) {
    child.kill('SIGKILL');
    await exit;
    throw cause;
  }
};

/** A running bridge or floor. */
export type Subject = { readonly pid: number; stop(): Promise<void> };

export const subjectOf = (child: ChildProcess): Subject => {
  started(child);
  return { pid: child.pid ?? 0, stop: () => end(child) };
};

/** CPU time of all threads of a process so far, in milliseconds; NaN where the system does not tell. */
export const cpuMs = ({ pid }: Subject): number => {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    return (
      threads.reduce((sum, thread) => sum + Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]), 0) / 1e6
    );
  } catch {
    return Number.NaN;
  }
};

/** What the system tells of a process; NaN where it does not. */
const told = ({ pid }: Subject, file: 'status' | 'io', what: RegExp): number => {
  try {
    return Number(what.exec(readFileSync(`/proc/${pid}/${file}`, 'utf8'))?.[1]);
  } catch {
    return Number.NaN;
  }
};

/** Resident memory of a process in MB: now, and at its highest. */
export const residentMb = (subject: Subject): number => told(subject, 'status', /VmRSS:\s+(\d+)/) / 1024;
export const highestMb = (subject: Subject): number => told(subject, 'status', /VmHWM:\s+(\d+)/) / 1024;

/** How much a process has changed of what is on the disk, in kB, by pages. */
export const writtenKb = (subject: Subject): number => told(subject, 'io', /^write_bytes: (\d+)/m) / 1000;
