import { computed } from '@preact/signals';
import type { RuleSentence } from '../model/outcome.ts';
import { words } from './say.ts';

/** What is said of a broken rule: the same as in the editor of a week. */
export const rule = computed<RuleSentence>(() => words.value.rule);
