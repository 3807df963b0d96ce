import type { Feature } from '../feature.ts';
import { choicesOf, type Limits, limitsOf } from '../writings.ts';
import { circuitAction, roomAction } from './action.ts';
import { MODES, modeFor, wordOf } from './climateMode.ts';
import { type Composite, type Features, type Part, type Recall, shownBy } from './composite.ts';
import { isActive, overrideOf, programInForce, programsOf, wordOfFeature } from './program.ts';

/** The climate of a circuit, or of a room with a sensor; undefined if the features are missing. */
export const climateOf = (features: Features, scope: string, recall: Recall): Composite | undefined => {
  const name = `${scope}.climate`;
  const remembered = recall(name);
  const isRoom = scope.startsWith('rooms.');
  const sensor = features.get(isRoom ? `${scope}.sensors.temperature` : `${scope}.sensors.temperature.room`);
  if (isRoom && !isConnected(sensor)) return undefined;
  const parts = new Map<Part, string | number | undefined>();
  const feature = features.get(modeFeature(scope));
  const mode = wordOf(feature?.properties.get('value')?.value);
  if (feature?.properties.has('value')) parts.set('mode', mode);
  const programs = programsOf(features, scope);
  const override = overrideOf(features, scope);
  const isSettable = override !== undefined || programs.some(({ properties }) => properties.has('temperature'));
  if (isSettable) parts.set('target', programInForce(features, scope, remembered)?.temperature);
  if (parts.size === 0) return undefined;
  const current = sensor?.properties.get('value')?.value;
  if (typeof current === 'number' && isConnected(sensor)) parts.set('current', current);
  const presets = new Set(programs.filter(isPreset).map((program) => wordOfFeature(program.name)));
  const activated = activatedOf(features, scope, programs);
  if (presets.size > 0) parts.set('preset', activated ? wordOfFeature(activated.name) : 'none');
  const demand = isRoom ? features.get(`${scope}.operating.state`)?.properties.get('demand') : undefined;
  const action = isRoom ? roomAction(demand?.value) : circuitAction(features, scope, mode);
  if (demand || action !== undefined) parts.set('action', action);
  const choices = feature ? choicesOf(feature, 'value') : [];
  const modes = parts.has('mode') ? MODES.filter((one) => one === mode || modeFor(one, choices, remembered.auto) !== undefined) : [];
  return { kind: 'climate', name, scope, parts, modes, presets: [...presets], limits: widest(programs, override) };
};

/** True for a connected sensor, with or without a current value. */
const isConnected = (sensor: Feature | undefined): boolean =>
  sensor !== undefined && sensor.properties.size > 0 && sensor.properties.get('status')?.value !== 'notConnected';

/** The feature with the operating mode. */
export const modeFeature = (scope: string): string => `${scope}.operating.modes.active`;

/** True if a person can start and end the program. */
export const isPreset = ({ commands }: Feature): boolean => commands.has('activate') && commands.has('deactivate');

/**
 * The manually activated program: the current one if it was started by hand, else the first. A program that
 * the week activates has no executable `deactivate`.
 */
export const activatedOf = (features: Features, scope: string, programs: readonly Feature[]): Feature | undefined => {
  const all = programs.filter((program) => isPreset(program) && isActive(program) && program.commands.get('deactivate')?.isExecutable);
  const word = shownBy(features, `${scope}.operating.programs.active`);
  return all.find(({ name }) => wordOfFeature(name) === word) ?? all[0];
};

/** The widest limits of all programs that accept a target, with the finest step. */
const widest = (programs: readonly Feature[], override: Feature | undefined): Limits => {
  const all = [...programs.map((program) => limitsOf(program, 'temperature')), ...(override ? [limitsOf(override, undefined)] : [])];
  const extreme = (key: keyof Limits, pick: (...all: number[]) => number): number | undefined => {
    const numbers = all.flatMap((one) => one?.[key] ?? []);
    return numbers.length > 0 ? pick(...numbers) : undefined;
  };
  return { min: extreme('min', Math.min), max: extreme('max', Math.max), stepping: extreme('stepping', Math.min) };
};
