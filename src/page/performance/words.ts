import { PERFORMANCE_WORDS } from '../../language/performance/performanceWords.ts';
import { dayText } from '../shell/format.ts';
import { words as pageWords } from '../shell/words.ts';
import { inLanguage } from '../state/preferences.ts';

export const words = inLanguage(PERFORMANCE_WORDS);

/** The first and the last day of a period. */
export const daysIn = ({ from, to }: { readonly from: string; readonly to: string }): string =>
  pageWords.value.period(dayText(from), dayText(to));

/** Safari asks first, and needs the text when the answer is yes. */
const KEPT_MS = 60_000;

/** Saves a text as a file through the browser. */
export const download = (name: string, text: string): void => {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS);
};
