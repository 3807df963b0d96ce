import { VERSION_WORDS } from '../../language/versions/versionWords.ts';
import { inLanguage } from '../state/preferences.ts';

/** The texts of the versions in the language of the page. */
export const words = inLanguage(VERSION_WORDS);
