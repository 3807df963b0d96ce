import { VALUES_WORDS } from '../../language/values.ts';
import { inLanguage } from '../state/preferences.ts';

/** The texts of this page in its language. */
export const words = inLanguage(VALUES_WORDS);
