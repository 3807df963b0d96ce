import { HISTORY_WORDS } from '../../language/pages/history.ts';
import { inLanguage } from '../state/preferences.ts';

/** The texts of the changes in their language. */
export const historyWords = inLanguage(HISTORY_WORDS);
