import type { WallClock } from '../../schedule/shown/localNow.ts';
import { usualEnds } from '../../schedule/usualEnds.ts';
import { DAYS } from '../../schedule/week.ts';

/** A moment as people say it, seen from now: its time, and how its day is called. */
export type Moment = {
  /** `17:00`, local time of the device. */
  readonly time: string;
  readonly day: 'today' | 'tomorrow' | 'weekday' | 'date';
  /** Midnight UTC of the calendar day, to format its weekday or date with. */
  readonly date: Date;
};

const DAY_MS = 86_400_000;
const LOCAL = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)$/u;

const offsetMs = (zone: string): number => {
  if (zone === 'Z') return 0;
  const [hours = 0, minutes = 0] = zone.slice(1).split(':').map(Number);
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
};

/** Milliseconds that local time is ahead of UTC. */
type Offset = (atMs: number) => number;

const browserOffset: Offset = (atMs) => -60_000 * new Date(atMs).getTimezoneOffset();

/**
 * A moment (RFC 3339) in the local time that it is written in; undefined for another text. Between now and then the clock may be changed:
 * the browser knows by how much, where its local time at the moment is the written one.
 */
export const momentOf = (instant: string, nowMs: number, offsetAt = browserOffset): Moment | undefined => {
  const [, day = '', time = '', offset = ''] = LOCAL.exec(instant) ?? [];
  const atMs = Date.parse(instant);
  if (day === '' || !Number.isFinite(atMs)) return undefined;
  const date = new Date(`${day}T00:00:00Z`);
  const written = offsetMs(offset);
  const today = Math.floor((nowMs + (offsetAt(atMs) === written ? offsetAt(nowMs) : written)) / DAY_MS);
  const days = date.getTime() / DAY_MS - today;
  if (days === 0) return { time, day: 'today', date };
  if (days === 1) return { time, day: 'tomorrow', date };
  return { time, day: days > 1 && days < 7 ? 'weekday' : 'date', date };
};

/** An end that a change can have: what it is called, and what the envelope says for it. */
export type End =
  | { readonly kind: 'open' }
  | { readonly kind: 'hours'; readonly for: string }
  | { readonly kind: 'next' | 'midnight' | 'sunday'; readonly until: string };

/** The ends that are offered now: for good, for two hours, until midnight, and until the end of Sunday where that is a later day. */
export const endsOffered = ({ date, weekday }: WallClock): readonly End[] => {
  const { midnight, sunday } = usualEnds({ date, day: DAYS[(weekday + 6) % DAYS.length] ?? 'mon' });
  const ends: readonly End[] = [{ kind: 'open' }, { kind: 'hours', for: '2h' }, { kind: 'midnight', until: midnight }];
  return sunday === undefined ? ends : [...ends, { kind: 'sunday', until: sunday }];
};

/** The envelope's key for an end; none where the change stays. */
export const endKeys = (end: End): Readonly<Record<string, string>> => {
  if ('for' in end) return { for: end.for };
  return 'until' in end ? { until: end.until } : {};
};
