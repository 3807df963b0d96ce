import type { Language } from '../language.ts';

/** Why a week does not fit a schedule: it lacks a mode. Modes have their display names. */
export const NO_MODE: Readonly<Record<Language, (mode: string, modes: string) => string>> = {
  en: (mode, modes) => `${mode} is not a mode of this schedule; modes are ${modes}.`,
  de: (mode, modes) => `Die Betriebsart ${mode} gibt es dort nicht; möglich: ${modes}.`,
};
