import type { WallClock } from '../../schedule/shown/localNow.ts';
import { usualEnds } from '../../schedule/usualEnds.ts';

/** A moment as people say it, seen from now: its time, and how its day is called. */
export type Moment = {
  /** `17:00`, local time of the device. */
  readonly time: string;
  readonly day: 'today' | 'tomorrow' | 'weekday' | 'date';
  /** Midnight UTC of the calendar day, to format its weekday or date with. */
  readonly date: Date;
};

const DAY_MS = 86_400_000;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/u;

/** Milliseconds that local time is ahead of UTC. */
type Offset = (atMs: number) => number;

export const browserOffset: Offset = (atMs) => -60_000 * new Date(atMs).getTimezoneOffset();

/** A moment seen from now, both in local time: what its clock shows, as if that were UTC (epoch ms). */
export const momentAt = (localMs: number, localNowMs: number): Moment => {
  const day = Math.floor(localMs / DAY_MS);
  const days = day - Math.floor(localNowMs / DAY_MS);
  const found = { time: new Date(localMs).toISOString().slice(11, 16), date: new Date(day * DAY_MS) };
  if (days === 0) return { ...found, day: 'today' };
  if (days === 1) return { ...found, day: 'tomorrow' };
  return { ...found, day: days > 1 && days < 7 ? 'weekday' : 'date' };
};

/**
 * A moment (RFC 3339) in the local time that it is written in; undefined for another text. Between now and then the clock may be changed:
 * the browser knows by how much, where its local time at the moment is the written one.
 */
export const momentOf = (instant: string, nowMs: number, offsetAt = browserOffset): Moment | undefined => {
  const atMs = Date.parse(instant);
  if (!INSTANT.test(instant) || !Number.isFinite(atMs)) return undefined;
  const localMs = Date.parse(instant.replace(/[+-]\d\d:\d\d$/u, 'Z'));
  const written = localMs - atMs;
  return momentAt(localMs, nowMs + (offsetAt(atMs) === written ? offsetAt(nowMs) : written));
};

/** An end that a change can have: what it is called, and what the envelope says for it. */
export type End =
  | { readonly kind: 'open' }
  | { readonly kind: 'hours'; readonly for: string }
  | { readonly kind: 'next' | 'midnight' | 'sunday'; readonly until: string };

/** The ends that are offered now: for good, for two hours, until midnight, and until the end of Sunday where that is a later day. */
export const endsOffered = (now: WallClock): readonly End[] => {
  const { midnight, sunday } = usualEnds(now);
  const ends: readonly End[] = [{ kind: 'open' }, { kind: 'hours', for: '2h' }, { kind: 'midnight', until: midnight }];
  return sunday === undefined ? ends : [...ends, { kind: 'sunday', until: sunday }];
};

/** The envelope's key for an end; none where the change stays. */
export const endKeys = (end: End): Readonly<Record<string, string>> => {
  if ('for' in end) return { for: end.for };
  return 'until' in end ? { until: end.until } : {};
};
