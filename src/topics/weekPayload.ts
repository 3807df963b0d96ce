import { readJsonDay, readJsonWeek } from '../schedule/jsonWeek.ts';
import { splitEnd } from '../schedule/text/textEnd.ts';
import { readTextDay, readTextWeek } from '../schedule/text/weekText.ts';
import type { Day } from '../schedule/week.ts';
import type { WrittenWeek } from '../schedule/writtenWeek.ts';
import { bad, broken, type Checked, good } from '../shared/issue.ts';
import type { Json } from '../shared/json.ts';
import { type Envelope, readEnveloped, withRightKeys } from './commandPayload.ts';

/** A written week with its places in the payload, and the envelope. */
export type WeekPayload = { readonly envelope: Envelope; readonly week: WrittenWeek };

// The text form starts with a day or a time.
const JSON_START = /^\s*[[{"]/u;

/** True if a payload is JSON; else it is the text form. */
export const looksLikeJson = (payload: string): boolean => JSON_START.test(payload);

/** Reads a week (`day`: one day) as JSON or text, with or without an envelope (docs/schedules.md). */
export const readWeekPayload = (payload: string, day?: Day): Checked<WeekPayload> => {
  if (!looksLikeJson(payload)) return readWeekValue({}, payload, '', day);
  const read = withRightKeys(readEnveloped(payload));
  if (!read.ok) return read;
  const { envelope, value, at } = read.value;
  // Keeps the payload's columns: blanks replace the text before the quote.
  const text = typeof value === 'string' && at === '' ? `${payload.slice(0, payload.indexOf('"'))} ${value}` : value;
  return readWeekValue(envelope, text, at, day);
};

/** The same for a value from JSON or text; `at` is its JSON pointer in the payload. */
export const readWeekValue = (envelope: Envelope, value: Json, at: string, day?: Day): Checked<WeekPayload> => {
  if (typeof value !== 'string') return good({ envelope, week: day === undefined ? readJsonWeek(value, at) : readJsonDay(day, value, at) });
  const { text, until, for: duration, at: place = '' } = splitEnd(value);
  const week = day === undefined ? readTextWeek(text, at) : readTextDay(day, text, at);
  const end = until ?? duration;
  if (end === undefined) return good({ envelope, week });
  const path = at === '' ? place : `${at} ${place}`;
  if (envelope.end) return bad(broken('two_ends', path, 'a write has only one end; the text already has one, so remove until and for'));
  return good({ envelope: { ...envelope, end: { kind: until === undefined ? 'for' : 'until', text: end, path } }, week });
};
