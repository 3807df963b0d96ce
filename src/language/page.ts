import type { Language } from './language.ts';
import type { PageWords } from './pageEn.ts';

export type { PageWords };

const LOADERS: Readonly<Record<Language, () => Promise<PageWords>>> = {
  en: async () => (await import('./pageEn.ts')).PAGE_EN,
  de: async () => (await import('./pageDe.ts')).PAGE_DE,
};

/** Loads the texts of the page in a language. */
export const loadPageWords = (language: Language): Promise<PageWords> => LOADERS[language]();
