import { resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { completeWeek, intrinsicIssues, validateWeek } from '../../schedule/validateWeek.ts';
import type { Day, Week } from '../../schedule/week.ts';
import { nearestWords } from '../../shared/closestMatch.ts';
import { messageOf, UsageError } from '../../shared/errors.ts';
import { bad, type Checked, good } from '../../shared/issue.ts';
import { isRecord, parseJson } from '../../shared/json.ts';
import { readPlainFile } from '../../shared/plainFile.ts';
import { readText } from '../../topics/commandPayload.ts';
import { looksLikeJson, readWeekPayload } from '../../topics/weekPayload.ts';
import type { Io } from '../terminal/io.ts';
import type { BridgeInfo, RetainedSchedule } from './retainedSchedules.ts';
import type { SetRequest } from './scheduleArguments.ts';

/** A week, or some of its days, as it is sent to the bridge. */
export type RequestedWeek = {
  readonly value: unknown;
  /** The other members of the given JSON: `if_rev`, `until`, `for`. */
  readonly envelope: Readonly<Record<string, unknown>>;
  /** SerialQueue the path of an issue in the result into the place in the user's input. */
  readonly placeOf: (path: string) => string;
};

type Given = Pick<SetRequest, 'profile' | 'file' | 'day'> & { /** The week among the words. */ readonly week?: string | undefined };

/** A week has some kilobytes at most; the limit of the bridge is checked later. */
const MOST_BYTES = 1024 * 1024;

/** Reads the week to write. Places of broken rules are those in the user's input. Throws UsageError where nothing can be read. */
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
      'There is no week: as an argument ("mon-fri 6-22 normal"), in a --file or on standard input; none empties a day.',
    );
  }
  return day === undefined ? fromWeek(text.value) : fromDay(text.value, day, schedule.entries);
};

/** The given text, or standard input where there is none or `-`; a terminal is read only with `-`. */
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
    const [near] = nearestWords(name, names, 1);
    const there = names.length === 0 ? 'the setting schedules.profiles of the bridge names none' : `there are ${names.join(', ')}`;
    throw new UsageError('usage', `There is no profile ${name}: ${near === undefined ? there : `did you mean ${near}?`}`);
  }
  const checked = validateWeek(profile.week, constraints, undefined);
  if (!checked.ok) return checked;
  const whole: Week = completeWeek(checked.value, entries);
  return good({
    value: Object.fromEntries([...checked.value.keys()].map((day) => [day, whole[day]])),
    envelope: {},
    placeOf: withoutValue,
  });
};

// Paths into an envelope begin with its key.
const withoutValue = (path: string): string => path.replace(/^\/value(?=$|[/ ])/u, '').trimStart();

const fromWeek = (text: string): Checked<RequestedWeek> => {
  const opened = openEnvelope(text);
  return opened.ok ? good({ ...opened.value, placeOf: withoutValue }) : opened;
};

/** A week with this day alone. Input that names other days is refused here: as a week it would be valid. */
const fromDay = (text: string, day: Day, present: Week): Checked<RequestedWeek> => {
  const read = readWeekPayload(text, day);
  if (!read.ok) return read;
  const issues = intrinsicIssues(read.value.week, present);
  if (issues.length > 0) return bad(...issues);
  const opened = openEnvelope(text);
  if (!opened.ok) return opened;
  const { value, envelope } = opened.value;
  if (typeof value !== 'string')
    return good({ value: { [day]: value }, envelope, placeOf: (path) => withoutValue(path).replace(`/${day}`, '') });
  return good({ value: `${day}\n${value}`, envelope, placeOf: (path) => withoutFirstLine(withoutValue(path)) });
};

const withoutFirstLine = (place: string): string => place.replace(/^\d+/u, (line) => String(Math.max(1, Number(line) - 1)));

/** The week as text or JSON, without the envelope that JSON can have. */
const openEnvelope = (text: string): Checked<Pick<RequestedWeek, 'value' | 'envelope'>> => {
  if (!looksLikeJson(text)) return good({ value: text, envelope: {} });
  const json = parseJson(text);
  if (!json.ok) return json;
  if (!isRecord(json.value) || !Object.hasOwn(json.value, 'value')) return good({ value: json.value, envelope: {} });
  const { value, ...envelope } = json.value;
  return good({ value, envelope });
};
