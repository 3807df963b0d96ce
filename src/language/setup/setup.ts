import type { Language } from '../language.ts';
import { SETUP_DE } from './setupDe.ts';
import { SETUP_EN, type SetupWords } from './setupEn.ts';

/** The texts of the set-up and of the settings in each language. */
export const SETUP_WORDS: Readonly<Record<Language, SetupWords>> = { en: SETUP_EN, de: SETUP_DE };
