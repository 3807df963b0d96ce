import { describe, expect, test } from 'vitest';
import { type Device, DeviceState } from '../../../../../src/bridge/state/deviceState.ts';
import { parseCommand } from '../../../../../src/bridge/writes/parse/parseCommand.ts';
import { featureTarget, type ResolvedTarget, unknownDevice } from '../../../../../src/bridge/writes/request/commandTarget.ts';
import type { Feature } from '../../../../../src/features/feature.ts';
import { readJsonWeek } from '../../../../../src/schedule/jsonWeek.ts';
import type { FeatureAddress } from '../../../../../src/topics/topicNames.ts';
import { featureOf } from '../../../../support/devices/features.ts';
import { commandOf, scheduleOf } from '../../../../support/schedules/commands.ts';

const device = (features: readonly string[], exclude: readonly string[] = []): Device => ({
  ...{ name: 'home', installation: '1', gateway: '7571381699991111', device: '0' },
  features,
  exclude,
});

const stateWith = (of: Device, ...features: readonly Feature[]): DeviceState => {
  const state = new DeviceState(of);
  for (const feature of features) state.take(feature, 0);
  return state;
};

const set = (path: string): FeatureAddress => ({ kind: 'set', device: 'home', path: path.split('/') });
const validate = (path: string): FeatureAddress => ({ kind: 'validate', device: 'home', path: path.split('/') });
const call = (path: string, command: string): FeatureAddress => ({ kind: 'call', device: 'home', path: path.split('/'), command });

const circuit = featureOf('heating.circuits.0', { name: { value: 'Floor' } });
const circuitName = featureOf('heating.circuits.0.name', { name: { value: 'Floor' } });
const schedule = scheduleOf();
const ALL = stateWith(device(['*'], ['heating.out*']), circuit, circuitName, schedule);
const PARTLY = stateWith(device(['*']), circuit);
PARTLY.noteRead(0, circuit.name);

/** `feature.leaf`, `unread feature.leaf`, or the code. */
const told = (target: ResolvedTarget): string => {
  if (target.kind === 'unknown') return target.refusal.code;
  if (target.kind === 'composite') return 'composite';
  const name = target.kind === 'feature' ? target.feature : `unread ${target.feature}`;
  return target.leaf === undefined ? name : `${name} . ${target.leaf}`;
};

describe('what an address means', () => {
  test.each<[address: FeatureAddress, state: DeviceState, place: string]>([
    [set('heating/schedule'), ALL, 'heating.schedule'],
    [set('heating/schedule/entries'), ALL, 'heating.schedule . entries'],
    [set('heating/schedule/active'), ALL, 'heating.schedule . active'],
    [set('heating/schedule/colour'), ALL, 'heating.schedule . colour'],
    [validate('heating/schedule'), ALL, 'heating.schedule'],
    [call('heating/schedule', 'setSchedule'), ALL, 'heating.schedule'],
    // A path that is both a property and a feature: `set` means the property, `call` the feature.
    [set('heating/circuits/0/name'), ALL, 'heating.circuits.0 . name'],
    [call('heating/circuits/0/name', 'setName'), ALL, 'heating.circuits.0.name'],
    [set('heating/circuits/0/name/name'), ALL, 'heating.circuits.0.name . name'],
    [set('heating'), ALL, 'unknown_feature'],
    [set('heating/nothing/at/all'), ALL, 'unknown_feature'],
    [call('heating/shedule', 'x'), ALL, 'unknown_feature'],
    [set('heating/schedule'), stateWith(device(['heating.schedule'])), 'unread heating.schedule'],
    [set('heating/schedule/entries'), stateWith(device(['heating.schedule'])), 'unread heating.schedule . entries'],
    [call('heating/schedule', 'x'), stateWith(device(['heating.schedule'])), 'unread heating.schedule'],
    [validate('heating/schedule/entries'), stateWith(device(['heating.schedule'])), 'unknown_feature'],
    [set('heating/schedule'), stateWith(device(['*'])), 'unread heating.schedule'],
    [set('heating/schedule/entries'), stateWith(device(['*'])), 'unread heating.schedule . entries'],
    [set('heating/schedule/until'), stateWith(device(['*'])), 'unread heating.schedule . until'],
    // One feature was read for a command, the device as a whole not yet.
    [set('heating/schedule'), PARTLY, 'unread heating.schedule'],
    [set('heating/outside'), stateWith(device(['*'], ['heating.out*'])), 'unknown_feature'],
    [set('heating/other'), stateWith(device(['heating.schedule'])), 'unknown_feature'],
  ])('%j', (address, state, place) => expect(told(featureTarget('h', state, address))).toBe(place));

  const GLOBS = device(['heating.circuits.*', '*'], ['heating.out*']);

  test.each([
    ['heating/shedule', ALL, 'did you mean heating.schedule'],
    ['boiler', ALL, 'there are heating.circuits.0, heating.circuits.0.name, heating.schedule'],
    // A pattern of the settings is no name of a feature.
    ['', ALL, 'there are heating.circuits.0'],
    ['heating/circuits/', stateWith(GLOBS, circuit, schedule), 'did you mean heating.circuits.0?'],
    ['heating/outside', stateWith(GLOBS), 'none was read yet'],
  ])('what is unknown is refused with what there is: %s', (path, state, words) => {
    const target = featureTarget('h', state, set(path));
    expect(target.kind === 'unknown' && target.refusal.message).toContain(words);
  });

  test.each([
    ['hme', ['home', 'cellar'], 'did you mean home?'],
    ['xyz', ['home'], 'there is home'],
    ['xyz', ['home', 'cellar'], 'there are home, cellar'],
    ['xyz', [], 'no device is known yet'],
  ])('an unknown device: %s of %j', (name, known, words) => {
    expect(unknownDevice(name, known)).toMatchObject({ code: 'unknown_device', message: expect.stringContaining(words) });
  });
});

