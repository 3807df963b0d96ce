import type { Language } from '../language.ts';

/** What the past of an amount is called in Home Assistant, after the names of its device and of the amount. */
export const pastName = (device: string, amount: string, language: Language): string =>
  language === 'de'
    ? `${device}: ${amount}, vor der Installation (Tage, Monate, Jahre)`
    : `${device}: ${amount}, before the installation (days, months, years)`;
