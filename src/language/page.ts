import type { Language } from './language.ts';
import { PAGE_DE } from './pageDe.ts';
import { PAGE_EN, type PageWords } from './pageEn.ts';

/** The texts of the page in each language. */
export const PAGE_WORDS: Readonly<Record<Language, PageWords>> = { en: PAGE_EN, de: PAGE_DE };
