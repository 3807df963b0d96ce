import { LOG_WORDS } from '../../language/log.ts';
import { inLanguage } from '../state/preferences.ts';

/** The texts of the log page in their language. */
export const logWords = inLanguage(LOG_WORDS);
