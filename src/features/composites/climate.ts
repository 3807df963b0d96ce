import type { Feature } from '../feature.ts';
import { choicesOf, type Limits, limitsOf } from '../propertyCommands.ts';
import { circuitAction, roomAction } from './action.ts';
import { MODES, modeFor, wordOf } from './climateMode.ts';
import { type Composite, type Features, type Part, type Recall, type Remembered, shownBy } from './composite.ts';
import { isActive, overrideOf, programInForce, programsOf, wordOfFeature } from './program.ts';

type Parts = Map<Part, string | number | undefined>;

const hasProperty = (features: Features, name: string, property = 'value'): boolean =>
  features.get(name)?.properties.has(property) === true;

/** The climate of a circuit, or of a room with a sensor; undefined where the device has nothing to make it of. */
export const climateOf = (features: Features, scope: string, recall: Recall): Composite | undefined => {
  const name = `${scope}.climate`;
  const remembered = recall(name);
  const isRoom = scope.startsWith('rooms.');
  const sensor = isRoom ? `${scope}.sensors.temperature` : `${scope}.sensors.temperature.room`;
  if (isRoom && !isConnected(features.get(sensor))) return undefined;
  const parts: Parts = new Map();
  const programs = programsOf(features, scope);
  const modes = noteMode(features, scope, remembered, parts);
  noteTarget(features, scope, programs, remembered, parts);
  if (!parts.has('mode') && !parts.has('target')) return undefined;
  const current = shownBy(features, sensor);
  if (typeof current === 'number' && isConnected(features.get(sensor))) parts.set('current', current);
  const presets = programs.filter(isPreset).map(({ name: one }) => wordOfFeature(one));
  if (presets.length > 0) parts.set('preset', presetOf(features, scope, programs));
  noteAction(features, scope, isRoom, parts);
  return { kind: 'climate', name, scope, parts, modes, presets: [...new Set(presets)], limits: widest(features, scope, programs) };
};

/** True for a sensor that is connected, with or without a value now. */
const isConnected = (sensor: Feature | undefined): boolean =>
  sensor !== undefined && sensor.properties.size > 0 && sensor.properties.get('status')?.value !== 'notConnected';

/** The name of the feature that holds the operating mode. */
export const modeFeature = (scope: string): string => `${scope}.operating.modes.active`;

const noteMode = (features: Features, scope: string, { auto }: Remembered, parts: Parts): readonly string[] => {
  const feature = features.get(modeFeature(scope));
  if (!feature?.properties.has('value')) return [];
  const word = wordOf(shownBy(features, feature.name));
  parts.set('mode', word);
  const choices = choicesOf(feature, 'value');
  return MODES.filter((one) => one === word || modeFor(one, choices, auto) !== undefined);
};

const noteTarget = (features: Features, scope: string, programs: readonly Feature[], remembered: Remembered, parts: Parts): void => {
  const isSettable = overrideOf(features, scope) !== undefined || programs.some(({ properties }) => properties.has('temperature'));
  if (isSettable) parts.set('target', programInForce(features, scope, remembered)?.temperature);
};

const noteAction = (features: Features, scope: string, isRoom: boolean, parts: Parts): void => {
  if (isRoom) {
    const state = `${scope}.operating.state`;
    if (hasProperty(features, state, 'demand')) parts.set('action', roomAction(shownBy(features, state, 'demand')));
    return;
  }
  const mode = parts.get('mode');
  const action = circuitAction(features, scope, typeof mode === 'string' ? mode : undefined);
  if (action !== undefined) parts.set('action', action);
};

/** True where the program can be started and ended by hand. */
export const isPreset = ({ commands }: Feature): boolean => commands.has('activate') && commands.has('deactivate');

/**
 * The program that was activated by hand: the one in force where it is such a program, else the first. A program that the week activates has
 * no executable `deactivate`.
 */
export const activatedOf = (features: Features, scope: string, programs: readonly Feature[]): Feature | undefined => {
  const all = programs.filter((program) => isPreset(program) && isActive(program) && program.commands.get('deactivate')?.isExecutable);
  const word = shownBy(features, `${scope}.operating.programs.active`);
  return all.find(({ name }) => wordOfFeature(name) === word) ?? all[0];
};

const presetOf = (features: Features, scope: string, programs: readonly Feature[]): string => {
  const activated = activatedOf(features, scope, programs);
  return activated ? wordOfFeature(activated.name) : 'none';
};

/** The widest limits of all programs that a target can be sent to, with the finest step. */
const widest = (features: Features, scope: string, programs: readonly Feature[]): Limits => {
  const override = overrideOf(features, scope);
  const all = [...programs.map((program) => limitsOf(program, 'temperature')), ...(override ? [limitsOf(override, undefined)] : [])];
  const numbers = (key: keyof Limits): number[] => all.flatMap((one) => one?.[key] ?? []);
  const [mins, maxs, steps] = [numbers('min'), numbers('max'), numbers('stepping')];
  return {
    ...(mins.length > 0 ? { min: Math.min(...mins) } : {}),
    ...(maxs.length > 0 ? { max: Math.max(...maxs) } : {}),
    ...(steps.length > 0 ? { stepping: Math.min(...steps) } : {}),
  };
};
