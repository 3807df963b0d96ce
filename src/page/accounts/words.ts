import { computed } from '@preact/signals';
import { ACCOUNT_WORDS } from '../../language/accounts/accountWords.ts';
import { language } from '../state/preferences.ts';

/** The texts of the accounts in their language. */
export const accountWords = computed(() => ACCOUNT_WORDS[language.value]);