describe('what a message wants', () => {
  const read = (address: FeatureAddress, feature: Feature, text: string, leaf?: string): unknown => {
    const parsed = parseCommand(address, feature, leaf, text);
    return parsed.ok ? parsed.write : parsed.refusal;
  };

  const SET = set('heating/schedule');
  const CALL = call('heating/schedule', 'setSchedule');
  const weekOf = (value: object, place?: string) => ({ content: { kind: 'week', week: readJsonWeek(value, place) } });
  const reset = { command: 'resetSchedule', content: { kind: 'arguments', args: {} } };

  test.each<[what: string, address: FeatureAddress, text: string, write: object, leaf?: string]>([
    ['a week', SET, '{"mon":[]}', { command: 'setSchedule', ...weekOf({ mon: [] }), dryRun: false }],
    ['a week on entries', set('heating/schedule/entries'), '{"mon":[]}', { content: { kind: 'week' } }, 'entries'],
    ['a week in an envelope', SET, '{"value":{"mon":[]},"id":1}', { envelope: { id: 1 }, ...weekOf({ mon: [] }, '/value') }],
    ['a dry run', validate('heating/schedule'), '{"mon":[]}', { dryRun: true }],
    ['a call with a week', CALL, '{"newSchedule":{"mon":[]}}', weekOf({ mon: [] }, '/newSchedule')],
    ['a call with a bare week', CALL, '{"mon":[]}', weekOf({ mon: [] })],
    ['a call with a week and more', CALL, '{"newSchedule":{},"x":1}', weekOf({ newSchedule: {}, x: 1 })],
    ['a call without parameters', call('heating/schedule', 'resetSchedule'), 'x', reset],
  ])('%s', (_, address, text, write, leaf) => {
    expect(read(address, schedule, text, leaf)).toMatchObject({ feature: 'heating.schedule', ...write });
  });

  const renamed = featureOf('s', { week: { type: 'Schedule' } }, { commands: new Map([commandOf('write', { plan: ['Schedule'] })]) });

  test('a schedule by its types, whatever the names', () => {
    expect(read(set('s/week'), renamed, '{}', 'week')).toMatchObject({ command: 'write', content: { kind: 'week', param: 'plan' } });
    expect(read(call('s', 'write'), renamed, '{"plan":{"mon":[]}}')).toMatchObject({
      content: { week: readJsonWeek({ mon: [] }, '/plan') },
    });
  });

  test('a day of a schedule whose record shows no week: its turn reads the record again', () => {
    const { commands } = renamed;
    expect(read(set('s/mon'), featureOf('s', {}, { commands }), '[]', 'mon')).toMatchObject({
      command: 'write',
      content: { kind: 'week' },
    });
  });

  const plain = featureOf('curve', { slope: { value: 1 } }, { commands: new Map([commandOf('setSlope', { slope: ['number'] })]) });
  const named = (words: string) => ({ message: expect.stringContaining(words) });
  const place = (path: string) => ({ code: 'invalid', errors: [expect.objectContaining({ path })] });

  test.each<[what: string, address: FeatureAddress, feature: Feature, text: string, refusal: object, leaf?: string]>([
    ['no JSON', SET, schedule, '{x', place('1:2')],
    ['another property', SET, schedule, 'true', { code: 'not_writable', ...named('call/setSchedule') }, 'active'],
    [
      'a feature without a schedule',
      set('a'),
      circuit,
      '{}',
      { code: 'not_writable', ...named('heating.circuits.0 cannot be written here') },
    ],
    ['a check of a single value', validate('curve'), plain, '2', { code: 'not_writable', ...named('slope/set') }],
    ['an unknown command', call('a', 'setShedule'), schedule, '{}', { code: 'unknown_command', ...named('did you mean setSchedule') }],
    ['an unknown command of a feature without any', call('a', 'x'), circuit, '{}', named('it has none')],
    ['a disabled feature', SET, { ...schedule, isEnabled: false }, '{}', { code: 'not_executable' }],
  ])('%s is refused', (_, address, feature, text, refusal, leaf) => expect(read(address, feature, text, leaf)).toMatchObject(refusal));
});
