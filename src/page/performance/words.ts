import { computed } from '@preact/signals';
import { PERFORMANCE_WORDS } from '../../language/performance/performanceWords.ts';
import { language, locale } from '../state/preferences.ts';

export const words = computed(() => PERFORMANCE_WORDS[language.value]);

export const LONG_DAY: Intl.DateTimeFormatOptions = { dateStyle: 'long' };

/** A date (`2026-11-27`) in the form of the language. */
export const written = (day: string, style: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat(locale.value, { ...style, timeZone: 'UTC' }).format(new Date(`${day}T00:00:00Z`));

/** The first and the last day of a period. */
export const daysIn = ({ from, to }: { readonly from: string; readonly to: string }): string =>
  words.value.pastRow(written(from, LONG_DAY), written(to, LONG_DAY));

/** Has the browser keep a text as a file. */
export const download = (name: string, text: string): void => {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
};
