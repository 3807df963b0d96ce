import { ACCOUNT_WORDS } from '../../language/accounts/accountWords.ts';
import { inLanguage } from '../state/preferences.ts';

/** The texts of the accounts in their language. */
export const accountWords = inLanguage(ACCOUNT_WORDS);
