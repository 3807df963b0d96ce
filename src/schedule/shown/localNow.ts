import { printTime } from '../time.ts';
import { DAYS, type Day } from '../week.ts';

/** Local time of a zone at an instant (epoch ms). */
export type WallClock = { readonly date: string; readonly minutes: number; readonly day: Day };

/** The local time of a zone, or UTC where the browser does not know the zone. */
export const localNow = (nowMs: number, zone: string | undefined): WallClock => {
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(nowMs)
      .map(({ type, value }) => [type, value]),
  );
  const date = `${parts['year']}-${parts['month']}-${parts['day']}`;
  const day = DAYS[(new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % DAYS.length] ?? 'mon';
  return { date, minutes: Number(parts['hour']) * 60 + Number(parts['minute']), day };
};

/** An instant (RFC 3339) in local time, `2026-11-28T22:00`; unchanged where the zone is unknown. */
export const localInstant = (instant: string, zone: string | undefined): string => {
  const atMs = Date.parse(instant);
  if (zone === undefined || !Number.isFinite(atMs)) return instant;
  const { date, minutes } = localNow(atMs, zone);
  return `${date}T${printTime(minutes)}`;
};

/** By zone: creating one takes as long as fifty uses. */
const formats = new Map<string, Intl.DateTimeFormat>();

const formatOf = (zone: string | undefined): Intl.DateTimeFormat => {
  const format = formats.get(zone ?? '') ?? newFormat(zone);
  formats.set(zone ?? '', format);
  return format;
};

const newFormat = (timeZone: string | undefined): Intl.DateTimeFormat => {
  const style = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  try {
    return new Intl.DateTimeFormat('en', { ...style, timeZone: timeZone ?? 'UTC' });
  } catch {
    return new Intl.DateTimeFormat('en', { ...style, timeZone: 'UTC' });
  }
};
