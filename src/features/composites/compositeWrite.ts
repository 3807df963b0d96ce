import { nearestWords } from '../../shared/closestMatch.ts';
import { broken, type Issue } from '../../shared/issue.ts';
import type { Command, Feature, Json } from '../feature.ts';
import { filling, isSame } from '../propertyCommands.ts';
import { nearestStep } from '../valueRules.ts';
import { choicesOf, writableProperties } from '../writings.ts';
import { activatedOf, isPreset, modeFeature } from './climate.ts';
import { MODES, modeFor } from './climateMode.ts';
import type { Composite, Features, Part, Remembered } from './composite.ts';
import { isActive, overrideOf, programInForce, programsOf, wordOfFeature } from './program.ts';
import { decidingCircuits, WATER_MODE, WATER_TARGET, waterModeFor } from './waterHeater.ts';

/** How a value of a composite is written. */
export type Route =
  /** The value is already set; `feature` shows it. */
  | { readonly kind: 'unchanged'; readonly feature: Feature | undefined }
  /** A property of a feature is written. */
  | { readonly kind: 'property'; readonly feature: Feature; readonly property: string; readonly value: Json }
  /** A command gets a temperature (°C) that its feature does not show. */
  | {
      readonly kind: 'temperature';
      readonly feature: Feature;
      readonly command: Command;
      readonly args: Readonly<Record<string, Json>>;
      /** Parameters besides the temperature, with their current values or defaults. */
      readonly filled: readonly string[];
      readonly temperature: number;
    }
  | {
      readonly kind: 'refused';
      readonly code: 'invalid' | 'not_writable';
      readonly message: string;
      readonly errors?: readonly Issue[];
      readonly instead?: { readonly what: string; readonly use: readonly string[] };
    };

/** How a part of a composite is written in the current device state. Temperatures are in °C. */
export const routeOf = (features: Features, composite: Composite, part: Part, value: string | number, remembered: Remembered): Route => {
  if (composite.kind === 'water_heater') return waterRoute(features, composite, part, value);
  if (part === 'target' && typeof value === 'number') return targetRoute(features, composite, value, remembered);
  if (part === 'mode' && typeof value === 'string') return modeRoute(features, composite, value, remembered);
  if (part === 'preset' && typeof value === 'string') return presetRoute(features, composite, value);
  return readOnly(composite, part);
};

/** The features whose state determines the route. */
export const decidersOf = ({ scope, kind }: Composite, part: Part, features: Features): readonly string[] => {
  const overriding = part === 'target' ? overrideOf(features, scope)?.name : undefined;
  const names = [`${scope}.operating.programs.active`, `${scope}.operating.state`, ...(overriding === undefined ? [] : [overriding])];
  return kind === 'climate' && part !== 'mode' ? names.filter((name) => (features.get(name)?.properties.size ?? 0) > 0) : [];
};

/** `others`: the features to write instead of the composite. */
const readOnly = ({ name, parts }: Composite, part: Part, others: readonly string[] = []): Route => {
  const own = [...parts.keys()].filter((one) => one !== 'current' && one !== 'action' && one !== part).map((one) => `${one}/set`);
  const settable = others.length > 0 ? others : own;
  const instead = { what: `${name}.${part}`, use: settable };
  return { kind: 'refused', code: 'not_writable', message: `${part} of ${name} cannot be written; use ${settable.join(', ')}`, instead };
};

const notAmong = (value: string, words: readonly string[], what: string): Route => {
  const message = `${value} is not one of ${words.join(', ')}, the ${what} of this device`;
  const errors = [broken('enum', '', message, { got: value, allowed: words, nearest: nearestWords(value, words) })];
  return { kind: 'refused', code: 'invalid', message, errors };
};

const modeRoute = (features: Features, { scope, parts, modes }: Composite, value: string, { auto }: Remembered): Route => {
  const feature = features.get(modeFeature(scope));
  if (parts.get('mode') === value || !feature) return { kind: 'unchanged', feature };
  const word = MODES.find((one) => one === value);
  const written = word && modeFor(word, choicesOf(feature, 'value'), auto);
  return written === undefined ? notAmong(value, modes, 'modes') : { kind: 'property', feature, property: 'value', value: written };
};

