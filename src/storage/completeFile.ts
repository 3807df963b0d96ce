import { closeSync, existsSync, readFileSync, rmSync, statSync, utimesSync, writeSync } from 'node:fs';
import { uptime } from 'node:os';
import { openFresh } from '../shared/plainFile.ts';

/** A running bridge touches the file once a minute. */
const ALIVE_MS = 150_000;
/** Clocks of two machines differ by so much at most. */
const SKEW_MS = 10_000;

/** Something that changes with each start of the machine. */
export const bootId = (): string => {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    // Elsewhere the moment of the start, to the minute: close enough to tell one start from another.
    return `boot-${Math.round((Date.now() / 1000 - uptime()) / 60)}`;
  }
};

/** Which start of which machine this is, and for how long it has been running. */
type Machine = { readonly boot: string; readonly upMs: number };

const thisMachine = (): Machine => ({ boot: bootId(), upMs: uptime() * 1000 });

export const completeOf = (database: string): string => `${database}.complete`;

export const isComplete = (database: string): boolean => existsSync(completeOf(database));

/**
 * A file beside the database says that no change is missing, and by its content which machine has the database open. It is deleted where
 * nothing can be written: that takes no room.
 */
export const markComplete = (database: string, isComplete: boolean): void => {
  const file = completeOf(database);
  try {
    if (!isComplete) rmSync(file, { force: true });
    else if (!existsSync(file) || readFileSync(file, 'utf8') !== bootId()) {
      const fd = openFresh(file);
      writeSync(fd, bootId());
      closeSync(fd);
    }
  } catch {
    // A file system that has become read-only: what is on it stays believed, and is right but for what comes now.
  }
};

/** Shows other machines that this one is alive; called once a minute. */
export const touchComplete = (database: string): void => {
  try {
    utimesSync(completeOf(database), new Date(), new Date());
  } catch {
    // It is missing while changes are.
  }
};

/**
 * True where another machine has the database open, as two machines may on a network drive whose locks do not reach from one to the other: it
 * has touched the file lately, and since this machine was started.
 */
export const isOpenElsewhere = (database: string, { boot, upMs } = thisMachine(), nowMs = Date.now()): boolean => {
  const file = completeOf(database);
  const touchedMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  // The write-ahead log is there until a clean end.
  if (touchedMs === undefined || !existsSync(`${database}-wal`)) return false;
  const ageMs = nowMs - touchedMs;
  return ageMs < Math.min(ALIVE_MS, upMs) && ageMs > -SKEW_MS && ![boot, ''].includes(readFileSync(file, 'utf8'));
};
