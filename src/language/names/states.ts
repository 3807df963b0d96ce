import type { Language } from '../language.ts';
import { KNOWN_MODES, modeWord } from '../modes.ts';

/** What a word says: which mode or program of the heating or of a ventilation is set, or in which state something is. */
export type WordKind = 'mode' | 'ventilation' | 'state';

// Of a circuit it is a choice of people, with a name of its own.
const STANDBY_DE = 'Bereitschaft';

/** German words for states of machines, sensors and rooms. Those that are missing here are called as the mode of the same name. */
const STATES_DE: Readonly<Record<string, string>> = {
  // Sensors and connections.
  connected: 'Verbunden',
  notConnected: 'Nicht verbunden',
  error: 'Fehler',
  ok: 'In Ordnung',
  OK: 'OK',
  active: 'Aktiv',
  inactive: 'Inaktiv',
  unknown: 'Unbekannt',
  none: 'Nichts',
  init: 'Wird vorbereitet',
  complete: 'Abgeschlossen',
  unlimitedAutonomous: 'Ohne Begrenzung',
  // Compressors and burners.
  standby: STANDBY_DE,
  ready: 'Betriebsbereit',
  'not-ready': 'Nicht betriebsbereit',
  preparing: 'Vorbereitung',
  'preparing-defrost': 'Vorbereitung des Abtauens',
  defrost: 'Abtauen',
  'passive-defrost': 'Passives Abtauen',
  pause: 'Pause',
  // What is asked for, and why.
  dhw: 'Warmwasser',
  ventilation: 'Lüften',
  energySaving: 'Energiesparen',
  schedule: 'Zeitplan',
  openWindow: 'Fenster offen',
  sensorDriven: 'Sensor',
  sensorOverride: 'Sensor statt Zeitplan',
  permanent: 'Feste Stufe',
  charge: 'Laden',
  discharge: 'Entladen',
  production: 'Erzeugung',
  // Kinds of rooms.
  bathroom: 'Bad',
  bedroom: 'Schlafzimmer',
  hallway: 'Flur',
  livingroom: 'Wohnzimmer',
  kitchen: 'Küche',
  office: 'Arbeitszimmer',
  nursery: 'Kinderzimmer',
  toilet: 'WC',
  other: 'Sonstiger Raum',
};

const LEVELS = ['reduced', 'normal', 'comfort', 'eco'];
const ENDS_DE: Readonly<Record<string, string>> = {
  Heating: 'Heizen',
  Cooling: 'Kühlen',
  EnergySaving: 'Energiesparen',
  CoolingEnergySaving: 'Kühlen, Energiesparen',
};
/** Newer devices name a program with what it is for: `normalHeating`. A sensor can show `normal` too, so the words differ. */
const PROGRAMS_DE: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    LEVELS.flatMap((level) => Object.entries(ENDS_DE).map(([end, word]) => [level + end, `${modeWord(level, 'de')} (${word})`])),
  ),
  dynamicRegulationMode: 'Dynamische Regelung',
};

const KNOWN = new Set([...KNOWN_MODES, ...Object.keys(STATES_DE), ...Object.keys(PROGRAMS_DE)]);

/** True for a word of the platform that this catalogue has. */
export const isKnownState = (word: string): boolean => KNOWN.has(word);

/** Every mode and program of the catalogue. */
export const MODES_AND_PROGRAMS: readonly string[] = [...KNOWN_MODES, ...Object.keys(PROGRAMS_DE)];

const wordIn = (table: Readonly<Record<string, string>>, word: string): string | undefined =>
  Object.hasOwn(table, word) ? table[word] : undefined;

const germanWord = (word: string, kind: WordKind): string => {
  if (kind === 'ventilation' && word === 'standby') return STANDBY_DE;
  return (kind === 'state' ? wordIn(STATES_DE, word) : undefined) ?? wordIn(PROGRAMS_DE, word) ?? modeWord(word, 'de');
};

/**
 * What sensors show for these words of the platform, by word. English ones stay as they are: automations compare them. In German a word
 * that is not in the catalogue stays as it is, and two words never look the same: the second keeps the platform's word beside it.
 */
export const shownStates = (words: readonly string[], kind: WordKind, language: Language): ReadonlyMap<string, string> => {
  if (language === 'en') return new Map(words.map((word) => [word, word]));
  const unknown = words.filter((word) => !KNOWN.has(word));
  const taken = new Set(unknown);
  const shown = new Map(unknown.map((word) => [word, word]));
  for (const word of words) {
    if (shown.has(word)) continue;
    let german = germanWord(word, kind);
    while (taken.has(german)) german = `${german} (${word})`;
    taken.add(german);
    shown.set(word, german);
  }
  return new Map(words.map((word) => [word, shown.get(word) ?? word]));
};
