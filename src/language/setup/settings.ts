import type { Language } from '../language.ts';

/** The meanings of settings by their key, and defaults that are told in words; what is missing has the server's words. */
export type SettingTexts = {
  readonly meanings: Readonly<Record<string, string>>;
  readonly defaults: Readonly<Record<string, string>>;
};

const LOADERS: Readonly<Record<Language, () => Promise<SettingTexts>>> = {
  // The server tells them in English.
  en: async () => ({ meanings: {}, defaults: {} }),
  de: async () => {
    const { DEFAULTS_DE, SETTINGS_DE } = await import('./settingsDe.ts');
    return { meanings: SETTINGS_DE, defaults: DEFAULTS_DE };
  },
};

/** Loads the texts of settings in a language. */
export const loadSettingTexts = (language: Language): Promise<SettingTexts> => LOADERS[language]();
