import type { Language } from '../language.ts';

/** Why a week does not fit a schedule that lacks a mode, with the modes by their names, as a drawing has them. */
export const NO_MODE: Readonly<Record<Language, (mode: string, modes: string) => string>> = {
  en: (mode, modes) => `${mode} is no mode of this schedule; it has ${modes}.`,
  de: (mode, modes) => `Die Betriebsart ${mode} gibt es dort nicht; möglich: ${modes}.`,
};
