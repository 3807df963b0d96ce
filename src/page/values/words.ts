import { computed } from '@preact/signals';
import { VALUES_WORDS } from '../../language/values.ts';
import { language } from '../state/preferences.ts';

/** The texts of this page in its language. */
export const words = computed(() => VALUES_WORDS[language.value]);
