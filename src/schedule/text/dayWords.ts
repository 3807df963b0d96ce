import { nearestWords } from '../../shared/closestMatch.ts';
import { DAYS, type Day } from '../week.ts';

/** English and German words for several days. */
const GROUP_WORDS: readonly (readonly [days: readonly Day[], words: readonly string[]])[] = [
  [DAYS, ['daily', 'everyday', 'täglich', 'taeglich']],
  [DAYS.slice(0, 5), ['weekdays', 'weekday', 'workdays', 'werktags', 'werktage']],
  [DAYS.slice(5), ['weekend', 'weekends', 'wochenende']],
];
const GROUPS: ReadonlyMap<string, readonly Day[]> = new Map(GROUP_WORDS.flatMap(([days, words]) => words.map((word) => [word, days])));

const NAMES: Readonly<Record<string, Day>> = {
  monday: 'mon',
  montag: 'mon',
  tuesday: 'tue',
  dienstag: 'tue',
  wednesday: 'wed',
  mittwoch: 'wed',
  thursday: 'thu',
  donnerstag: 'thu',
  friday: 'fri',
  freitag: 'fri',
  saturday: 'sat',
  samstag: 'sat',
  sunday: 'sun',
  sonntag: 'sun',
  sonnabend: 'sat',
};

// Two letters identify a day in both languages. `son` means Sonntag, which precedes Sonnabend.
const SHORTEST = 2;

const plain = (word: string): string => word.normalize('NFC').toLowerCase().replace(/\.$/u, '');

/** The days of an English or German day name (two letters or more) or group word; case is ignored. */
export const daysOfWord = (word: string): readonly Day[] | undefined => {
  const short = plain(word);
  const group = GROUPS.get(short);
  if (group || short.length < SHORTEST) return group;
  const found = Object.entries(NAMES).find(([name]) => name.startsWith(short) || short === `${name}s`);
  return found && [found[1]];
};

/** True for `we`, Wednesday or the German Wochenende: alone it is ambiguous. */
export const isAmbiguous = (word: string): boolean => plain(word) === 'we';

/** Up to three similar words: short names of days, or words for several days. */
export const nearestDayWords = (word: string): readonly string[] => {
  const near = nearestWords(plain(word), [...DAYS, ...Object.keys(NAMES), ...GROUPS.keys()]);
  return [...new Set(near.map((name) => (Object.hasOwn(NAMES, name) ? (NAMES[name] ?? name) : name)))];
};

/** The days in order, consecutive ones grouped: `[['mon', 'tue'], ['fri']]`. */
export const runsOfDays = (days: readonly Day[]): readonly (readonly Day[])[] => {
  const runs: Day[][] = [];
  for (const day of DAYS.filter((one) => days.includes(one))) {
    const run = runs.at(-1);
    const before = run?.at(-1);
    if (run && before && nextDay(before) === day) run.push(day);
    else runs.push([day]);
  }
  return runs;
};

/** `mon-fri`, `mon,wed`, `sat-sun`: days in order, two or more consecutive ones as a range. */
export const printDays = (days: readonly Day[]): string =>
  runsOfDays(days)
    .map((run) => (run.length > 1 ? `${run[0]}-${run.at(-1)}` : run[0]))
    .join(',');

/** The days of a range, which can cross the end of the week: `fri` to `mon` are four. */
export const daysBetween = (from: Day, to: Day): readonly Day[] => {
  const twoWeeks = [...DAYS, ...DAYS];
  const first = twoWeeks.indexOf(from);
  return twoWeeks.slice(first, twoWeeks.indexOf(to, first) + 1);
};

/** The next day of the week. */
export const nextDay = (day: Day): Day => DAYS[(DAYS.indexOf(day) + 1) % DAYS.length] ?? 'mon';
