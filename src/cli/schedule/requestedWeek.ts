import { resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { completeWeek, intrinsicIssues, validateWeek } from '../../schedule/validateWeek.ts';
import type { Day, Week } from '../../schedule/week.ts';
import { messageOf, UsageError } from '../../shared/errors.ts';
import { bad, type Checked, good, type Issue } from '../../shared/issue.ts';
import { isRecord, parseJson } from '../../shared/json.ts';
import { readPlainFile } from '../../shared/plainFile.ts';
import { readText } from '../../topics/commandPayload.ts';
import { looksLikeJson, readWeekPayload } from '../../topics/weekPayload.ts';
import type { Io } from '../terminal/io.ts';
import { unknownWord } from '../terminal/usage.ts';
import type { BridgeInfo, RetainedSchedule } from './retainedSchedules.ts';
import type { SetRequest } from './scheduleArguments.ts';

/** A week, or some of its days, to send to the bridge. */
export type RequestedWeek = {
  readonly payloadOf: (id: string) => string;
  /** Maps the path of an issue in the result to the place in the user's input. */
  readonly placeOf: (path: string) => string;
};

type Given = Pick<SetRequest, 'profile' | 'file' | 'day'> & { /** The week among the words. */ readonly week?: string | undefined };

/** A week has a few kilobytes; the limit of the bridge is checked later. */
const MOST_BYTES = 1024 * 1024;

/** Reads the week to write. Issues refer to the user's input. Throws UsageError if nothing can be read. */
export const readRequestedWeek = async (
  { profile, file, day, week }: Given,
  schedule: RetainedSchedule,
  { profiles }: Pick<BridgeInfo, 'profiles'>,
  most: number,
  io: Pick<Io, 'cwd' | 'stdin'>,
): Promise<Checked<RequestedWeek>> => {
  if (profile !== undefined) return fromProfile(profile, schedule, profiles);
  const bytes = file === undefined || file === '-' ? await readInput(file ?? week, io.stdin) : readFile(file, io.cwd);
  const text = readText(bytes, most);
  if (!text.ok) return text;
  if (text.value.trim() === '') {
    throw new UsageError(
      'usage',
      'The week is missing: give it as an argument ("mon-fri 6-22 normal"), with --file, or on standard input; the word none clears a day.',
    );
  }
  const issues = day === undefined ? [] : strayIssues(text.value, day, schedule.entries);
  return issues.length > 0 ? bad(...issues) : fromText(text.value, day);
};

/** The given text, or standard input without one or with `-`; a terminal is read only with `-`. */
const readInput = async (given: string | undefined, stdin: Io['stdin']): Promise<Uint8Array> => {
  if (given !== undefined && given !== '-') return Buffer.from(given);
  if (given === undefined && 'isTTY' in stdin && stdin.isTTY === true) return new Uint8Array();
  return buffer(stdin);
};

const readFile = (file: string, cwd: string): Uint8Array => {
  try {
    return readPlainFile(resolve(cwd, file), MOST_BYTES);
  } catch (cause) {
    throw new UsageError('usage', `--file ${file} cannot be read: ${messageOf(cause)}`, { cause });
  }
};

const fromProfile = (
  name: string,
  { constraints, entries }: RetainedSchedule,
  profiles: BridgeInfo['profiles'],
): Checked<RequestedWeek> => {
  const profile = profiles.find((one) => one.name === name.toLowerCase());
  if (!profile) {
    const names = profiles.map((one) => one.name);
    const none = `There is no profile ${name}. The setting schedules.profiles of the bridge is empty.`;
    throw new UsageError('usage', names.length === 0 ? none : unknownWord('profile', name, names));
  }
  const checked = validateWeek(profile.week, constraints, undefined);
  if (!checked.ok) return checked;
  const whole: Week = completeWeek(checked.value, entries);
  const days = Object.fromEntries([...checked.value.keys()].map((day) => [day, whole[day]]));
  return good({ payloadOf: (id) => JSON.stringify({ id, value: days }), placeOf: withoutValue });
};

// Paths in an envelope begin with its key.
const withoutValue = (path: string): string => path.replace(/^\/value(?=$|[/ ])/u, '').trimStart();

/** The issues of a day's entries. Refuses input that names other days: as a week it would be valid. */
const strayIssues = (text: string, day: Day, present: Week): readonly Issue[] => {
  const read = readWeekPayload(text, day);
  return read.ok ? intrinsicIssues(read.value.week, present) : read.issues;
};

/** The week, as text or JSON, without a JSON envelope; with `day`, a week of only this day. */
const fromText = (text: string, day: Day | undefined): Checked<RequestedWeek> => {
  const json = looksLikeJson(text) ? parseJson(text) : good(text);
  if (!json.ok) return json;
  const { value, ...envelope } = isRecord(json.value) && Object.hasOwn(json.value, 'value') ? json.value : { value: json.value };
  const payloadOf = (week: unknown) => (id: string) => JSON.stringify({ ...envelope, id, value: week });
  if (day === undefined) return good({ payloadOf: payloadOf(value), placeOf: withoutValue });
  const week = typeof value === 'string' ? `${day}\n${value}` : { [day]: value };
  return good({ payloadOf: payloadOf(week), placeOf: (path) => withoutDay(withoutValue(path), day) });
};

/** Maps a place in the one-day week to the entries of the day: without the day's key or first line. */
const withoutDay = (place: string, day: Day): string =>
  place.replace(`/${day}`, '').replace(/^\d+/u, (line) => String(Math.max(1, Number(line) - 1)));
