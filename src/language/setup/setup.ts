import type { Language } from '../language.ts';
import { BROKER_WORDS } from './brokerWords.ts';
import { SETTINGS_WORDS } from './settingsWords.ts';
import { STEP_WORDS } from './stepWords.ts';

/** The texts of the set-up and of the settings in a language. */
export type SetupWords = (typeof STEP_WORDS)[Language] & (typeof BROKER_WORDS)[Language] & (typeof SETTINGS_WORDS)[Language];

/** The texts of the set-up and of the settings in each language. */
export const SETUP_WORDS: Readonly<Record<Language, SetupWords>> = {
  en: { ...STEP_WORDS.en, ...BROKER_WORDS.en, ...SETTINGS_WORDS.en },
  de: { ...STEP_WORDS.de, ...BROKER_WORDS.de, ...SETTINGS_WORDS.de },
};
