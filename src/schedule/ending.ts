import { bad, broken, type Checked, good, shown } from '../shared/issue.ts';
import { readDuration } from './duration.ts';
import { type GoverningWeek, isNext, nextEnd } from './nextEnd.ts';
import { readTime } from './time.ts';
import { addDays, dateText, instantAt, isDate, type LocalDate, localAt, nextTransition, printInstant, readInstant } from './zone.ts';

/** The written end of a temporary write; `path` is its place in the payload. */
export type WrittenEnd = { readonly kind: 'until' | 'for'; readonly text: string; readonly path: string };

/** When a write arrived (epoch milliseconds), and the zone of its local times. */
export type LocalNow = { readonly nowMs: number; readonly zone: string };

const DAY_MS = 86_400_000;
// A later end is most likely a typing mistake.
const LONGEST_MS = 366 * DAY_MS;

const INSTANT =
  /^(?<year>\d{4})-(?<month>\d{1,2})-(?<day>\d{1,2})(?:(?:t|\s+)(?<clock>\d{1,2}:\d{2})(?::(?<second>\d{2})(?:\.\d+)?)?\s*(?<offset>z|[+-]\d{2}:?\d{2})?)?$/u;
const CLOCK = /^\d{1,2}:\d{2}(?::00)?$/u;

/**
 * The end of a temporary write in epoch milliseconds, rounded up to seconds (docs/schedules.md). `until` is
 * RFC 3339, local time, or `next` of the governing week; `for` is a duration from now. A repeated local time
 * is the first future occurrence; a skipped one is moved by the gap, and without a date it counts for that
 * day. Issues: `until`, `for`, `past`, `far`, and those of `nextEnd`.
 */
export const readEnd = (end: WrittenEnd, now: LocalNow, week: GoverningWeek = { kind: 'unknown' }): Checked<number> => {
  if (end.kind === 'until' && isNext(end.text)) return nextEnd(end.path, week, now.nowMs, now.zone);
  const exact = end.kind === 'until' ? instantIn(end.text, now) : afterNow(end.text, now);
  return exact === undefined ? bad(notUnderstood(end, now)) : inReach(exact, end, now);
};

/** As `readEnd`, for a text that is either an instant or a duration. */
export const readEitherEnd = (text: string, path: string, now: LocalNow, week?: GoverningWeek): Checked<number> =>
  readEnd({ kind: readDuration(text) === undefined ? 'until' : 'for', text, path }, now, week);

const inReach = (exactMs: number, { text, path }: WrittenEnd, { nowMs, zone }: LocalNow): Checked<number> => {
  // Published instants have whole seconds; one that is sent back must be the same instant.
  const atMs = Math.ceil(exactMs / 1000) * 1000;
  if (exactMs <= nowMs) {
    const message = `${shown(text)} is not after now, ${printInstant(nowMs, zone)}; give a later time`;
    return bad(broken('past', path, message, { got: text }));
  }
  if (atMs - nowMs > LONGEST_MS) {
    const latest = printInstant(nowMs + LONGEST_MS, zone);
    return bad(
      broken('far', path, `${shown(text)} is more than a year ahead; the latest end is ${latest}`, { got: text, nearest: [latest] }),
    );
  }
  return good(atMs);
};

const instantIn = (text: string, now: LocalNow): number | undefined => {
  const plain = text.trim().toLowerCase();
  if (CLOCK.test(plain)) return nextTime(plain, now);
  const { year, month, day, clock = '0:00', second = '0', offset } = INSTANT.exec(plain)?.groups ?? {};
  const date = { year: Number(year), month: Number(month), day: Number(day) };
  const minutes = readTime(clock);
  if (year === undefined || !isDate(date) || minutes === undefined || Number(second) > 59) return undefined;
  if (offset === undefined) return localInstant(date, minutes, Number(second), now);
  const midnightMs = readInstant(`${dateText(date)}T00:00${offset}`, now.zone);
  return midnightMs === undefined ? undefined : midnightMs + (minutes * 60 + Number(second)) * 1000;
};

/** An instant of a local time, and when it has passed: a skipped time passes at the change of the clock. */
type Occurrence = { readonly atMs: number; readonly passedMs: number };

