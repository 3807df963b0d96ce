import type { Language } from '../language.ts';

/** What the past of an amount is called in Home Assistant, by its device and amount. */
export const pastName = (label: string, language: Language): string =>
  `${label}, ${language === 'de' ? 'vor der Installation (Tage, Monate, Jahre)' : 'before the installation (days, months, years)'}`;
