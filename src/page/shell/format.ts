import { modeWord } from '../../language/modes.ts';
import { localInstant } from '../../schedule/shown/localNow.ts';
import { DAYS, type Day } from '../../schedule/week.ts';
import { browserOffset, type Moment, momentAt, momentOf } from '../model/moments.ts';
import { language, locale } from '../state/preferences.ts';
import { homeZone } from '../state/store.ts';
import { now } from '../state/time.ts';
import { words } from './words.ts';

/** Capitalizes a sentence; a setting name such as `poll.seconds` stays as it is. */
export const capital = (text: string): string => (/^[a-z_]+\.[a-z]/u.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1));

const LONGEST = 60;

// Bidirectional control characters: they reorder the following text, and no name needs them.
const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]/gu;

/** A text from outside, shortened to fit the page. */
export const short = (text: string): string => {
  const [start, isWhole] = text.length > LONGEST ? [[...text.slice(0, 2 * LONGEST)].slice(0, LONGEST).join(''), false] : [text, true];
  return start.replace(DIRECTIONS, '') + (isWhole ? '' : '…');
};

/** The display text of a mode, program or level. */
export const mode = (word: string): string => short(modeWord(word, language.value));

/** A day (midnight UTC) in the format of the language: `3 January 2027`. */
export const calendarDay = (date: Date, style: Intl.DateTimeFormatOptions = { dateStyle: 'long' }): string =>
  new Intl.DateTimeFormat(locale.value, { ...style, timeZone: 'UTC' }).format(date);

/** The same for a date (`2027-01-03`); other texts stay as they are. */
export const dayText = (date: string, style?: Intl.DateTimeFormatOptions): string => {
  const day = new Date(`${date}T00:00:00Z`);
  return Number.isNaN(day.getTime()) ? date : calendarDay(day, style);
};

const weekday = (date: Date): string => calendarDay(date, { weekday: 'long' });

/** The name of a weekday. 23 November 2026 is a Monday. */
export const dayName = (day: Day): string => weekday(new Date(Date.UTC(2026, 10, 23 + DAYS.indexOf(day))));

const ofMoment = ({ day, time, date }: Moment): string => {
  const { at } = words.value;
  if (day === 'tomorrow' && time === '00:00') return at.today('24:00');
  if (day === 'today') return at.today(time);
  if (day === 'tomorrow') return at.tomorrow(time);
  return at.day(day === 'weekday' ? weekday(date) : calendarDay(date), time);
};

/** An instant (RFC 3339) relative to now: `17:00`, `tomorrow 06:00`, `Monday 06:00`. */
export const moment = (instant: string): string => {
  const found = momentOf(instant, now.value);
  return found ? ofMoment(found) : instant;
};

/** The wall clock of an instant, encoded as UTC (epoch ms), in this zone or else the browser's. */
const wallMs = (ms: number, zone: string | undefined): number =>
  zone === undefined ? ms + browserOffset(ms) : Date.parse(`${localInstant(new Date(ms).toISOString(), zone)}Z`);

/** The same for an instant in UTC or epoch ms, in the device's zone, else the home's. */
export const localMoment = (instant: string | number, zone = homeZone.value): string => {
  const ms = typeof instant === 'number' ? instant : Date.parse(instant);
  return Number.isFinite(ms) ? ofMoment(momentAt(wallMs(ms, zone), wallMs(now.value, zone))) : String(instant);
};

/** Replaces instants (RFC 3339) in a text by local times of the home. */
export const localTimes = (text: string): string =>
  text.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)/g, (instant) => localMoment(instant));

/** From here on numbers use scientific notation: no heating counter is this high, and lines stay short. */
const HIGHEST = 1e12;

/** A localized number with at least `least` and at most `digits` decimal places. */
export const number = (value: number, digits = 1, least = 0): string =>
  new Intl.NumberFormat(locale.value, {
    ...{ minimumFractionDigits: least, maximumFractionDigits: digits },
    ...(Math.abs(value) < HIGHEST ? {} : { notation: 'scientific' }),
    // Avoids "-0" for values that round to 0.
  }).format(Math.abs(value) < 0.5 * 10 ** -digits ? 0 : value);

const UNITS: Readonly<Record<string, string>> = {
  celsius: '°C',
  kelvin: 'K',
  percent: '%',
  bar: 'bar',
  'liter/hour': 'l/h',
  kilowattHour: 'kWh',
  watt: 'W',
  cubicMeter: 'm³',
  revolutionsPerSecond: '1/s',
  hour: 'h',
  hours: 'h',
  minutes: 'min',
};

/** The display text of a unit; an unknown unit is shown as it is. */
export const unitText = (unit: string): string => (Object.hasOwn(UNITS, unit) ? UNITS[unit] : undefined) ?? short(unit);

/** A value with its unit. */
export const quantity = (value: number, unit: string): string => `${number(value)}\u00a0${unitText(unit)}`.trim();

/** A value without a unit. */
export const valueText = (value: unknown): string => {
  if (typeof value === 'number') return number(value, 3);
  if (typeof value === 'boolean') return mode(value ? 'on' : 'off');
  return mode(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
};

/** Degrees Celsius. */
export const degrees = (value: number): string => quantity(value, 'celsius');
