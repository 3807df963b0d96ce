import { computed } from '@preact/signals';
import { VERSION_WORDS } from '../../language/versions/versionWords.ts';
import { language } from '../state/preferences.ts';

/** The texts of the versions in the language of the page. */
export const words = computed(() => VERSION_WORDS[language.value]);
