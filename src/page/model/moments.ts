import type { WallClock } from '../../schedule/shown/localNow.ts';
import { usualEnds } from '../../schedule/usualEnds.ts';

/** A moment relative to now: its time, and the name of its day. */
export type Moment = {
  /** `17:00`, local time of the device. */
  readonly time: string;
  readonly day: 'today' | 'tomorrow' | 'weekday' | 'date';
  /** Midnight UTC of the calendar day, to format a weekday or date. */
  readonly date: Date;
};

const DAY_MS = 86_400_000;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/u;

/** Local time minus UTC, in ms. */
type Offset = (atMs: number) => number;

export const browserOffset: Offset = (atMs) => -60_000 * new Date(atMs).getTimezoneOffset();

/** A moment relative to now. Both are local wall-clock times, encoded as UTC (epoch ms). */
export const momentAt = (localMs: number, localNowMs: number): Moment => {
  const day = Math.floor(localMs / DAY_MS);
  const days = day - Math.floor(localNowMs / DAY_MS);
  const found = { time: new Date(localMs).toISOString().slice(11, 16), date: new Date(day * DAY_MS) };
  if (days === 0) return { ...found, day: 'today' };
  if (days === 1) return { ...found, day: 'tomorrow' };
  return { ...found, day: days > 1 && days < 7 ? 'weekday' : 'date' };
};

/**
 * A moment (RFC 3339) in its written local time; undefined for other texts. The clock may change before it:
 * the browser's offset applies if its local time at the moment equals the written one.
 */
export const momentOf = (instant: string, nowMs: number, offsetAt = browserOffset): Moment | undefined => {
  const atMs = Date.parse(instant);
  if (!INSTANT.test(instant) || !Number.isFinite(atMs)) return undefined;
  const localMs = Date.parse(instant.replace(/[+-]\d\d:\d\d$/u, 'Z'));
  const written = localMs - atMs;
  return momentAt(localMs, nowMs + (offsetAt(atMs) === written ? offsetAt(nowMs) : written));
};

/** An end for a change, with its key for the envelope. */
export type End =
  | { readonly kind: 'open' }
  | { readonly kind: 'hours'; readonly for: string }
  | { readonly kind: 'next' | 'midnight' | 'sunday'; readonly until: string };

/** The ends to offer: permanent, two hours, midnight, and the end of Sunday if that is later. */
export const endsOffered = (now: WallClock): readonly End[] => {
  const { midnight, sunday } = usualEnds(now);
  const ends: readonly End[] = [{ kind: 'open' }, { kind: 'hours', for: '2h' }, { kind: 'midnight', until: midnight }];
  return sunday === undefined ? ends : [...ends, { kind: 'sunday', until: sunday }];
};

/** The envelope's key for an end; empty for a permanent change. */
export const endKeys = (end: End): Readonly<Record<string, string>> => {
  if ('for' in end) return { for: end.for };
  return 'until' in end ? { until: end.until } : {};
};
