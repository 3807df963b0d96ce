import { computed } from '@preact/signals';
import { LOG_WORDS } from '../../language/log.ts';
import { language } from '../state/preferences.ts';

/** The texts of the log page in their language. */
export const logWords = computed(() => LOG_WORDS[language.value]);
