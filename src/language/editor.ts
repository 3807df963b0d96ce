import type { EditorWords } from './editorEn.ts';
import type { Language } from './language.ts';

const LOADERS: Readonly<Record<Language, () => Promise<EditorWords>>> = {
  en: async () => (await import('./editorEn.ts')).EDITOR_EN,
  de: async () => (await import('./editorDe.ts')).EDITOR_DE,
};

/** Loads the texts of the week editor in a language. */
export const loadEditorWords = (language: Language): Promise<EditorWords> => LOADERS[language]();
