import type { EditorWords } from '../../language/editorEn.ts';
import { runsOfDays } from '../../schedule/text/dayWords.ts';
import { printTime } from '../../schedule/time.ts';
import { DAYS, type Day } from '../../schedule/week.ts';
import { type EditEntry, isDrawable } from '../model/editWeek.ts';
import type { EditorStore } from './store.ts';

/** `Mon–Fri`, `Mon, Wed`, `Every day`; a single day has its long name. */
export const daysName = (words: EditorWords, days: readonly Day[]): string => {
  const [only] = days;
  if (days.length === DAYS.length) return words.everyDay;
  if (only && days.length === 1) return words.days[only];
  const { shortDays } = words;
  return runsOfDays(days)
    .map((run) => {
      const [first = 'mon', last = first] = [run[0], run.at(-1)];
      return run.length === 1 ? shortDays[first] : `${shortDays[first]}–${shortDays[last]}`;
    })
    .join(', ');
};

/** `Monday to Friday`, for a screen reader. */
export const spokenDays = (words: EditorWords, days: readonly Day[]): string =>
  days.length === DAYS.length
    ? words.everyDay
    : runsOfDays(days)
        .map((run) => {
          const [first = 'mon', last = first] = [run[0], run.at(-1)];
          return run.length === 1 ? words.days[first] : `${words.days[first]} ${words.to} ${words.days[last]}`;
        })
        .join(', ');

/** `06:00–22:00`; times that cannot be read as the platform has them. */
export const timesOf = (entry: EditEntry): string =>
  entry.origin && !isDrawable(entry) ? `${entry.origin.start}–${entry.origin.end}` : `${printTime(entry.start)}–${printTime(entry.end)}`;

/** `6–22:30`, for an entry that has no room for more. */
export const shortTimesOf = (entry: EditEntry): string => timesOf(entry).replaceAll(/(^|–)0|:00/g, '$1');

/** `06:00–22:00 Normal`. */
export const entryName = (store: EditorStore, entry: EditEntry): string =>
  store.words.value.entry(timesOf(entry), store.modeName(entry.mode));
