import { nearestWords } from '../../shared/closestMatch.ts';
import { DAYS, type Day } from '../week.ts';

const WORKDAYS: readonly Day[] = ['mon', 'tue', 'wed', 'thu', 'fri'];
const WEEKEND: readonly Day[] = ['sat', 'sun'];

/** Words for several days, as they are said in English and German. */
const GROUPS: Readonly<Record<string, readonly Day[]>> = {
  daily: DAYS,
  everyday: DAYS,
  täglich: DAYS,
  taeglich: DAYS,
  weekdays: WORKDAYS,
  weekday: WORKDAYS,
  workdays: WORKDAYS,
  werktags: WORKDAYS,
  werktage: WORKDAYS,
  weekend: WEEKEND,
  weekends: WEEKEND,
  wochenende: WEEKEND,
};

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

// Two letters tell the days apart in both languages; `son` is said for Sonntag, which stands before Sonnabend.
const SHORTEST = 2;

const plain = (word: string): string => word.normalize('NFC').toLowerCase().replace(/\.$/u, '');

/** The days that a word means: a day's name in English or German, whole or cut to two letters or more, or a word for several; case does not count. */
export const daysOfWord = (word: string): readonly Day[] | undefined => {
  const said = plain(word);
  if (Object.hasOwn(GROUPS, said)) return GROUPS[said];
  if (said.length < SHORTEST) return undefined;
  const found = Object.entries(NAMES).find(([name]) => name.startsWith(said) || said === `${name}s`);
  return found && [found[1]];
};

/** Up to three words that were perhaps meant: days in their short form, or words for several. */
export const nearestDayWords = (word: string): readonly string[] => {
  const near = nearestWords(plain(word), [...DAYS, ...Object.keys(NAMES), ...Object.keys(GROUPS)]);
  return [...new Set(near.map((name) => (Object.hasOwn(NAMES, name) ? (NAMES[name] ?? name) : name)))];
};

/** `mon-fri`, `mon,wed`, `sat-sun`: days in their order, two or more in a row as a range. */
export const printDays = (days: readonly Day[]): string => {
  const runs: Day[][] = [];
  for (const day of DAYS.filter((one) => days.includes(one))) {
    const run = runs.at(-1);
    const before = run?.at(-1);
    if (run && before !== undefined && DAYS.indexOf(day) === DAYS.indexOf(before) + 1) run.push(day);
    else runs.push([day]);
  }
  return runs.map((run) => (run.length > 1 ? `${run[0]}-${run.at(-1)}` : run[0])).join(',');
};

/** The days from one to the other, over the week's end where it comes between: `fri` to `mon` are four. */
export const daysBetween = (from: Day, to: Day): readonly Day[] => {
  const [first, last] = [DAYS.indexOf(from), DAYS.indexOf(to)];
  const count = ((last - first + DAYS.length) % DAYS.length) + 1;
  return Array.from({ length: count }, (_, index) => DAYS[(first + index) % DAYS.length] ?? from);
};

/** The day after. */
export const nextDay = (day: Day): Day => DAYS[(DAYS.indexOf(day) + 1) % DAYS.length] ?? 'mon';
