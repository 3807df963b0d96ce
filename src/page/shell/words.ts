import { computed, effect, signal } from '@preact/signals';
import { loadPageWords, type PageWords } from '../../language/page.ts';
import type { RuleSentence } from '../../language/rules.ts';
import { language } from '../state/preferences.ts';

/** The texts in the page's language. Empty before `untilWords`; nothing is shown before that. */
export const words = signal({} as PageWords);

/** The texts for broken rules, shared with the week editor. */
export const rule = computed<RuleSentence>(() => words.value.rule);

const RETRY_MS = 3000;

/** Reloads the page once the server has it: a proxy's or browser's error page does not retry. */
const reload = (): void => {
  setTimeout(() => {
    fetch(location.href, { cache: 'no-store' }).then(({ ok }) => (ok ? location.reload() : reload()), reload);
  }, RETRY_MS);
};

/** Resolves with the first texts; they follow the language. On failure the page reloads until it works. */
export const untilWords = (): Promise<void> =>
  new Promise((resolve) => {
    effect(() => {
      const wanted = language.value;
      void loadPageWords(wanted).then(
        (loaded) => {
          if (language.peek() === wanted) words.value = loaded;
          resolve();
        },
        () => 'rule' in words.peek() || reload(),
      );
    });
  });
