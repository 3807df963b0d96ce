import type { Language } from '../language.ts';

/** Names of schedule entities by last topic level; `{s}` is the schedule's name, also that of its week. */
const SCHEDULE = {
  now: { en: '{s} mode', de: '{s}: jetzt' },
  next: { en: '{s} next mode', de: '{s}: danach' },
  next_at: { en: '{s} next change', de: '{s}: nächster Wechsel' },
  text: { en: '{s}', de: '{s}' },
  mon: { en: '{s} Monday', de: '{s}: Montag' },
  tue: { en: '{s} Tuesday', de: '{s}: Dienstag' },
  wed: { en: '{s} Wednesday', de: '{s}: Mittwoch' },
  thu: { en: '{s} Thursday', de: '{s}: Donnerstag' },
  fri: { en: '{s} Friday', de: '{s}: Freitag' },
  sat: { en: '{s} Saturday', de: '{s}: Samstag' },
  sun: { en: '{s} Sunday', de: '{s}: Sonntag' },
  until: { en: '{s} temporary until', de: '{s}: vorübergehend bis' },
  until_restore: { en: '{s}: take temporary change back', de: '{s}: vorübergehende Änderung zurücknehmen' },
  until_keep: { en: "{s}: keep the app's change", de: '{s}: App-Änderung behalten' },
  profile: { en: '{s} profile', de: '{s}: Profil' },
  undo: { en: '{s}: undo change', de: '{s}: Änderung zurücknehmen' },
  reset: { en: 'reset {s}', de: '{s} zurücksetzen' },
} as const satisfies Readonly<Record<string, Readonly<Record<Language, string>>>>;

/** The profile text if no profile matches. Profile names in the settings have no capital. */
export const CUSTOM_WORDS: Readonly<Record<Language, string>> = { en: 'Custom', de: 'Individuell' };

/** The mode text without a mode: week not in use, no entry now, or the mode never changes. */
export const NO_MODE = {
  inactive: { en: 'Not followed', de: 'Gilt gerade nicht' },
  now: { en: 'No entry', de: 'Kein Eintrag' },
  next: { en: 'No change', de: 'Kein Wechsel' },
} as const satisfies Readonly<Record<string, Readonly<Record<Language, string>>>>;

/** The key of a schedule entity: the last level of its topic, or the command of a button. */
export type ScheduleLeaf = keyof typeof SCHEDULE;

/** The name of an entity of a schedule with this name. */
export const scheduleWords = (leaf: ScheduleLeaf, schedule: string, language: Language): string =>
  SCHEDULE[leaf][language].replace('{s}', () => schedule || { en: 'schedule', de: 'Zeitplan' }[language]);
