import type { Language } from '../language.ts';
import { KNOWN_MODES, modeWord } from '../modes.ts';

/** The meaning of a word: a mode or program of the heating or ventilation, or a state. */
export type WordKind = 'mode' | 'ventilation' | 'state';

type Words = Readonly<Record<Language, string>>;

// For a circuit, standby is a user's choice and has another name.
const STANDBY: Words = { en: 'Standby', de: 'Standby' };

/** Programs of ventilation that the page does not set; `standby` is no frost protection there. */
const VENTILATION: Readonly<Record<string, Words>> = {
  standby: STANDBY,
  basic: { en: 'Minimum ventilation', de: 'Mindestlüftung' },
  intensive: { en: 'Intensive ventilation', de: 'Intensivlüftung' },
};

// A select of Home Assistant reads it as unknown, in capitals too.
const NONE = /^none$/i;
const NOTHING: Words = { en: 'Nothing', de: 'Nichts' };

/** States of machines, sensors and rooms. Others have the name of the equal mode. */
const STATES: Readonly<Record<string, Words>> = {
  // Sensors and connections.
  connected: { en: 'Connected', de: 'Verbunden' },
  notConnected: { en: 'Not connected', de: 'Nicht verbunden' },
  error: { en: 'Error', de: 'Fehler' },
  ok: { en: 'All right', de: 'In Ordnung' },
  OK: { en: 'OK', de: 'OK' },
  active: { en: 'Active', de: 'Aktiv' },
  inactive: { en: 'Inactive', de: 'Inaktiv' },
  unknown: { en: 'Unknown', de: 'Unbekannt' },
  none: NOTHING,
  init: { en: 'Preparing', de: 'Wird vorbereitet' },
  complete: { en: 'Complete', de: 'Abgeschlossen' },
  unlimitedAutonomous: { en: 'Without limit', de: 'Ohne Begrenzung' },
  // Compressors and burners.
  standby: STANDBY,
  ready: { en: 'Ready', de: 'Betriebsbereit' },
  'not-ready': { en: 'Not ready', de: 'Nicht betriebsbereit' },
  preparing: { en: 'Preparing', de: 'Wird vorbereitet' },
  'preparing-defrost': { en: 'Preparing to defrost', de: 'Abtauen wird vorbereitet' },
  defrost: { en: 'Defrosting', de: 'Abtauen' },
  'passive-defrost': { en: 'Passive defrosting', de: 'Passives Abtauen' },
  pause: { en: 'Pause', de: 'Pause' },
  // Demands and their reasons.
  dhw: { en: 'Hot water', de: 'Warmwasser' },
  ventilation: { en: 'Ventilation', de: 'Lüften' },
  energySaving: { en: 'Saving energy', de: 'Energiesparen' },
  schedule: { en: 'Schedule', de: 'Zeitplan' },
  openWindow: { en: 'Open window', de: 'Fenster offen' },
  sensorDriven: { en: 'Sensor', de: 'Sensor' },
  sensorOverride: { en: 'Sensor instead of schedule', de: 'Sensor statt Zeitplan' },
  charge: { en: 'Charging', de: 'Laden' },
  discharge: { en: 'Discharging', de: 'Entladen' },
  production: { en: 'Production', de: 'Erzeugung' },
  // Fuel cells.
  startup: { en: 'Starting up', de: 'Startet' },
  generation: { en: 'Generating', de: 'Stromerzeugung' },
  maintenance: { en: 'Maintenance', de: 'Wartung' },
  heatControlled: { en: 'By heat demand', de: 'Wärmegeführt' },
  economical: { en: 'Economical', de: 'Wirtschaftlich' },
  ecological: { en: 'Ecological', de: 'Ökologisch' },
  // Valves.
  open: { en: 'Open', de: 'Offen' },
  closed: { en: 'Closed', de: 'Geschlossen' },
  normallyClosed: { en: 'Closed without power', de: 'Stromlos geschlossen' },
  normallyOpened: { en: 'Open without power', de: 'Stromlos offen' },
  // Room types.
  bathroom: { en: 'Bathroom', de: 'Bad' },
  bedroom: { en: 'Bedroom', de: 'Schlafzimmer' },
  hallway: { en: 'Hallway', de: 'Flur' },
  livingroom: { en: 'Living room', de: 'Wohnzimmer' },
  kitchen: { en: 'Kitchen', de: 'Küche' },
  office: { en: 'Office', de: 'Arbeitszimmer' },
  nursery: { en: 'Nursery', de: 'Kinderzimmer' },
  toilet: { en: 'Toilet', de: 'WC' },
  other: { en: 'Other room', de: 'Sonstiger Raum' },
};

const LEVELS = ['reduced', 'normal', 'comfort', 'eco'];
const ENDS: Readonly<Record<string, Words>> = {
  Heating: { en: 'heating', de: 'Heizen' },
  Cooling: { en: 'cooling', de: 'Kühlen' },
  EnergySaving: { en: 'saving energy', de: 'Energiesparen' },
  CoolingEnergySaving: { en: 'cooling, saving energy', de: 'Kühlen, Energiesparen' },
};
/** Newer devices name a program by its purpose: `normalHeating`. Sensors show `normal`, so words differ. */
const PROGRAMS: Readonly<Record<string, Words>> = {
  ...Object.fromEntries(
    LEVELS.flatMap((level) =>
      Object.entries(ENDS).map(([end, { en, de }]) => [
        level + end,
        { en: `${modeWord(level, 'en')} (${en})`, de: `${modeWord(level, 'de')} (${de})` },
      ]),
    ),
  ),
  dynamicRegulationMode: { en: 'Dynamic control', de: 'Dynamische Regelung' },
};

/** The platform words in this catalogue. */
export const KNOWN_STATES: ReadonlySet<string> = new Set([
  ...KNOWN_MODES,
  ...[STATES, PROGRAMS, VENTILATION].flatMap((table) => Object.keys(table)),
]);

/** Every mode and program of the catalogue. */
export const MODES_AND_PROGRAMS: readonly string[] = [...KNOWN_MODES, ...Object.keys(PROGRAMS)];

const wordsIn = (table: Readonly<Record<string, Words>>, word: string): Words | undefined =>
  Object.hasOwn(table, word) ? table[word] : undefined;

const wordFor = (word: string, kind: WordKind, language: Language): string => {
  if (NONE.test(word)) return NOTHING[language];
  const own = { state: STATES, ventilation: VENTILATION, mode: PROGRAMS }[kind];
  const words = wordsIn(own, word) ?? wordsIn(PROGRAMS, word);
  return words?.[language] ?? modeWord(word, language);
};

/**
 * The displayed text for each platform word. A word that is not in the catalogue stays unchanged, and no two
 * texts are equal: the second has the platform's word added.
 */
export const shownStates = (words: readonly string[], kind: WordKind, language: Language): ReadonlyMap<string, string> => {
  const unknown = words.filter((word) => !KNOWN_STATES.has(word) && !NONE.test(word));
  const taken = new Set(unknown);
  const shown = new Map(unknown.map((word) => [word, word]));
  for (const word of words) {
    if (shown.has(word)) continue;
    let text = wordFor(word, kind, language);
    while (taken.has(text)) text = `${text} (${word})`;
    taken.add(text);
    shown.set(word, text);
  }
  return new Map(words.map((word) => [word, shown.get(word) ?? word]));
};
