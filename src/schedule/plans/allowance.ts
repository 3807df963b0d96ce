import type { Planner } from './precedence.ts';

/** Calls that a write of a plan takes, or will take at its return. `atMs` in epoch milliseconds; `calls` at most. */
export type Booking = { readonly planner: Planner; readonly kind: 'write' | 'return'; readonly atMs: number; readonly calls: number };

/** So many calls of any 24 hours plans may take together: with the charges from surplus, of 12 calls at most, they stay under 40. */
export const MOST_CALLS = 27;
/** So many writes of 24 hours. */
const MOST_WRITES: Readonly<Record<Planner, number>> = { calendar: 6, price: 6 };

export const DAY_MS = 86_400_000;

/** True where these calls at this moment leave no 24 hours with more than `MOST_CALLS`. */
const hasRoom = (bookings: readonly Booking[], atMs: number, calls: number): boolean => {
  const near = bookings.filter((one) => Math.abs(one.atMs - atMs) < DAY_MS);
  const starts = [atMs, ...near.filter((one) => one.atMs <= atMs).map((one) => one.atMs)];
  return starts.every((from) => {
    const within = near.filter((one) => one.atMs >= from && one.atMs < from + DAY_MS);
    return within.reduce((sum, one) => sum + one.calls, calls) <= MOST_CALLS;
  });
};

/** The bookings with those of a write from now to its end, each of at most so many calls; undefined where there is no room for it. */
export const bookWrite = (
  bookings: readonly Booking[],
  planner: Planner,
  { nowMs, untilMs, calls }: { readonly nowMs: number; readonly untilMs: number; readonly calls: number },
): readonly Booking[] | undefined => {
  const kept = bookings.filter(({ atMs }) => atMs > nowMs - DAY_MS);
  const written = kept.filter((one) => one.kind === 'write' && one.planner === planner && one.atMs <= nowMs);
  if (written.length >= MOST_WRITES[planner] || !hasRoom(kept, nowMs, calls)) return undefined;
  const booked: readonly Booking[] = [...kept, { planner, kind: 'write', atMs: nowMs, calls }];
  return hasRoom(booked, untilMs, calls) ? [...booked, { planner, kind: 'return', atMs: untilMs, calls }] : undefined;
};

/** The return comes at another moment. */
export const moveReturn = (bookings: readonly Booking[], fromMs: number, toMs: number): readonly Booking[] => {
  const at = bookings.findIndex(({ kind, atMs }) => kind === 'return' && atMs === fromMs);
  return bookings.map((one, index) => (index === at ? { ...one, atMs: toMs } : one));
};

/** The return that was moved to a try is at its end again; the try has taken so many calls. */
export const failReturn = (
  bookings: readonly Booking[],
  { triedMs, untilMs, calls }: { readonly triedMs: number; readonly untilMs: number; readonly calls: number },
): readonly Booking[] => {
  const tried = bookings.find(({ kind, atMs }) => kind === 'return' && atMs === triedMs);
  return tried ? [...moveReturn(bookings, triedMs, untilMs), { ...tried, calls }] : bookings;
};

/** A write has no return. */
export const dropReturn = (bookings: readonly Booking[], atMs: number): readonly Booking[] => {
  const at = bookings.findIndex((one) => one.kind === 'return' && one.atMs === atMs);
  return bookings.filter((_, index) => index !== at);
};

/** A write has taken so many calls, which are fewer than were booked. */
export const settle = (bookings: readonly Booking[], atMs: number, calls: number): readonly Booking[] =>
  bookings.map((one) => (one.kind === 'write' && one.atMs === atMs ? { ...one, calls: Math.min(one.calls, calls) } : one));
