import { EDITOR_DE } from './editorDe.ts';
import type { EditorWords } from './editorEn.ts';
import { EDITOR_EN } from './editorEn.ts';
import type { Language } from './language.ts';

/** The texts of the week editor in each language. */
export const EDITOR_WORDS: Readonly<Record<Language, EditorWords>> = { en: EDITOR_EN, de: EDITOR_DE };
