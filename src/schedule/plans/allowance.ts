import { DAY_MS } from '../../shared/clock.ts';

/** Calls that were made, or will be made by the return of a write. `inMs`: from now, negative for those that were made. */
export type Calls = { readonly inMs: number; readonly calls: number };

/**
 * So many calls of any 24 hours may be spent without a person: by the calendar, the price plan, seasons and charges from surplus together. They
 * stay under 40 where a kill has a write looked up again that took the last of them.
 */
export const MOST_CALLS = 34;

/** True where so many calls at this moment leave no 24 hours with more than `MOST_CALLS`. */
export const hasRoom = (others: readonly Calls[], { inMs, calls }: Calls): boolean => {
  const near = others.filter((one) => Math.abs(one.inMs - inMs) < DAY_MS);
  const starts = [inMs, ...near.filter((one) => one.inMs <= inMs).map((one) => one.inMs)];
  return starts.every((from) => {
    const within = near.filter((one) => one.inMs >= from && one.inMs < from + DAY_MS);
    return within.reduce((sum, one) => sum + one.calls, calls) <= MOST_CALLS;
  });
};

/** In how many milliseconds there is room for so many calls; undefined where there never is. */
export const roomInMs = (others: readonly Calls[], calls: number): number | undefined => {
  const free = [0, ...others.map(({ inMs }) => inMs + DAY_MS).filter((ms) => ms > 0)].sort((a, b) => a - b);
  return free.find((inMs) => hasRoom(others, { inMs, calls }));
};
