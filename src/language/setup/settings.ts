import type { Language } from '../language.ts';

/** Meanings of settings by key, and defaults described in words; for others, the server's text applies. */
export type SettingTexts = {
  readonly meanings: Readonly<Record<string, string>>;
  readonly defaults: Readonly<Record<string, string>>;
};

const LOADERS: Readonly<Record<Language, () => Promise<SettingTexts>>> = {
  // The server sends the English texts.
  en: async () => ({ meanings: {}, defaults: {} }),
  de: async () => {
    const { DEFAULTS_DE, SETTINGS_DE } = await import('./settingsDe.ts');
    return { meanings: SETTINGS_DE, defaults: DEFAULTS_DE };
  },
};

/** Loads the texts of settings in a language. */
export const loadSettingTexts = (language: Language): Promise<SettingTexts> => LOADERS[language]();
