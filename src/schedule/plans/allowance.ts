import { DAY_MS } from '../../shared/clock.ts';

/** Calls that were made, or that a revert will make. `inMs`: from now; negative for calls in the past. */
export type Calls = { readonly inMs: number; readonly calls: number };

/**
 * Maximum calls in any 24 hours that no person asks for: by calendar, price plan, seasons and surplus
 * charges. They stay under 40 even if a kill makes the bridge look up the write that took the last of them.
 */
export const MOST_CALLS = 34;

/** True where these calls leave no 24 hours with more than `MOST_CALLS`. */
export const hasRoom = (others: readonly Calls[], { inMs, calls }: Calls): boolean => {
  const near = others.filter((one) => Math.abs(one.inMs - inMs) < DAY_MS);
  const starts = [inMs, ...near.filter((one) => one.inMs <= inMs).map((one) => one.inMs)];
  return starts.every((from) => {
    const within = near.filter((one) => one.inMs >= from && one.inMs < from + DAY_MS);
    return within.reduce((sum, one) => sum + one.calls, calls) <= MOST_CALLS;
  });
};

/** Milliseconds until there is room for these calls; undefined: never. */
export const roomInMs = (others: readonly Calls[], calls: number): number | undefined => {
  const free = [0, ...others.map(({ inMs }) => inMs + DAY_MS).filter((ms) => ms > 0)].sort((a, b) => a - b);
  return free.find((inMs) => hasRoom(others, { inMs, calls }));
};
