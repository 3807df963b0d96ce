import { computed } from '@preact/signals';
import { TODAY_WORDS } from '../../language/pages/today.ts';
import { language } from '../state/preferences.ts';

/** The texts of the first card in their language. */
export const todayWords = computed(() => TODAY_WORDS[language.value]);
