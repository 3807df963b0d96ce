import type { CallHistory, CallRecord } from '../../../src/bridge/ports.ts';
import type { Allowance } from '../../../src/bridge/reads/pollBudget.ts';
import { TEN_MINUTES_MS } from '../../../src/bridge/reads/pollBudget.ts';
import { rateLimiter } from '../../../src/bridge/reads/rateLimiter.ts';
import { DAY_MS } from '../../../src/shared/clock.ts';

export type Month = { readonly days: number; readonly reads: number; readonly seed: number; readonly allowance: Allowance };

export type Lived = {
  /** Calls beyond the allowance, by the platform's own count. */
  readonly refusedByPlatform: number;
  readonly refusedCommands: number;
  readonly commands: number;
  readonly polls: number;
  /** Mean over the month of the age of the oldest record. */
  readonly meanAgeS: number;
  /** Moments of all calls that were no polls. */
  readonly others: readonly number[];
};

const MINUTE_MS = 60_000;

/** Numbers in [0, 1) from a seed (mulberry32). */
export const numbers = (seed: number) => {
  let state = seed * 0x9e3779b9;
  return (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
};

type Span = { readonly fromMs: number; readonly toMs: number };

/** What happens in the month whatever the bridge does. */
export const happeningsOf = ({ days, seed }: Pick<Month, 'days' | 'seed'>) => {
  const random = numbers(seed);
  const commands: number[] = [];
  const restarts: number[] = [];
  const outages: Span[] = [];
  for (let day = 0; day < days; day += 1) {
    const start = day * DAY_MS;
    // Ten bursts of twenty within two minutes, in the hours in which people are awake.
    for (let burst = 0; burst < 10; burst += 1) {
      const at = start + (6 + 1.6 * burst + 0.8 * random()) * 3_600_000;
      for (let n = 0; n < 20; n += 1) commands.push(at + random() * 2 * MINUTE_MS);
    }
    if (random() < 0.3) restarts.push(start + random() * DAY_MS);
    if (random() < 0.1) {
      const fromMs = start + random() * DAY_MS;
      outages.push({ fromMs, toMs: fromMs + (0.1 + 3 * random()) * 3_600_000 });
    }
  }
  return { commands: commands.sort((a, b) => a - b), restarts: restarts.sort((a, b) => a - b), outages };
};

/** The platform's own count: sliding windows, which no fixed one is stricter than. */
export class Counter {
  readonly #allowance: Allowance;
  readonly calls: number[] = [];
  refused = 0;

  constructor(allowance: Allowance) {
    this.#allowance = allowance;
  }

  /** False where it is refused. */
  call(nowMs: number): boolean {
    this.calls.push(nowMs);
    const { per_10_minutes, per_day } = this.#allowance;
    const tenth = this.calls.at(-1 - per_10_minutes) ?? Number.NEGATIVE_INFINITY;
    const dayth = this.calls.at(-1 - per_day) ?? Number.NEGATIVE_INFINITY;
    const isRefused = tenth > nowMs - TEN_MINUTES_MS || dayth > nowMs - DAY_MS;
    if (isRefused) this.refused += 1;
    return !isRefused;
  }
}

/** A disk that keeps lines over restarts. */
const disk = (): { readonly memory: () => CallHistory } => {
  let lines: CallRecord[] = [];
  return {
    memory: () => ({
      kept: [...lines],
      lost: 0,
      append: (line) => void lines.push(line),
      rewrite: (all) => {
        lines = [...all];
      },
      holds: () => undefined,
    }),
  };
};

const CONFIRM_S = [5, 15, 30, 60];

type Due = { readonly atMs: number; readonly do: (nowMs: number) => void };

/** Lives through a month by the quota's own rules, in virtual time. */
export const simulate = ({ days, reads, seed, allowance }: Month): Lived => {
  const endMs = days * DAY_MS;
  const random = numbers(seed + 1000);
  const { commands, restarts, outages } = happeningsOf({ days, seed });
  const counter = new Counter(allowance);
  const kept = disk();
  let now = 0;
  const clock = { now: () => 1.8e12 + now, elapsedMs: () => now };
  let quota = rateLimiter(allowance, clock, kept.memory());
  const readAt: number[] = new Array<number>(reads).fill(0);
  const others: number[] = [];
  const queue: Due[] = [];
  const later = (due: Due): void => {
    const index = queue.findIndex(({ atMs }) => atMs > due.atMs);
    if (index < 0) queue.push(due);
    else queue.splice(index, 0, due);
  };
  const out = (): boolean => outages.some(({ fromMs, toMs }) => now >= fromMs && now < toMs);
  let ageSum = 0;
  let oldest = 0;
  let ageFrom = 0;
  let [refusedCommands, polls] = [0, 0];
  /** The area under the oldest record's age until now. */
  const settle = (): void => {
    ageSum += ((now - ageFrom) * (now - oldest + (ageFrom - oldest))) / 2;
    ageFrom = now;
    oldest = Math.min(...readAt);
  };
  const spend = (poll: boolean): void => {
    if (poll) polls += 1;
    else others.push(now);
    counter.call(now);
    quota.count(poll);
  };
  const read = (index: number, poll: boolean): void => {
    spend(poll);
    if (out()) return;
    readAt[index] = now;
    settle();
  };
  const command = (sinceMs: number): void => {
    const waitMs = quota.commandWaitMs();
    if (waitMs > 0 && now + waitMs > sinceMs + TEN_MINUTES_MS) refusedCommands += 1;
    else if (waitMs > 0) later({ atMs: now + waitMs, do: () => command(sinceMs) });
    else {
      spend(false);
      const index = Math.floor(random() * reads);
      // The platform shows it after some time; one read then is the last.
      const shown = 1 + Math.floor(random() * 2);
      for (const s of CONFIRM_S.slice(0, shown)) later({ atMs: now + s * 1000, do: () => void (quota.mayRead() && read(index, false)) });
    }
  };
  let untried = reads;
  let paceMs = 0;
  const poll = (): void => {
    const plan = quota.plan(reads, 60);
    if (!(untried > 0 && plan.burst) && now < paceMs) {
      later({ atMs: paceMs, do: poll });
      return;
    }
    if (!quota.mayRead()) {
      later({ atMs: now + 5000, do: poll });
      return;
    }
    const index = untried > 0 ? reads - untried : readAt.indexOf(Math.min(...readAt));
    read(index, true);
    untried = Math.max(0, untried - 1);
    // In an outage one probe goes every few minutes.
    paceMs = out() ? now + 5 * MINUTE_MS : now + plan.gapMs;
    later({ atMs: untried > 0 ? now + 200 : paceMs, do: poll });
  };
  for (const atMs of commands) later({ atMs, do: () => command(atMs) });
  const restart = (): void => {
    quota = rateLimiter(allowance, clock, kept.memory());
    untried = reads;
  };
  for (const atMs of restarts) later({ atMs, do: restart });
  later({ atMs: 0, do: poll });
  for (let due = queue.shift(); due && due.atMs < endMs; due = queue.shift()) {
    now = due.atMs;
    due.do(now);
  }
  now = endMs;
  settle();
  return { refusedByPlatform: counter.refused, refusedCommands, commands: commands.length, polls, meanAgeS: ageSum / endMs / 1000, others };
};

/** The mean age that the best constant interval gives which knew all other calls of the month beforehand, in seconds. */
export const bestConstant = ({ days, reads, seed, allowance }: Month, { others }: Pick<Lived, 'others'>): number => {
  const endMs = days * DAY_MS;
  let [first, most] = [0, 0];
  for (const [index, at] of others.entries()) {
    while ((others[first] ?? at) <= at - DAY_MS) first += 1;
    most = Math.max(most, index - first + 1);
  }
  const gapMs = Math.max((60 * 1000) / reads, DAY_MS / (allowance.per_day - allowance.reserve_for_commands - most));
  const { outages } = happeningsOf({ days, seed });
  const readAt: number[] = new Array<number>(reads).fill(0);
  let [sum, oldest, from] = [0, 0, 0];
  for (let now = 0, turn = 0; now < endMs; now += gapMs, turn += 1) {
    if (outages.some(({ fromMs, toMs }) => now >= fromMs && now < toMs)) continue;
    readAt[turn % reads] = now;
    sum += ((now - from) * (now - oldest + (from - oldest))) / 2;
    from = now;
    oldest = Math.min(...readAt);
  }
  return sum / endMs / 1000;
};
