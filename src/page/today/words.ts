import { TODAY_WORDS } from '../../language/pages/today.ts';
import { inLanguage } from '../state/preferences.ts';

/** The texts of the first card in their language. */
export const todayWords = inLanguage(TODAY_WORDS);