const presetRoute = (features: Features, { scope, parts, presets }: Composite, value: string): Route => {
  const programs = programsOf(features, scope);
  const activated = activatedOf(features, scope, programs);
  if (parts.get('preset') === value) return { kind: 'unchanged', feature: activated };
  if (value === 'none')
    return activated
      ? { kind: 'property', feature: activated, property: 'active', value: false }
      : { kind: 'unchanged', feature: undefined };
  const feature = programs.find((one) => isPreset(one) && wordOfFeature(one.name) === value);
  if (!feature) return notAmong(value, ['none', ...presets], 'presets');
  const target = parts.get('target');
  // A program that needs an initial temperature gets the current target.
  const byTemperature = !isActive(feature) && typeof target === 'number' ? temperatureRoute(feature, target) : undefined;
  return byTemperature ?? { kind: 'property', feature, property: 'active', value: true };
};

const targetRoute = (features: Features, { scope, parts }: Composite, value: number, remembered: Remembered): Route => {
  const inForce = programInForce(features, scope, remembered);
  const shown = parts.get('target');
  if (shown !== undefined && isSame(shown, value)) return { kind: 'unchanged', feature: inForce?.feature };
  const override = overrideOf(features, scope);
  const overriding = override && temperatureRoute(override, value);
  if (overriding) return stays(overriding, shown);
  const feature = inForce?.feature;
  if (feature && writableProperties(feature).includes('temperature')) return { kind: 'property', feature, property: 'temperature', value };
  const own = feature && temperatureRoute(feature, value);
  if (own) return stays(own, shown);
  const settable = programsOf(features, scope).filter((one) => writableProperties(one).includes('temperature'));
  const others = settable.length > 0 ? `; those that have one: ${settable.map(({ name }) => wordOfFeature(name)).join(', ')}` : '';
  const program = inForce ? `the program ${inForce.word}, which is in force,` : 'the program in force';
  return { kind: 'refused', code: 'not_writable', message: `${program} has no temperature that can be set${others}` };
};

/** After rounding to a step, the value may equal the current one. */
const stays = (route: Route & { readonly kind: 'temperature' }, shown: string | number | undefined): Route =>
  shown !== undefined && isSame(shown, route.temperature) ? { kind: 'unchanged', feature: route.feature } : route;

/** The required temperature parameter. */
const temperatureOf = ({ params }: Command): string | undefined =>
  [...params].find(([name, { type, required }]) => type === 'number' && required && /temperature$/iu.test(name))?.[0];

/** The command that sets a temperature which the feature does not show. */
const temperatureRoute = (feature: Feature, celsius: number): (Route & { readonly kind: 'temperature' }) | undefined => {
  // A shown temperature is a normal property.
  if (feature.properties.get('temperature')?.type === 'number') return undefined;
  // `activate` if the program is not active, else a command that changes it.
  const names = isActive(feature) ? ['setTemperature', 'activate'] : ['activate'];
  const commands = names.flatMap((name) => feature.commands.get(name) ?? []).filter(({ isExecutable }) => isExecutable);
  const command = commands.find((one) => temperatureOf(one) !== undefined);
  const param = command && temperatureOf(command);
  if (!command || param === undefined) return undefined;
  const temperature = nearestStep(command.params.get(param)?.constraints ?? {}, celsius);
  const args: Record<string, Json> = {};
  for (const [name, { required }] of command.params) {
    const value = name === param ? temperature : required ? filling(feature, name, undefined) : undefined;
    if (value === undefined && required) return undefined;
    if (value !== undefined) args[name] = value;
  }
  const filled = Object.keys(args).filter((name) => name !== param);
  return { kind: 'temperature', feature, command, args, filled, temperature };
};

const waterRoute = (features: Features, composite: Composite, part: Part, value: string | number): Route => {
  const mode = features.get(WATER_MODE);
  const target = features.get(WATER_TARGET);
  if (part === 'target' && target && typeof value === 'number') return { kind: 'property', feature: target, property: 'value', value };
  const shown = mode ?? target;
  if (part === 'mode' && shown && composite.parts.get('mode') === value) return { kind: 'unchanged', feature: shown };
  if (part !== 'mode' || typeof value !== 'string') return readOnly(composite, part);
  // Without its own mode, the hot water shows a mode that the circuits determine.
  if (!mode)
    return readOnly(
      composite,
      part,
      decidingCircuits(features).map(({ name }) => name),
    );
  const written = waterModeFor(value, choicesOf(mode, 'value'));
  if (written === undefined) return notAmong(value, composite.modes, 'modes');
  return { kind: 'property', feature: mode, property: 'value', value: written };
};
