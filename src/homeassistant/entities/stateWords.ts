import type { Language } from '../../language/language.ts';
import { NO_MODE } from '../../language/names/schedules.ts';
import { MODES_AND_PROGRAMS, shownStates, type WordKind } from '../../language/names/states.ts';
import * as template from '../templates.ts';

const ACTIVE = /(^|\.)operating\.(?:modes|programs)\.active$/;

const words = (text: string): readonly string[] => text.split(' ');

const VENTILATION = words(
  'standby standard ventilation permanent sensorDriven sensorOverride automatic silent levelOne levelTwo levelThree levelFour ' +
    'forcedLevelFour temporaryShutdown holiday off dynamicRegulationMode basic intensive reduced',
);
// `on` before `balanced`: both have the same word.
const MODES = [...new Set(['on', ...MODES_AND_PROGRAMS])];
const HEATING = MODES.filter((word) => !/level|sensor|vent|cycle|temp/i.test(word));
const FUEL_CELL = words('standby startup generation production maintenance heatControlled economical ecological off on ready unknown');
const ROOM_LEVELS = words('reduced normal comfort eco standby off fixed manual external levelOne levelTwo levelThree levelFour');

/** Known values of texts without a list, by feature and property; the first match counts. */
export const TEXTS: readonly (readonly [feature: RegExp, property: RegExp, kind: WordKind, words: readonly string[]])[] = [
  [/^ventilation\..*operating\.(?:modes|programs)\.active$/, /^(?:value|level|state)$/, 'ventilation', VENTILATION],
  [/^heating\.fuelCell\./, /^value$/, 'state', FUEL_CELL],
  [/^fht\.valve\.state$/, /^status$/, 'state', words('open closed unknown')],
  [ACTIVE, /^(?:value|level|state)$/, 'mode', HEATING],
  [
    /./,
    /^status$/,
    'state',
    words('connected notConnected error ok OK on off standby active inactive ready unknown init complete unlimitedAutonomous'),
  ],
  [/./, /^phase$/, 'state', words('off standby ready not-ready preparing heating cooling pause preparing-defrost defrost passive-defrost')],
  [/./, /^demand$/, 'state', words('heating cooling heatingCooling dhw ventilation energySaving none off unknown')],
  [
    /./,
    /^reason$/,
    'state',
    words('schedule eco summerEco openWindow holiday manual permanent standby sensorDriven sensorOverride silent unknown'),
  ],
  [/./, /^level$/, 'state', ROOM_LEVELS],
  [/./, /^modifier$/, 'state', words('none openWindow holiday eco summerEco manual')],
  [
    /(?:\.state|State|\.operating\.phase)$/,
    /^(?:state|value|currentValue|targetValue)$/,
    'state',
    words('standby off on heating cooling dhw defrost charge discharge production ready unknown'),
  ],
  [/^water\.valves\./, /^value$/, 'state', words('open closed on off unknown')],
];

/** The known words of a text without a list, and their meaning; undefined for names and serials. */
export const knownTexts = (
  feature: string,
  property: string,
): { readonly kind: WordKind; readonly words: readonly string[] } | undefined => {
  const row = TEXTS.find(([features, properties]) => features.test(feature) && properties.test(property));
  return row && { kind: row[2], words: row[3] };
};

/** The kind of the words in a property's list. */
export const kindOfWords = (feature: string): WordKind => (ACTIVE.test(feature) ? kindOfModes(feature) : 'state');

/** The kind of the modes of a schedule or of what it controls. For a fuel cell, standby is not "Off (frost protection)". */
export const kindOfModes = (feature: string): WordKind => {
  if (feature.startsWith('heating.fuelCell.')) return 'state';
  return feature.startsWith('ventilation') ? 'ventilation' : 'mode';
};

const choicesOf = (shown: ReadonlyMap<string, string>) => ({
  options: [...shown.values()],
  value_template: template.translated(template.CHOICE, shown),
});

/** An enum sensor with these words of the platform as options, in the language. */
export const choiceConfig = (choices: readonly string[], kind: WordKind, language: Language) => ({
  device_class: 'enum',
  ...choicesOf(shownStates(choices, kind, language)),
});

/** A select that shows other texts than the platform's words, but sends these words. */
export const selectConfig = (shown: ReadonlyMap<string, string>) => {
  const back = template.translatedBack(shown);
  return { ...choicesOf(shown), ...(back === undefined ? {} : { command_template: back }) };
};

// Home Assistant has an icon and a word in each language for these.
const PRESETS_OF_HUBS: ReadonlySet<string> = new Set(['comfort', 'eco']);

/** The preset names of a thermostat, by the platform's word. */
export const presetWords = (presets: readonly string[], language: Language): ReadonlyMap<string, string> =>
  new Map([...shownStates(presets, 'mode', language)].map(([word, text]) => [word, PRESETS_OF_HUBS.has(word) ? word : text]));

/** The sensor of a schedule's current or next mode: an enum if its modes are known. */
export const scheduleModeConfig = (member: 'now' | 'next', modes: readonly string[], kind: WordKind, language: Language) => {
  const shown = shownStates(modes.length === 0 ? MODES : modes, kind, language);
  const none = { inactive: NO_MODE.inactive[language], nothing: NO_MODE[member][language] };
  const value_template = template.scheduleMode(member, shown, none);
  return modes.length === 0
    ? { value_template }
    : { device_class: 'enum', options: [...new Set([...shown.values(), none.inactive, none.nothing])], value_template };
};

/** The template of a text without a list. */
export const textTemplate = (feature: string, property: string, language: Language): string => {
  const known = knownTexts(feature, property);
  return known ? template.translated(template.TEXT, shownStates(known.words, known.kind, language)) : template.TEXT;
};