/** The instants of a local time (minutes; 1440: 00:00 of the next day) in order; two if it is repeated. */
const occurrences = (date: LocalDate, minutes: number, second: number, zone: string): readonly Occurrence[] => {
  const at = (which: 'earlier' | 'compatible' | 'later'): number => instantAt(date, minutes, zone, which) + second * 1000;
  const [earlier, usual, later] = [at('earlier'), at('compatible'), at('later')];
  const isSkipped = earlier !== usual;
  if (isSkipped) return [{ atMs: later, passedMs: nextTransition(earlier, zone) ?? later }];
  return [...new Set([earlier, later])].map((atMs) => ({ atMs, passedMs: atMs }));
};

/** The first future occurrence of a local time, else its first past one. */
const localInstant = (date: LocalDate, minutes: number, second: number, { nowMs, zone }: LocalNow): number | undefined => {
  const shown = occurrences(date, minutes, second, zone);
  return (shown.find(({ atMs }) => atMs > nowMs) ?? shown[0])?.atMs;
};

const nextTime = (clock: string, { nowMs, zone }: LocalNow): number | undefined => {
  const minutes = readTime(clock);
  if (minutes === undefined) return undefined;
  const today = localAt(nowMs, zone);
  // Just after midnight, a clock that is set back repeats the last minutes of yesterday.
  const shown = [-1, 0, 1].flatMap((ahead) => occurrences(addDays(today, ahead), minutes, 0, zone));
  return shown.find(({ passedMs }) => passedMs > nowMs)?.atMs;
};

const afterNow = (text: string, { nowMs, zone }: LocalNow): number | undefined => {
  const duration = readDuration(text);
  if (!duration) return undefined;
  const { days, ms } = duration;
  // Beyond every limit; the calendar cannot represent such dates.
  if (days * DAY_MS > 2 * LONGEST_MS) return nowMs + days * DAY_MS;
  if (days === 0) return nowMs + ms;
  const local = localAt(nowMs, zone);
  return instantAt(addDays(local, days), local.hour * 60 + local.minute, zone) + (nowMs % 60_000) + ms;
};

const notUnderstood = ({ kind, text, path }: WrittenEnd, { nowMs, zone }: LocalNow): ReturnType<typeof broken> => {
  const got = text;
  if (kind === 'for') {
    const isInstant = instantIn(text, { nowMs, zone }) !== undefined;
    const number = /^\s*(\d+(?:[.,]\d+)?)\s*$/u.exec(text)?.[1];
    const hint = isInstant ? `${shown(text)} is an instant; give it as until` : `${shown(text) || 'an empty text'} is not a duration`;
    return broken('for', path, `${hint}; durations are 90m, 2h, 1h30m, 2d or PT90M`, {
      got,
      nearest: number === undefined ? [] : [`${number}m`, `${number}h`],
    });
  }
  const isDuration = readDuration(text) !== undefined;
  const hint = isDuration ? `${shown(text)} is a duration; give it as for` : `${shown(text) || 'an empty text'} is not an instant`;
  const example = printInstant(Math.ceil((nowMs + 1) / DAY_MS) * DAY_MS, zone);
  const local = example.slice(0, 16).replace('T', ' ');
  return broken(
    'until',
    path,
    `${hint}; instants are ${example}, or in local time ${local}, ${local.slice(0, 10)} or ${local.slice(11)}; next is the next change`,
    {
      got,
      nearest: nearestInstants(text),
    },
  );
};

/** Proposals for a date in another format (3.1.2027), or a date that does not exist. */
const nearestInstants = (text: string): readonly string[] => {
  const plain = text.trim();
  const [, day, month, year, rest = ''] = /^(\d{1,2})[.](\d{1,2})[.](\d{4})(.*)$/u.exec(plain) ?? [];
  const [, isoYear, isoMonth, isoDay] = /^(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)/u.exec(plain) ?? [];
  const date = { year: Number(year ?? isoYear), month: Number(month ?? isoMonth), day: Number(day ?? isoDay) };
  if (day !== undefined && isDate(date)) return [`${dateText(date)}${rest}`];
  const first = { ...date, day: 1 };
  // 30 February: propose the last day of the month and the first of the next.
  if (!isDate(first) || date.day > 31 || isDate(date)) return [];
  const after = addDays(first, 31);
  const next = { ...after, day: 1 };
  return [dateText(addDays(next, -1)), dateText(next)];
};
