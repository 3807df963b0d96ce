import type { Language } from '../language.ts';

/** Why a performance figure is not available, by code (docs/performance.md). */
const WORDS = {
  not_told: { en: 'the heating does not report it', de: 'die Heizung meldet es nicht' },
  too_little: { en: 'too little data', de: 'zu wenige Daten' },
  incomplete: { en: 'too many hours or days are not known', de: 'zu viele Stunden oder Tage fehlen' },
  frozen: { en: 'the amounts did not change', de: 'die Mengen haben sich nicht geändert' },
  no_rod: { en: 'the electricity of the heating rod is not reported', de: 'der Strom des Heizstabs wird nicht gemeldet' },
  burner: { en: 'gas was burnt, and the heating does not measure heat', de: 'Gas wurde verbrannt, und die Heizung misst keine Wärme' },
  implausible: { en: 'the amounts do not fit together', de: 'die Mengen passen nicht zusammen' },
  mixed_units: { en: 'the amounts have several units', de: 'die Mengen haben verschiedene Einheiten' },
  no_price: { en: 'no price is set', de: 'es ist kein Preis eingestellt' },
  partly_priced: { en: 'some days have no price', de: 'für einige Tage fehlt der Preis' },
} as const satisfies Readonly<Record<string, Readonly<Record<Language, string>>>>;

/** The reason as text. */
export const whyWords = (why: keyof typeof WORDS, language: Language): string => WORDS[why][language];
