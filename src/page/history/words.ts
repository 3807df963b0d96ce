import { computed } from '@preact/signals';
import { HISTORY_WORDS } from '../../language/pages/history.ts';
import { language } from '../state/preferences.ts';

/** The texts of the changes in their language. */
export const historyWords = computed(() => HISTORY_WORDS[language.value]);
