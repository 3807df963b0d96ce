import { computed } from '@preact/signals';
import type { RuleSentence } from '../model/outcome.ts';

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** What is said of a broken rule. */
export const rule = computed<RuleSentence>(
  () =>
    ({ message }) =>
      `${capital(message)}.`,
);
