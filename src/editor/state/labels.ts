import type { EditorWords } from '../../language/editorEn.ts';
import { runsOfDays } from '../../schedule/text/dayWords.ts';
import { printTime } from '../../schedule/time.ts';
import { DAYS, type Day } from '../../schedule/week.ts';
import { type EditEntry, isDrawable } from '../model/editWeek.ts';
import type { EditorStore } from './store.ts';

/** Joins runs of days: `between` separates the first and last name of a run. */
const inRuns = (words: EditorWords, days: readonly Day[], names: EditorWords['days'], between: string): string =>
  days.length === DAYS.length
    ? words.everyDay
    : runsOfDays(days)
        .map((run) => {
          const [first = 'mon', last = first] = [run[0], run.at(-1)];
          return run.length === 1 ? names[first] : `${names[first]}${between}${names[last]}`;
        })
        .join(', ');

/** `Mon–Fri`, `Mon, Wed`, `Every day`; the long name for a single day. */
export const daysName = (words: EditorWords, days: readonly Day[]): string =>
  inRuns(words, days, days.length === 1 ? words.days : words.shortDays, '–');

/** `Monday to Friday`: the days of a row, for screen readers. */
export const spokenRow = (store: EditorStore, day: Day): string => {
  const { value: words } = store.words;
  return inRuns(words, store.row(day), words.days, ` ${words.to} `);
};

/** `06:00–22:00`; unreadable times are shown as the platform has them. */
export const timesOf = (entry: EditEntry): string =>
  entry.origin && !isDrawable(entry) ? `${entry.origin.start}–${entry.origin.end}` : `${printTime(entry.start)}–${printTime(entry.end)}`;

/** `6–22:30`, for an entry without room for the full form. */
export const shortTimesOf = (entry: EditEntry): string => timesOf(entry).replaceAll(/(^|–)0|:00/g, '$1');

/** `06:00–22:00 Normal`. */
export const entryName = (store: EditorStore, entry: EditEntry): string =>
  store.words.value.entry(timesOf(entry), store.modeName(entry.mode));
