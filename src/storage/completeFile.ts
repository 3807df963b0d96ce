import { closeSync, existsSync, readFileSync, rmSync, statSync, utimesSync, writeSync } from 'node:fs';
import { uptime } from 'node:os';
import { openFresh } from '../shared/plainFile.ts';

/** A running bridge touches the file once a minute. */
const ALIVE_MS = 150_000;
/** The maximum clock difference between two machines. */
const SKEW_MS = 10_000;

/** A value that changes with each boot. */
export const bootId = (): string => {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    // Without /proc: the boot time to the minute, enough to distinguish two boots.
    return `boot-${Math.round((Date.now() / 1000 - uptime()) / 60)}`;
  }
};

/** The boot id and uptime of a machine. */
type Machine = { readonly boot: string; readonly upMs: number };

const thisMachine = (): Machine => ({ boot: bootId(), upMs: uptime() * 1000 });

export const completeOf = (database: string): string => `${database}.complete`;

export const isComplete = (database: string): boolean => existsSync(completeOf(database));

/**
 * This file marks the database as complete, and its content identifies the machine that has it open. It is
 * deleted when nothing can be written: a deletion needs no space.
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
    // A file system that became read-only: the mark stays, and only new changes are missing.
  }
};

/** Shows other machines that this one is alive; called once a minute. */
export const touchComplete = (database: string): void => {
  try {
    utimesSync(completeOf(database), new Date(), new Date());
  } catch {
    // The file is missing while changes are missing.
  }
};

/**
 * True if another machine has the database open, for example on a network drive without shared locks: it
 * touched the file recently, and since this machine booted.
 */
export const isOpenElsewhere = (database: string, { boot, upMs } = thisMachine(), nowMs = Date.now()): boolean => {
  const file = completeOf(database);
  const touchedMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  // The write-ahead log exists until a clean end.
  if (touchedMs === undefined || !existsSync(`${database}-wal`)) return false;
  const ageMs = nowMs - touchedMs;
  return ageMs < Math.min(ALIVE_MS, upMs) && ageMs > -SKEW_MS && ![boot, ''].includes(readFileSync(file, 'utf8'));
};
