import type { Language } from '../language.ts';
import { germanToken } from './tokensDe.ts';

type Pair = readonly [en: string, de: string];

/** Whole levels and property names, before the split. An empty text omits a level without meaning. */
const LEVELS: Readonly<Record<string, Pair>> = {
  actors: ['actuators', 'Aktoren'],
  airQuality: ['air quality', 'Luftqualität'],
  airPressureMonitor: ['air pressure monitor', 'Luftdruckwächter'],
  basic: ['minimum', 'Mindestlüftung'],
  comfortEnergySaving: ['comfort energy saving', 'Komfort Energiesparen'],
  comfortCoolingEnergySaving: ['comfort cooling energy saving', 'Komfort Kühlen Energiesparen'],
  defaultDuration: ['default duration', 'voreingestellte Dauer'],
  defaultLimit: ['default limit', 'voreingestellte Grenze'],
  defaultRuntime: ['default runtime', 'voreingestellte Laufzeit'],
  errorCode: ['error code', 'Fehlercode'],
  errorDetails: ['error details', 'Fehlerbeschreibung'],
  errorStatus: ['error status', 'Fehlerstatus'],
  filterChange: ['filter change', 'Filterwechsel'],
  fourThreeWay: ['four/three-way', '4/3-Wege'],
  heatingCooling: ['heating cooling', 'Heizen und Kühlen'],
  heatExchanger: ['heat exchanger', 'Wärmetauscher'],
  heatingRod: ['heating rod', 'Heizstab'],
  intensive: ['intensive', 'Intensivlüftung'],
  isCommandExecutable: ['available', 'verfügbar'],
  maxReduced: ['maximum reduced', 'maximal'],
  maximumLimit: ['maximum limit', 'obere Grenze'],
  minimumLimit: ['minimum limit', 'untere Grenze'],
  normalEnergySaving: ['normal energy saving', 'Normal Energiesparen'],
  normalCoolingEnergySaving: ['normal cooling energy saving', 'Normal Kühlen Energiesparen'],
  reducedEnergySaving: ['reduced energy saving', 'Reduziert Energiesparen'],
  reducedCoolingEnergySaving: ['reduced cooling energy saving', 'Reduziert Kühlen Energiesparen'],
  roomInfluenceFactor: ['room influence', 'Raumeinfluss'],
  screedDrying: ['screed drying', 'Estrichtrocknung'],
  useApproved: ['allowed', 'erlaubt'],
  volumeFlow: ['volume flow', 'Volumenstrom'],
  volumetricFlow: ['volumetric flow', 'Volumenstrom'],
  co: ['carbon monoxide', 'Kohlenmonoxid'],
  co2: ['CO2', 'CO2'],
  currentDay: ['today', 'heute'],
  currentMonth: ['this month', 'diesen Monat'],
  currentWeek: ['this week', 'diese Woche'],
  currentYear: ['this year', 'dieses Jahr'],
  day: ['by day', 'nach Tagen'],
  dayValueReadAt: ['by day read at', 'nach Tagen, gelesen am'],
  dhwAndHeating: ['hot water and heating', 'Heizen und Warmwasser'],
  dhwAndHeatingCooling: ['hot water, heating and cooling', 'Heizen, Kühlen und Warmwasser'],
  dhwCylinder: ['cylinder', 'Speicher'],
  efficientWithMinComfort: ['efficient with minimum comfort', 'Effizient mit Mindestkomfort'],
  entries: ['', ''],
  finedust: ['fine dust', 'Feinstaub'],
  forcedLastFromSchedule: ['extension of the last phase', 'Verlängerung der letzten Phase'],
  forcedLevelFour: ['forced level 4', 'Stoßlüften'],
  forcedNormal: ['always normal', 'dauernd normal'],
  forcedReduced: ['always reduced', 'dauernd reduziert'],
  frostprotection: ['frost protection', 'Frostschutz'],
  holidayAtHome: ['holiday at home', 'Urlaub zu Hause'],
  hotWaterStorage: ['storage', 'Speicher'],
  hours: ['operating hours', 'Betriebsstunden'],
  hoursLoadClassOne: ['hours in load class 1', 'Stunden in Lastklasse 1'],
  hoursLoadClassTwo: ['hours in load class 2', 'Stunden in Lastklasse 2'],
  hoursLoadClassThree: ['hours in load class 3', 'Stunden in Lastklasse 3'],
  hoursLoadClassFour: ['hours in load class 4', 'Stunden in Lastklasse 4'],
  hoursLoadClassFive: ['hours in load class 5', 'Stunden in Lastklasse 5'],
  lifeCycle: ['in its lifetime', 'gesamte Lebensdauer'],
  lastMonth: ['last month', 'letzten Monat'],
  lastSevenDays: ['last seven days', 'letzte sieben Tage'],
  lastWeek: ['last week', 'letzte Woche'],
  lastYear: ['last year', 'letztes Jahr'],
  levelOne: ['level 1', 'Stufe 1'],
  levelTwo: ['level 2', 'Stufe 2'],
  levelThree: ['level 3', 'Stufe 3'],
  levelFour: ['level 4', 'Stufe 4'],
  load: ['', ''],
  manualTillNextSchedule: ['manual until the next change', 'Hand bis zur nächsten Schaltzeit'],
  month: ['by month', 'nach Monaten'],
  monthValueReadAt: ['by month read at', 'nach Monaten, gelesen am'],
  normalStandby: ['normal standby', 'Abschaltbetrieb'],
  oneTimeCharge: ['one-time charge', 'Einmalladung'],
  organicComponent: ['organic compounds', 'organische Stoffe'],
  pm1: ['PM1', 'PM1'],
  pm10: ['PM10', 'PM10'],
  pm2d5: ['PM2.5', 'PM2,5'],
  raw: ['', ''],
  sensorDriven: ['by sensor', 'nach Sensor'],
  sensorOverride: ['by schedule and sensor', 'nach Zeitplan und Sensor'],
  sensors: ['', ''],
  standard: ['basic', 'Grundlüftung'],
  statistics: ['', ''],
  summary: ['', ''],
  summerEco: ['summer savings', 'Sommersparbetrieb'],
  temporaryShutdown: ['pause', 'Pause'],
  value: ['', ''],
  week: ['by week', 'nach Wochen'],
  weekValueReadAt: ['by week read at', 'nach Wochen, gelesen am'],
  year: ['by year', 'nach Jahren'],
  yearValueReadAt: ['by year read at', 'nach Jahren, gelesen am'],
};

