import { resolve } from 'node:path';
import { checkWritten, completeWeek, issuesInItself } from '../../schedule/validateWeek.ts';
import type { Day, Week } from '../../schedule/week.ts';
import { nearestWords } from '../../shared/closestMatch.ts';
import { UsageError } from '../../shared/errors.ts';
import { bad, type Checked, good } from '../../shared/issue.ts';
import { isRecord, parseJson } from '../../shared/json.ts';
import { readPlainFile } from '../../shared/plainFile.ts';
import { readText } from '../../topics/commandPayload.ts';
import { looksLikeJson, readWeekPayload } from '../../topics/weekPayload.ts';
import type { Io } from '../io.ts';
import type { BridgeSaid, Found } from './retainedSchedules.ts';
import type { Source } from './scheduleArguments.ts';

/** A week, or some of its days, as it goes to the bridge. */
export type Wanted = {
  readonly value: unknown;
  /** What stood round it: `if_rev`, `until`, `for`. */
  readonly envelope: Readonly<Record<string, unknown>>;
  /** Where in what was given the place of an issue in the answer is. */
  readonly placeOf: (path: string) => string;
};

type Given = {
  readonly source: Source /** The week among the words. */;
  readonly week?: string | undefined;
  readonly day?: Day | undefined;
};

/** A week has some kilobytes at most; how many the bridge takes is told later. */
const MOST_BYTES = 1024 * 1024;

/** Reads what is to be written, from where it was said to be. Broken rules have places in what was given. Throws UsageError where nothing can be read. */
export const readWanted = async (
  { source, week, day }: Given,
  found: Found,
  { profiles }: Pick<BridgeSaid, 'profiles'>,
  most: number,
  io: Pick<Io, 'cwd' | 'stdin'>,
): Promise<Checked<Wanted>> => {
  if (source.from === 'profile') return ofProfile(source.name, found, profiles);
  const bytes = await readBytes(source.from === 'file' ? source.file : week, source.from === 'file', io);
  const text = readText(bytes, most);
  if (!text.ok) return text;
  if (text.value.trim() === '') {
    throw new UsageError(
      'usage',
      'There is no week: as an argument ("mon-fri 6-22 normal"), in a --file or on standard input; none empties a day.',
    );
  }
  return day === undefined ? ofWeek(text.value) : ofDay(text.value, day, found.week);
};

const readBytes = async (given: string | undefined, isFile: boolean, { cwd, stdin }: Pick<Io, 'cwd' | 'stdin'>): Promise<Uint8Array> => {
  if (given === undefined || given === '-') {
    if ('isTTY' in stdin && stdin.isTTY === true && given === undefined) return new Uint8Array();
    const chunks: Buffer[] = [];
    for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
    return Buffer.concat(chunks);
  }
  if (!isFile) return Buffer.from(given);
  try {
    return readPlainFile(resolve(cwd, given), MOST_BYTES);
  } catch (cause) {
    throw new UsageError('usage', `--file ${given} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
};

const ofProfile = (name: string, { constraints, week }: Found, profiles: BridgeSaid['profiles']): Checked<Wanted> => {
  const profile = profiles.find((one) => one.name === name.toLowerCase());
  if (!profile) {
    const names = profiles.map((one) => one.name);
    const [near] = nearestWords(name, names, 1);
    const there = names.length === 0 ? 'the setting schedules.profiles of the bridge names none' : `there are ${names.join(', ')}`;
    throw new UsageError('usage', `There is no profile ${name}: ${near === undefined ? there : `did you mean ${near}?`}`);
  }
  const checked = checkWritten(profile.week, constraints, undefined);
  if (!checked.ok) return checked;
  const whole: Week = completeWeek(checked.value, constraints, week);
  return good({
    value: Object.fromEntries([...checked.value.keys()].map((day) => [day, whole[day]])),
    envelope: {},
    placeOf: withoutValue,
  });
};

// Places of what stood in an envelope begin with its key.
const withoutValue = (path: string): string => path.replace(/^\/value(?=$|[/ ])/u, '').trimStart();

const ofWeek = (text: string): Checked<Wanted> => {
  if (!looksLikeJson(text)) return good({ value: text, envelope: {}, placeOf: withoutValue });
  const json = parseJson(text);
  return json.ok ? good({ ...opened(json.value), placeOf: withoutValue }) : json;
};

/** One day as a week of that day; that nothing else stands in it is seen here, since a week may name others. */
const ofDay = (text: string, day: Day, present: Week): Checked<Wanted> => {
  const read = readWeekPayload(text, day);
  if (!read.ok) return read;
  const issues = issuesInItself(read.value.week, present);
  if (issues.length > 0) return bad(...issues);
  if (!looksLikeJson(text)) {
    return good({ value: `${day}\n${text}`, envelope: {}, placeOf: (path) => aLineLess(withoutValue(path)) });
  }
  const json = parseJson(text);
  if (!json.ok) return json;
  const { value, envelope } = opened(json.value);
  if (typeof value === 'string') return good({ value: `${day}\n${value}`, envelope, placeOf: (path) => aLineLess(withoutValue(path)) });
  return good({ value: { [day]: value }, envelope, placeOf: (path) => withoutValue(path).replace(`/${day}`, '') });
};

const aLineLess = (place: string): string => place.replace(/^\d+/u, (line) => String(Math.max(1, Number(line) - 1)));

const opened = (json: unknown): Pick<Wanted, 'value' | 'envelope'> => {
  if (!isRecord(json) || !Object.hasOwn(json, 'value')) return { value: json, envelope: {} };
  const { value, ...envelope } = json;
  return { value, envelope };
};
