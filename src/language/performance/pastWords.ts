import type { Language } from '../language.ts';

/** The Home Assistant name of past values, by device and quantity. */
export const pastName = (label: string, language: Language): string =>
  `${label}, ${language === 'de' ? 'vor der Installation (Tage, Monate, Jahre)' : 'before the installation (days, months, years)'}`;
