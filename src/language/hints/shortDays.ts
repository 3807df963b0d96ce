import type { Day } from '../../schedule/week.ts';
import type { Language } from '../language.ts';

/** Short names of the days, for sentences. */
export const SHORT_DAYS: Readonly<Record<Language, Readonly<Record<Day, string>>>> = {
  en: { mon: 'Mon', tue: 'Tue', wed: 'Wed', thu: 'Thu', fri: 'Fri', sat: 'Sat', sun: 'Sun' },
  de: { mon: 'Mo', tue: 'Di', wed: 'Mi', thu: 'Do', fri: 'Fr', sat: 'Sa', sun: 'So' },
};

/** Runs of consecutive days, from `runsOfDays` of `schedule/text`: `Mon–Fri, Sun`. */
export const dayRuns = (runs: readonly (readonly Day[])[], language: Language): string =>
  runs
    .map((run) => {
      const [first = '', ...others] = run.map((day) => SHORT_DAYS[language][day]);
      return others.length > 1 ? `${first}–${others.at(-1)}` : [first, ...others].join(', ');
    })
    .join(', ');
