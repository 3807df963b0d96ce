import { expect, it } from 'vitest';
import { makeComposites } from '../../../../../src/bridge/state/composites.ts';
import { DeviceState } from '../../../../../src/bridge/state/deviceState.ts';
import { evaluate } from '../../../../../src/bridge/writes/parse/evaluate.ts';
import { parseCommand } from '../../../../../src/bridge/writes/parse/parseCommand.ts';
import { parseCompositeWrite } from '../../../../../src/bridge/writes/parse/parseCompositeWrite.ts';
import { readRequestedEnd } from '../../../../../src/bridge/writes/parse/parseEnd.ts';
import type { ParsedWrite } from '../../../../../src/bridge/writes/parse/resolveWrite.ts';
import { targetResolver } from '../../../../../src/bridge/writes/request/commandTarget.ts';
import type { Feature } from '../../../../../src/features/feature.ts';
import type { Offering } from '../../../../../src/homeassistant/entities/entity.ts';
import { widened } from '../../../../../src/homeassistant/widen.ts';
import { readCommandTopic } from '../../../../../src/topics/topicNames.ts';
import { allDevices, expectFound } from '../../../../support/devices/deviceFiles.ts';
import { deviceDocument } from '../../../../support/devices/onePage.ts';
import { shownBy } from '../../../../support/devices/shownStates.ts';
import { keyedStore } from '../../../../support/system/keptInMemory.ts';

/** Whatever a hub can send by an entity that it is offered has to be taken, where the platform takes the command at all. */

const WHERE = { base: 'b', prefix: 'homeassistant', version: '1' };
const DEVICE = { name: 'home', installation: '1', gateway: '1', device: '0', features: ['*'], exclude: [] };
const RULES = { allow: ['*'], deny: ['*/remove*', '*/add*', '*/move*'], per_hour: 60 };
const OFFERING: Offering = {
  language: 'en',
  profiles: [],
  isAllowed: (_: string, command: string) => !/^(?:remove|add|move)/.test(command),
};

type Component = Readonly<Record<string, unknown>>;
type Sending = readonly [topic: unknown, payload: string];

const plain = (value: number): string => String(Number(value.toFixed(6)));
/** Each of a list, as the template of the command sends it. */
const each = (topic: unknown, list: unknown, template?: unknown): Sending[] =>
  Array.isArray(list) ? list.map((one) => [topic, shownBy(String(template), String(one))] as const) : [];
const between = (topic: unknown, min: unknown, max: unknown, step: unknown): Sending[] =>
  typeof min === 'number' && typeof max === 'number'
    ? [min, max, Math.min(max, min + (typeof step === 'number' ? step : 1))].map((value) => [topic, plain(value)] as const)
    : [];

/** What the hub can send by a component; texts are another matter, since only the platform's rules say which. */
const sendings = (component: Component): readonly Sending[] => {
  const { platform, command_topic: topic } = component;
  const all: Sending[] = [
    ...each(component.mode_command_topic, component.modes),
    ...each(component.preset_mode_command_topic, component.preset_modes, component.preset_mode_command_template),
    ...between(component.temperature_command_topic, component.min_temp, component.max_temp, component.temp_step),
  ];
  if (platform === 'number') all.push(...between(topic, component.min, component.max, component.step));
  if (platform === 'select') all.push(...each(topic, component.options, component.command_template));
  if (platform === 'switch') all.push([topic, 'true'], [topic, 'false']);
  if (platform === 'button') all.push([topic, String(component.payload_press)]);
  // Undo depends on what was written before.
  return all.filter(([to]) => typeof to === 'string' && !to.endsWith('/undo/set'));
};

const executable = (feature: Feature): Feature => ({
  ...feature,
  commands: new Map([...feature.commands].map(([name, command]) => [name, { ...command, isExecutable: true }])),
});

const composites = makeComposites(keyedStore());

/** `send`, `unchanged`, or the code and sentence of the refusal. */
const outcomeOf = (state: DeviceState, topic: string, text: string): string => {
  const address = readCommandTopic(WHERE.base, topic);
  if (address?.kind !== 'set' && address?.kind !== 'call') return 'no command topic';
  const target = targetResolver({ base: WHERE.base, states: new Map([[address.device, state]]), composites })(address);
  let write: ParsedWrite;
  if (target.kind === 'composite') write = parseCompositeWrite(composites, target, text);
  else {
    if (target.kind !== 'feature') return target.kind;
    if (target.leaf === 'until') return readRequestedEnd(text, { nowMs: 0, zone: 'UTC' }).ok ? 'send' : 'invalid';
    const understood = parseCommand(address, target.record, target.leaf, text);
    if (!understood.ok) return `${understood.refusal.code} ${understood.refusal.message}`;
    write = understood.write;
  }
  const chosen = 'choose' in write ? write.choose(state) : ({ kind: 'write', write } as const);
  if (chosen?.kind === 'refused') return `${chosen.refusal.code} ${chosen.refusal.message}`;
  const feature = chosen?.kind === 'write' ? state.shown(chosen.write.feature) : undefined;
  if (chosen?.kind !== 'write' || !feature) return chosen?.kind ?? 'nothing';
  const decision = evaluate(chosen.write, feature, RULES, 0);
  return decision.kind === 'reject' ? `${decision.code} ${decision.message}` : decision.kind;
};

/** What only the moment decides: a program in force without a temperature, a room's manual mode of which nothing tells how long. */
const BY_THE_MOMENT =
  /^not_writable the program \w+, which is in force, has no temperature|^incomplete activate of rooms\.\d+\.quickmodes\.manual needs /;

/** Home Assistant offers each mode that hot water can show, also where the circuits decide about it: the answer says so. */
const BY_THE_CIRCUITS = /^not_writable mode of heating\.dhw\.water_heater cannot be written; use heating\.circuits\.\d+\.operating/;

const refusedOf = (features: readonly Feature[]): { readonly tried: number; readonly refused: readonly string[] } => {
  const state = new DeviceState(DEVICE);
  for (const feature of features.map(executable)) state.take(feature, 0);
  const offered = features.map((feature) => widened(undefined, feature));
  const components: Record<string, Component> = JSON.parse(deviceDocument(WHERE, DEVICE, offered, OFFERING).payload).components;
  const all = Object.values(components).flatMap(sendings);
  const refused = all.flatMap(([topic, payload]) => {
    const outcome = outcomeOf(state, String(topic), payload);
    const isFine = outcome === 'send' || outcome === 'unchanged' || BY_THE_MOMENT.test(outcome) || BY_THE_CIRCUITS.test(outcome);
    return isFine ? [] : [`${String(topic)} ${payload}: ${outcome}`];
  });
  return { tried: all.length, refused };
};

it('what a hub can send by what it is offered is taken of every device', () => {
  const all = allDevices().map(({ name, features }) => ({ name, ...refusedOf(features) }));
  expectFound(
    all.reduce((sum, { tried }) => sum + tried, 0),
    586,
  );
  for (const { name, refused } of all) expect(refused, name).toEqual([]);
});
