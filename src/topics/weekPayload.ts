import { readJsonDay, readJsonWeek } from '../schedule/jsonWeek.ts';
import { splitEnd } from '../schedule/text/textEnd.ts';
import { readTextDay, readTextWeek } from '../schedule/text/weekText.ts';
import type { Day } from '../schedule/week.ts';
import type { WrittenWeek } from '../schedule/writtenWeek.ts';
import { bad, broken, type Checked, good, listed } from '../shared/issue.ts';
import type { Json } from '../shared/json.ts';
import { besideValue, type Envelope, readEnveloped } from './commandPayload.ts';

/** What a week was written with, and the week with its places in what was sent. */
export type WeekPayload = { readonly envelope: Envelope; readonly week: WrittenWeek };

// A text begins with a day or a time.
const JSON_BEGINS = /^\s*[[{"]/u;

/** True where a payload is meant as JSON; else it is the text form. */
export const looksLikeJson = (payload: string): boolean => JSON_BEGINS.test(payload);

/** A week, or with `day` one day of it, in JSON or as text, with or without an envelope round it (CONTRACT §2.4, §3.3, §3.4). */
export const readWeekPayload = (payload: string, day?: Day): Checked<WeekPayload> => {
  if (!looksLikeJson(payload)) return fromText({}, payload, '', day);
  const read = readEnveloped(payload);
  if (!read.ok) return read;
  const { envelope, value, at } = read.value;
  const strays = besideValue(read.value);
  if (strays.length > 0) return bad(...listed(strays));
  // Blanks in place of the quote and what stands before it keep the columns right.
  const text = typeof value === 'string' && at === '' ? `${payload.slice(0, payload.indexOf('"'))} ${value}` : value;
  return readWeekValue(envelope, text, at, day);
};

/** The same of a value that was parsed already; `at` is its JSON pointer in what was sent. */
export const readWeekValue = (envelope: Envelope, value: Json, at: string, day?: Day): Checked<WeekPayload> => {
  if (typeof value === 'string') return fromText(envelope, value, at, day);
  return good({ envelope, week: day === undefined ? readJsonWeek(value, at) : readJsonDay(day, value, at) });
};

const fromText = (envelope: Envelope, payload: string, at: string, day: Day | undefined): Checked<WeekPayload> => {
  const { text, until, for: duration, at: place = '' } = splitEnd(payload);
  const week = day === undefined ? readTextWeek(text, at) : readTextDay(day, text, at);
  const end = until ?? duration;
  if (end === undefined) return good({ envelope, week });
  const path = at === '' ? place : `${at} ${place}`;
  if (envelope.end) return bad(broken('two_ends', path, 'a write has one end: the text has one already, so leave until and for out'));
  return good({ envelope: { ...envelope, end: { kind: until === undefined ? 'for' : 'until', text: end, path } }, week });
};
