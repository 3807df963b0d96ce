import { DAY_MS } from '../../shared/clock.ts';
import type { CallRecord } from '../ports.ts';
import { type Allowance, TEN_MINUTES_MS } from './pollBudget.ts';

// Record times here are in the time of this run (`Clock.elapsedMs`); stored ones are wall-clock times.

export type Call = Extract<CallRecord, { readonly kind: 'call' }>;
/** Calls by other programs with this account: they fill the daily window until the platform reopens it. */
export type Foreign = Extract<CallRecord, { readonly kind: 'foreign' }>;

/**
 * How long others' past usage is expected again, halved each day. With 300 of 1450 daily calls by others,
 * calls stop 22 h a month; without this rule 91 h, and 1 of 10 commands fails (docs/decisions/memory.md).
 */
export const FOREIGN_COUNTS_MS = 7 * DAY_MS;

export type Recalled = { readonly calls: readonly Call[]; readonly foreign: readonly Foreign[]; readonly pausedUntilMs: number };

/**
 * Earlier records in the time of this run. `wallMs`: the wall clock now, in the records' time base; `nowMs`:
 * the same moment in this run. A record in the future comes from a wrong clock; at worst it is from now.
 */
export const placed = (records: readonly CallRecord[], wallMs: number, nowMs: number): Recalled => {
  const zero = wallMs - nowMs;
  const past = (at: number): number => Math.min(nowMs, at - zero);
  const ahead = (until: number, at: number): number => Math.min(nowMs + Math.max(0, until - at), until - zero);
  const calls: Call[] = [];
  let foreign: Foreign[] = [];
  let pausedUntilMs = 0;
  for (const record of records) {
    const at = past(record.at);
    if (record.kind === 'call') {
      if (at > nowMs - DAY_MS) calls.push({ ...record, at });
    } else if (record.kind === 'pause') pausedUntilMs = Math.max(pausedUntilMs, ahead(record.until, record.at));
    else {
      // A later record of the same calls replaces the earlier one.
      foreign = foreign.filter((other) => other.at !== at);
      if (at > nowMs - FOREIGN_COUNTS_MS) foreign.push({ ...record, at, until: ahead(record.until, record.at) });
    }
  }
  return { calls, foreign, pausedUntilMs };
};

/** The index of the first call after this moment. The list is sorted and long. */
export const firstAfter = (calls: readonly Call[], ms: number): number => {
  let [low, high] = [0, calls.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((calls[middle]?.at ?? 0) > ms) high = middle;
    else low = middle + 1;
  }
  return low;
};

/** The maximum of calls to find out the time since the previous run, if none is left otherwise. */
const MOST_PROBES = 3;

/**
 * Earlier records until the platform tells the time: a clock that was set, or is wrong after a power cut,
 * must not open a window. Until then, no time has passed since `lastMs` (`meanwhile`: in this run's time).
 */
export const unplacedCalls = (records: readonly CallRecord[], lastMs: number, sinceMs: number, meanwhile: Recalled) => {
  let probes = 0;

  /** A slow clock must not place a call before the earlier ones. */
  const wallMs = (wallMs: number, atMs: number): number => Math.max(wallMs, lastMs - atMs);

  /** The last call of earlier runs, by the wall clock, for the pace of reads; undefined after a call now. */
  const lastCallMs = (wallMs: number, nowMs: number): number | undefined => (probes > 0 ? undefined : nowMs - Math.max(0, wallMs - lastMs));

  const called = (): void => {
    probes += 1;
  };

  /**
   * True if a probe is allowed: ten minutes are over by the wall clock or in this run, and by the wall clock
   * a read is left for the day and no pause is active.
   */
  const mayProbe = (wallMs: number, nowMs: number, { per_day, reserve_for_commands }: Allowance): boolean => {
    if (probes >= MOST_PROBES || Math.max(wallMs - lastMs, nowMs - sinceMs) <= TEN_MINUTES_MS) return false;
    if (wallMs < lastMs) return true;
    const { calls, pausedUntilMs } = placed(records, wallMs, nowMs);
    return pausedUntilMs <= nowMs && calls.length + probes < per_day - reserve_for_commands;
  };

  return { records, meanwhile, wallMs, lastCallMs, called, mayProbe };
};

/** One full day does not predict the next; two that are at least this far apart do. */
const ANOTHER_DAY_MS = DAY_MS / 2;

/** The expected calls of others in the next day, from their past calls. */
export const expectedOfOthers = (foreign: readonly Foreign[], nowMs: number): number => {
  const isUsual = foreign.some((one) => foreign.some((other) => other.at - one.at >= ANOTHER_DAY_MS));
  return isUsual ? Math.max(...foreign.map(({ at, calls }) => Math.round(calls * 0.5 ** ((nowMs - at) / DAY_MS)))) : 0;
};

/** A record of this run as stored; `wallMs`: the wall clock at the start of this run. */
export const onWall = (record: CallRecord, wallMs: number): CallRecord => {
  const at = Math.round(record.at + wallMs);
  return record.kind === 'call' ? { ...record, at } : { ...record, at, until: Math.round(record.until + wallMs) };
};

/** The inverse of `placed`. */
export const recordsOf = ({ calls, foreign, pausedUntilMs }: Recalled, wallMs: number, nowMs: number): readonly CallRecord[] => {
  const pauses: readonly CallRecord[] = pausedUntilMs > nowMs ? [{ kind: 'pause', until: pausedUntilMs, at: nowMs }] : [];
  return [...calls, ...foreign, ...pauses].map((record) => onWall(record, wallMs));
};
