import { computed, effect, signal } from '@preact/signals';
import { LANGUAGES, type Language } from '../../language/language.ts';

export const THEMES = ['auto', 'light', 'dark'] as const;

// Under Home Assistant the storage is shared with Home Assistant.
const PREFIX = 'heating2mqtt.';

/** A value stored in this browser. */
export const kept = (key: string): string | undefined => {
  try {
    return localStorage.getItem(PREFIX + key) ?? undefined;
  } catch {
    // The browser may forbid storage; then the choice lasts until the page is closed.
    return undefined;
  }
};

export const keep = (key: string, value: string): void => {
  try {
    localStorage.setItem(PREFIX + key, value);
  } catch {}
};

const ofBrowser = (): Language =>
  navigator.languages.map((tag) => LANGUAGES.find((one) => tag.toLowerCase().startsWith(one))).find(Boolean) ?? 'en';

/** `auto` follows the browser. */
export const languageChoice = signal<Language | 'auto'>(LANGUAGES.find((one) => one === kept('language')) ?? 'auto');
export const language = computed<Language>(() => (languageChoice.value === 'auto' ? ofBrowser() : languageChoice.value));

/** The texts of a table in the page's language. */
export const inLanguage = <W>(table: Readonly<Record<Language, W>>) => computed(() => table[language.value]);

export const theme = signal<(typeof THEMES)[number]>(THEMES.find((one) => one === kept('theme')) ?? 'auto');

/** The browser's language with its country: dates and numbers differ by country. */
export const locale = computed<string>(
  () => navigator.languages.find((tag) => tag.toLowerCase().startsWith(language.value)) ?? language.value,
);

effect(() => {
  document.documentElement.lang = language.value;
  keep('language', languageChoice.value);
});
effect(() => {
  document.documentElement.dataset['theme'] = theme.value;
  keep('theme', theme.value);
});
