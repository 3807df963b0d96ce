import { computed, effect, signal } from '@preact/signals';
import { loadPageWords, type PageWords } from '../../language/page.ts';
import type { RuleSentence } from '../../language/rules.ts';
import { language } from '../state/preferences.ts';

/** The texts of the page in its language. There are none before `untilWords`; nothing is shown before that. */
export const words = signal({} as PageWords);

/** What is said of a broken rule: the same as in the editor of a week. */
export const rule = computed<RuleSentence>(() => words.value.rule);

const RETRY_MS = 3000;

/** Loads the whole page again as soon as there is one: what a proxy, or a browser, shows in its place does not look for it any more. */
const reload = (): void => {
  setTimeout(() => {
    fetch(location.href, { cache: 'no-store' }).then(({ ok }) => (ok ? location.reload() : reload()), reload);
  }, RETRY_MS);
};

/** Resolves with the first texts; where they cannot be loaded, the whole page is, until they can. From then on they follow the language. */
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