/** English words for single tokens that are hard to read unchanged. */
const ENGLISH: Readonly<Record<string, string>> = {
  actor: 'actuator',
  co: 'CO',
  condensors: 'condensers',
  cop: 'COP',
  dhw: 'hot water',
  ean: 'EAN',
  fht: 'floor thermostat',
  heatpump: 'heat pump',
  id: 'ID',
  lqi: 'link quality',
  max: 'maximum',
  min: 'minimum',
  rx: 'reception',
  scop: 'SCOP',
  selftest: 'self-test',
  spf: 'SPF',
  tcu: 'TCU',
  trv: 'radiator thermostat',
  tx: 'transmission',
  wifi: 'Wi-Fi',
};

// Platform names are ASCII, and Unicode classes take milliseconds at first use.
const ASCII = /^[ -~]*$/;
const ASCII_TOKEN = /[A-Z]{2,}(?![a-z])|[A-Z]?[a-z]+|[A-Z]|\d+/g;
const TOKEN = /\p{Lu}{2,}(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|\p{Lu}|\p{N}+/gu;

const own = <Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined;

const tokensOf = (level: string): readonly string[] => level.match(ASCII.test(level) ? ASCII_TOKEN : TOKEN) ?? [];

const isAbbreviation = (token: string): boolean => token.length > 1 && token === token.toUpperCase() && token !== token.toLowerCase();

/** A level as words: `mainECU` is "main ECU", `dhwAndHeating` "hot water and heating". Others: only split. */
export const levelWords = (level: string, language: Language): string => {
  const whole = own(LEVELS, level);
  if (whole) return whole[language === 'en' ? 0 : 1];
  const known = (token: string): string | undefined => (language === 'en' ? own(ENGLISH, token) : germanToken(token));
  return tokensOf(level)
    .map((token) => known(token.toLowerCase()) ?? (isAbbreviation(token) ? token : token.toLowerCase()))
    .join(' ');
};

/** The tokens of a level without a German word, except numbers and abbreviations. */
export const tokensWithoutGerman = (level: string): readonly string[] =>
  own(LEVELS, level) ? [] : tokensOf(level).filter((one) => /\p{Ll}|^\p{L}$/u.test(one) && germanToken(one.toLowerCase()) === undefined);
