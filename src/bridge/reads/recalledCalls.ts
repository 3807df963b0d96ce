import { DAY_MS } from '../../shared/clock.ts';
import type { CallRecord } from '../ports.ts';
import { type Allowance, TEN_MINUTES_MS } from './pollBudget.ts';

// The instants of a record are in the time of this run (`Clock.elapsedMs`) here, and those of the wall's clock where it is kept.

export type Call = Extract<CallRecord, { readonly kind: 'call' }>;
/** Calls that other programs made with this account: they fill the window of a day until the platform opens the next. */
export type Foreign = Extract<CallRecord, { readonly kind: 'foreign' }>;

/**
 * What others spent in a day is expected of them again, each day half as much, for so long. Where others take 300 of 1450 calls a day, nothing
 * goes out for 22 hours of a month, without it for 91, and one command in ten is refused (docs/decisions/memory.md).
 */
export const FOREIGN_COUNTS_MS = 7 * DAY_MS;

export type Recalled = { readonly calls: readonly Call[]; readonly foreign: readonly Foreign[]; readonly pausedUntilMs: number };

/**
 * What an earlier run has kept, in the time of this run. `wallMs`: what the wall shows now, on the clock by which the records were written;
 * `nowMs`: the same moment in this run. What seems to lie ahead was written while the clock was wrong: the worst is that it was just now.
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
      // A later record of the same calls takes the place of the one before.
      foreign = foreign.filter((other) => other.at !== at);
      if (at > nowMs - FOREIGN_COUNTS_MS) foreign.push({ ...record, at, until: ahead(record.until, record.at) });
    }
  }
  return { calls, foreign, pausedUntilMs };
};

/** The index of the first call after this moment. The calls are in order, and there are many of them. */
export const firstAfter = (calls: readonly Call[], ms: number): number => {
  let [low, high] = [0, calls.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((calls[middle]?.at ?? 0) > ms) high = middle;
    else low = middle + 1;
  }
  return low;
};

/** Calls that may find out how much time has passed since the run before, where otherwise none is left. */
const MOST_PROBES = 3;

/**
 * What earlier runs kept, until an answer of the platform has said what time it is: a clock that was set, or is wrong after a power cut, must
 * not open a window. Until then no time has passed since the last record (`lastMs`), which `meanwhile` says in the time of this run.
 */
export const unplacedCalls = (records: readonly CallRecord[], lastMs: number, sinceMs: number, meanwhile: Recalled) => {
  let probes = 0;

  /** A clock that is behind does not bring a call before the earlier ones. */
  const wallMs = (wallMs: number, atMs: number): number => Math.max(wallMs, lastMs - atMs);

  /** When the last call of earlier runs went out, as the wall shows it: the pace of reads need not wait for more. Undefined after a call of this run. */
  const lastCallMs = (wallMs: number, nowMs: number): number | undefined => (probes > 0 ? undefined : nowMs - Math.max(0, wallMs - lastMs));

  const called = (): void => {
    probes += 1;
  };

  /** True where a call may find out: ten minutes are over by the wall, or in this run alone, and by the wall a read is left of the day and no pause goes on. */
  const mayProbe = (wallMs: number, nowMs: number, { per_day, reserve_for_commands }: Allowance): boolean => {
    if (probes >= MOST_PROBES || Math.max(wallMs - lastMs, nowMs - sinceMs) <= TEN_MINUTES_MS) return false;
    if (wallMs < lastMs) return true;
    const { calls, pausedUntilMs } = placed(records, wallMs, nowMs);
    return pausedUntilMs <= nowMs && calls.length + probes < per_day - reserve_for_commands;
  };

  return { records, meanwhile, wallMs, lastCallMs, called, mayProbe };
};

/** One day on which the window was full says nothing of the next; two that lie at least so far apart do. */
const ANOTHER_DAY_MS = DAY_MS / 2;

/** How many calls others will spend in the next day, by what they have spent. */
export const expectedOfOthers = (foreign: readonly Foreign[], nowMs: number): number => {
  const isUsual = foreign.some((one) => foreign.some((other) => other.at - one.at >= ANOTHER_DAY_MS));
  return isUsual ? Math.max(...foreign.map(({ at, calls }) => Math.round(calls * 0.5 ** ((nowMs - at) / DAY_MS)))) : 0;
};

/** A record of this run as it is kept; `wallMs`: what the wall showed at the begin of this run. */
export const onWall = (record: CallRecord, wallMs: number): CallRecord => {
  const at = Math.round(record.at + wallMs);
  return record.kind === 'call' ? { ...record, at } : { ...record, at, until: Math.round(record.until + wallMs) };
};

/** The inverse of `placed`. */
export const recordsOf = ({ calls, foreign, pausedUntilMs }: Recalled, wallMs: number, nowMs: number): readonly CallRecord[] => {
  const pauses: readonly CallRecord[] = pausedUntilMs > nowMs ? [{ kind: 'pause', until: pausedUntilMs, at: nowMs }] : [];
  return [...calls, ...foreign, ...pauses].map((record) => onWall(record, wallMs));
};
