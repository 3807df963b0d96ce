import { computed } from '@preact/signals';
import { RULE_SENTENCES } from '../../language/rules.ts';
import type { RuleSentence } from '../model/outcome.ts';
import { language } from '../state/preferences.ts';

/** What is said of a broken rule: the same as in the editor of a week. */
export const rule = computed<RuleSentence>(() => RULE_SENTENCES[language.value]);
