import type { Feature } from '../feature.ts';
import { choicesOf, limitsOf } from '../writings.ts';
import type { Composite, Features, Part } from './composite.ts';

export const WATER_MODE = 'heating.dhw.operating.modes.active';
export const WATER_TARGET = 'heating.dhw.temperature.main';
const SENSORS = ['heating.dhw.sensors.temperature.hotWaterStorage', 'heating.dhw.sensors.temperature.dhwCylinder'];

// The seven modes that all hubs support. Other modes stay only on their own property.
const WORDS: Readonly<Record<string, string>> = {
  off: 'off',
  eco: 'eco',
  efficient: 'eco',
  comfort: 'performance',
  balanced: 'performance',
  efficientWithMinComfort: 'high_demand',
};

/** All possible hot water modes. */
export const WATER_MODES: readonly string[] = [...new Set(Object.values(WORDS))];

/** The hub mode of each listed mode. `balanced` is `performance`, so `comfort` then needs another one. */
const wordsOf = (choices: readonly string[]): ReadonlyMap<string, string> => {
  const words = choices.includes('balanced') ? { ...WORDS, comfort: 'high_demand' } : WORDS;
  return new Map(Object.entries(words).filter(([mode]) => choices.includes(mode)));
};

/** The operating mode of the device for a hub mode. */
export const waterModeFor = (word: string, choices: readonly string[]): string | undefined =>
  [...wordsOf(choices)].find(([, one]) => one === word)?.[0];

/** The operating mode of a circuit. */
export const CIRCUIT_MODE = /^heating\.circuits\.\d+\.operating\.modes\.active$/u;

/** The operating modes of the circuits that also control the hot water. */
export const decidingCircuits = (features: Features): readonly Feature[] =>
  [...features.values()].filter((one) => CIRCUIT_MODE.test(one.name) && choicesOf(one, 'value').some((mode) => /dhw/iu.test(mode)));

/** On or off by the circuit modes that control hot water, else by `heating.dhw`; undefined if unknown. */
const sharedMode = (features: Features): string | undefined => {
  const modes = decidingCircuits(features).flatMap(({ properties }) => {
    const value = properties.get('value')?.value;
    return typeof value === 'string' ? [value] : [];
  });
  const isActive = features.get('heating.dhw')?.properties.get('active')?.value;
  if (modes.length === 0 && typeof isActive !== 'boolean') return undefined;
  const isOff = isActive === false || (modes.length > 0 && modes.every((mode) => mode === 'standby'));
  return isOff ? 'off' : 'performance';
};

/** The hot water; undefined if the device has neither its mode nor its target temperature. */
export const waterHeaterOf = (features: Features): Composite | undefined => {
  const parts = new Map<Part, string | number | undefined>();
  const mode = features.get(WATER_MODE);
  const present = mode?.properties.get('value')?.value;
  const listed = mode ? choicesOf(mode, 'value') : [];
  const choices = [...new Set([...listed, ...(typeof present === 'string' ? [present] : [])])];
  const words = wordsOf(choices);
  const modes = choices.flatMap((one) => words.get(one) ?? []);
  // If two modes map to one hub mode, it is ambiguous which one to write.
  const isInjective = new Set(modes).size === modes.length;
  // Without a list, any mode may occur.
  const hasWords = listed.length === 0 ? mode?.properties.has('value') === true : isInjective && modes.length > 0;
  const target = features.get(WATER_TARGET);
  const shared = mode?.properties.has('value') || !target?.properties.has('value') ? undefined : sharedMode(features);
  if (hasWords) parts.set('mode', typeof present === 'string' ? words.get(present) : undefined);
  else if (shared !== undefined) parts.set('mode', shared);
  const celsius = target?.properties.get('value')?.value;
  if (target?.properties.has('value')) parts.set('target', typeof celsius === 'number' ? celsius : undefined);
  if (parts.size === 0) return undefined;
  const sensors = SENSORS.flatMap((name) => features.get(name) ?? []);
  const current = sensors.map(({ properties }) => properties.get('value')?.value).find((value) => typeof value === 'number');
  if (sensors.some(({ properties }) => properties.size > 0)) parts.set('current', current);
  return {
    kind: 'water_heater',
    name: 'heating.dhw.water_heater',
    scope: 'heating.dhw',
    parts,
    modes: isInjective ? modes : [],
    presets: [],
    limits: (target && limitsOf(target, 'value')) ?? {},
  };
};
