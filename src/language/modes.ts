import type { Language } from './language.ts';

/** The platform's words for modes, programs and levels, with the names of the vendor's app. */
const WORDS: Readonly<Record<string, Readonly<Record<Language, string>>>> = {
  // Modes and programs of circuits and rooms.
  reduced: { en: 'Reduced', de: 'Reduziert' },
  normal: { en: 'Normal', de: 'Normal' },
  comfort: { en: 'Comfort', de: 'Komfort' },
  eco: { en: 'Eco', de: 'Sparbetrieb' },
  fixed: { en: 'Fixed value', de: 'Festwert' },
  standby: { en: 'Off (frost protection)', de: 'Aus (Frostschutz)' },
  heating: { en: 'Heating', de: 'Heizen' },
  cooling: { en: 'Cooling', de: 'Kühlen' },
  heatingCooling: { en: 'Heating and cooling', de: 'Heizen und Kühlen' },
  dhw: { en: 'Hot water only', de: 'Nur Warmwasser' },
  dhwAndHeating: { en: 'Heating and hot water', de: 'Heizen und Warmwasser' },
  dhwAndHeatingCooling: { en: 'Heating, cooling, hot water', de: 'Heizen, Kühlen, Warmwasser' },
  forcedNormal: { en: 'Always normal', de: 'Dauernd normal' },
  forcedReduced: { en: 'Always reduced', de: 'Dauernd reduziert' },
  normalStandby: { en: 'Normal standby', de: 'Abschaltbetrieb' },
  external: { en: 'From outside', de: 'Extern vorgegeben' },
  manual: { en: 'By hand', de: 'Von Hand' },
  manualTillNextSchedule: { en: 'By hand until the next switching time', de: 'Von Hand bis zur nächsten Schaltzeit' },
  forcedLastFromSchedule: { en: 'Extend the last phase', de: 'Letzte Phase verlängern' },
  frostprotection: { en: 'Frost protection', de: 'Frostschutz' },
  summerEco: { en: 'Summer savings', de: 'Sommersparbetrieb' },
  screedDrying: { en: 'Screed drying', de: 'Estrichtrocknung' },
  party: { en: 'Party', de: 'Party' },
  holiday: { en: 'Holiday', de: 'Urlaub' },
  holidayAtHome: { en: 'Holiday at home', de: 'Urlaub zu Hause' },
  // Hot water.
  efficient: { en: 'Efficient', de: 'Effizient' },
  efficientWithMinComfort: { en: 'Efficient with minimum comfort', de: 'Effizient mit Mindestkomfort' },
  balanced: { en: 'On', de: 'Ein' },
  on: { en: 'On', de: 'Ein' },
  off: { en: 'Off', de: 'Aus' },
  top: { en: 'Top', de: 'Oben' },
  'temp-2': { en: 'Temperature 2', de: 'Temperatur 2' },
  '5/25-cycles': { en: '5 of 30 minutes', de: '5 von 30 Minuten' },
  '5/10-cycles': { en: '5 of 15 minutes', de: '5 von 15 Minuten' },
  oneTimeCharge: { en: 'Hot water once now', de: 'Einmalladung' },
  hygiene: { en: 'Hygiene heating', de: 'Hygienefunktion' },
  childLock: { en: 'Child lock', de: 'Kindersicherung' },
  // Ventilation.
  levelOne: { en: 'Level 1', de: 'Stufe 1' },
  levelTwo: { en: 'Level 2', de: 'Stufe 2' },
  levelThree: { en: 'Level 3', de: 'Stufe 3' },
  levelFour: { en: 'Level 4', de: 'Stufe 4' },
  standard: { en: 'Basic ventilation', de: 'Grundlüftung' },
  ventilation: { en: 'By the schedule', de: 'Nach Zeitplan' },
  permanent: { en: 'Fixed level', de: 'Feste Stufe' },
  sensorDriven: { en: 'By the sensor', de: 'Nach Sensor' },
  sensorOverride: { en: 'By the schedule and the sensor', de: 'Nach Zeitplan und Sensor' },
  automatic: { en: 'Automatic', de: 'Automatik' },
  silent: { en: 'Quiet', de: 'Leise' },
  forcedLevelFour: { en: 'Boost ventilation', de: 'Stoßlüften' },
  temporaryShutdown: { en: 'Pause', de: 'Pause' },
};

/** The name of a mode, program or level; an unknown one is shown unchanged. */
export const modeWord = (mode: string, language: Language): string => {
  const known = Object.hasOwn(WORDS, mode) ? WORDS[mode] : undefined;
  if (known) return known[language];
  // Rooms and newer devices use `normalHeating`.
  const [, level = ''] = /^(comfort|normal|reduced|eco)(?:Heating|Cooling|EnergySaving|CoolingEnergySaving)$/u.exec(mode) ?? [];
  return WORDS[level]?.[language] ?? (mode.trim() || '–');
};

/** Every word in the table. */
export const KNOWN_MODES: readonly string[] = Object.keys(WORDS);
