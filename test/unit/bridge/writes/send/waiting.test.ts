import { describe, expect, onTestFinished, test } from 'vitest';
import { type Device, DeviceState, deviceKey } from '../../../../../src/bridge/state/deviceState.ts';
import type { ReplyAddress } from '../../../../../src/bridge/writes/request/commandRequest.ts';
import { waitingWrites } from '../../../../../src/bridge/writes/send/waiting.ts';
import type { WaitingWrite } from '../../../../../src/bridge/writes/write/write.ts';
import { writeLog } from '../../../../../src/bridge/writes/write/writeLog.ts';
import type { Feature } from '../../../../../src/features/feature.ts';
import { fieldsOf } from '../../../../../src/features/fields.ts';
import { allDevices, expectFound } from '../../../../support/devices/deviceFiles.ts';
import { featureOf } from '../../../../support/devices/features.ts';
import { CommandWorld, DEVICE } from '../../../../support/execution/commandWorld.ts';
import { storedOf } from '../../../../support/execution/storedWrite.ts';
import { commandOf } from '../../../../support/schedules/commands.ts';
import { writeStore } from '../../../../support/system/keptInMemory.ts';
import { recordingLog } from '../../../../support/system/testSystem.ts';
import { HOUR_MS } from '../../../../support/system/virtualSystem.ts';
import { fakeClock } from '../../../../support/time/fakeClock.ts';

const calls = ({ steps }: CommandWorld): readonly string[] => steps.filter((step) => step.startsWith('call') || step === 'read');
const statuses = (results: readonly { readonly status: string }[]): readonly string[] => results.map(({ status }) => status);

const THREE = { a: ['string'], b: ['string'], c: ['number'] } as const;
const trip = (c: { value?: number; type?: string }, isExecutable = true) =>
  featureOf('heating.trip', { a: { value: '' }, b: { value: '' }, c }, { commands: new Map([commandOf('setTrip', THREE, isExecutable)]) });
const three = trip({ type: 'number' });

describe('a value that needs others', () => {
  test('waits for all of them, texts and numbers, and every write is answered', async () => {
    const world = new CommandWorld([three]);
    const [a, b] = [world.submit('home/heating/trip/a/set', 'x', 1), world.submit('home/heating/trip/b/set', 'y', 2)];
    await world.clock.pass(1000);
    expect([statuses(a), statuses(b), calls(world)]).toEqual([['waiting'], ['waiting'], []]);
    expect([a[0]?.message, b[0]?.message]).toEqual(
      [
        ['a', 'b, c are'],
        ['b', 'c is'],
      ].map(([name, missing]) => `${name} waits until ${missing} written too; nothing was sent yet`),
    );
    const c = world.submit('home/heating/trip/c/set', '3', 3);
    await world.clock.pass(60_000);
    expect(calls(world)[0]).toBe('call setTrip {"a":"x","b":"y","c":3}');
    expect([statuses(a), statuses(b), statuses(c)]).toEqual([
      ['waiting', 'accepted', 'applied'],
      ['waiting', 'accepted', 'applied'],
      ['accepted', 'applied'],
    ]);
    expect(a.at(-1)).toMatchObject({ id: 1, command: 'setTrip' });
  });

  test('may come as some of the values on the topic of the feature', async () => {
    const world = new CommandWorld([three]);
    const some = world.submit('home/heating/trip/set', '{"a":"x","c":1}', 1);
    const newer = world.submit('home/heating/trip/a/set', 'z', 2);
    await world.clock.pass(1000);
    const last = world.submit('home/heating/trip/b/set', 'y', 3);
    await world.clock.pass(60_000);
    expect(calls(world)[0]).toBe('call setTrip {"a":"z","b":"y","c":1}');
    for (const results of [some, newer, last]) expect(statuses(results).at(-1)).toBe('applied');
  });

  test.each([
    ['what nobody may send', { deny: ['heating.trip/*'] }, three, 'x', 'forbidden'],
    ['another revision', {}, three, '{"value":"x","if_rev":"00000000"}', 'conflict'],
    ['what the device does not take now', {}, trip({ value: 1 }, false), 'x', 'not_executable'],
  ])('is refused, not kept: %s', async (_, rules, feature, payload, code) => {
    const world = new CommandWorld([feature], true, rules);
    const results = world.submit('home/heating/trip/a/set', payload);
    await world.clock.pass(60_000);
    expect(results).toMatchObject([{ status: 'rejected', code }]);
  });

  test('every date of every device can be set by its two fields, in both orders', async () => {
    const all = allDevices().flatMap(({ features }) => features.filter((feature) => fieldsOf(feature).length > 0));
    expectFound(all.length, 6);
    const dates = { start: '2030-12-21', end: '2031-01-04' };
    for (const feature of all)
      for (const [first, second] of [
        ['start', 'end'],
        ['end', 'start'],
      ] as const) {
        const world = new CommandWorld([feature]);
        const path = `home/${feature.name.replaceAll('.', '/')}`;
        const one = world.submit(`${path}/${first}/set`, dates[first], 1);
        await world.clock.pass(120_000);
        const other = world.submit(`${path}/${second}/set`, dates[second], 2);
        await world.clock.pass(120_000);
        expect(world.platform.get(feature.name)?.properties.get('start')?.value, feature.name).toBe(dates.start);
        expect(world.platform.get(feature.name)?.properties.get('end')?.value, feature.name).toBe(dates.end);
        expect([statuses(one).at(-1), statuses(other).at(-1)], feature.name).toEqual(['applied', 'applied']);
      }
  });

  test('has changed nothing where the platform shows all of them by then', async () => {
    const world = new CommandWorld([three]);
    const a = world.submit('home/heating/trip/a/set', 'x');
    await world.clock.pass(1000);
    world.platform.set(
      'heating.trip',
      featureOf('heating.trip', { a: { value: 'x' }, b: { value: 'y' }, c: { value: 3 } }, { commands: three.commands }),
    );
    world.state.take(world.platform.get('heating.trip') ?? three, world.clock.elapsedMs());
    const c = world.submit('home/heating/trip/c/set', '3');
    await world.clock.pass(60_000);
    expect([statuses(a), statuses(c), calls(world)]).toEqual([['waiting', 'unchanged'], ['unchanged'], []]);
  });

  test('is not sent any more where what is shown is written again', async () => {
    const world = new CommandWorld([three]);
    const a = world.submit('home/heating/trip/a/set', 'x');
    await world.clock.pass(1000);
    const again = world.submit('home/heating/trip/a/set', '');
    await world.clock.pass(60_000);
    expect([statuses(a), statuses(again)]).toEqual([['waiting', 'superseded'], ['unchanged']]);
    expect(a.at(-1)?.message).toBe('a was written back before it was sent');
  });
});

describe('a value that waits', () => {
  const PLACE = { device: deviceKey(DEVICE), feature: 'heating.trip' };
  /** A value of an earlier run that waits, and one that is added; `told`: how they end. */
  const kept = (devices: readonly Device[] | 'unknown' | undefined = undefined, known: Device | 'unknown' = DEVICE) => {
    const clock = fakeClock();
    const told: string[] = [];
    const replyTo: ReplyAddress = (_, { status, code }) => void told.push([status, code].filter((one) => one).join(' '));
    const row = { ...PLACE, key: 1, at: clock.now(), name: 'home', topic: 't', state: 'waiting', command: 'setTrip' } as const;
    const earlier: WaitingWrite = { ...row, values: { a: 'x' }, missing: ['b', 'c'], untilMs: clock.now() + 24 * HOUR_MS };
    const state = new DeviceState(known === 'unknown' ? DEVICE : known);
    state.take(three, 0);
    const states = new Map(known === 'unknown' ? [] : [[PLACE.device, state]]);
    const writes = writeLog(writeStore(new Map([[1, storedOf(earlier)]])), states, { replyTo: () => replyTo }, clock, recordingLog([]));
    const discovery = devices && { devices: () => (devices === 'unknown' ? undefined : devices) };
    const waiting = waitingWrites({ zone: () => 'UTC', discovery }, states, writes, clock);
    const add = (): void => {
      const target = { kind: 'stored', state, device: 'home', feature: 'heating.trip' } as const;
      const address = { kind: 'set', device: 'home', path: [] } as const;
      const request = { source: 't', replyTo, address, target, text: '', atMs: clock.elapsedMs() };
      const content = { kind: 'week', param: '', week: { days: new Map(), issues: [] } } as const;
      const write = { feature: 'heating.trip', command: 'setTrip', envelope: {}, content, dryRun: false };
      waiting.add(request, write, { values: new Map([['b', 'y']]), missing: ['a', 'c'] });
    };
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    const start = (): void => void waiting.run(stop.signal);
    return { clock, told, state, waiting, add, start };
  };

  test.each<[what: string, devices: readonly Device[] | 'unknown' | undefined, known: Device | 'unknown', told: readonly string[]]>([
    ['ends where its device is gone', [], 'unknown', ['rejected unknown_device']],
    ['ends where the settings name other devices', undefined, 'unknown', ['rejected unknown_device']],
    ['ends where the settings leave its feature out', undefined, { ...DEVICE, exclude: ['heating.trip'] }, ['rejected unknown_feature']],
    ['stays while it is not known which devices there are', 'unknown', 'unknown', []],
    ['stays where its device is there', [DEVICE], DEVICE, []],
  ])('%s', async (_, devices, known, expected) => {
    const { clock, told, start } = kept(devices, known);
    start();
    await clock.pass(1000);
    expect(told).toEqual(expected);
  });

  const OTHER = { ...three, name: 'heating.other' };
  test.each<[what: string, shown: Feature, told: readonly string[]]>([
    ['stays while a read shows its command', three, []],
    ['stays whatever a read shows of another feature', { ...OTHER, commands: new Map() }, []],
    ['ends where a read shows its command no more', { ...three, commands: new Map() }, ['rejected unknown_command']],
    ['ends where a read shows its feature disabled', { ...three, isEnabled: false }, ['rejected unknown_command']],
  ])('%s', (_, shown, expected) => {
    const { told, state, waiting } = kept();
    waiting.seen(new DeviceState({ ...DEVICE, device: '1' }), [{ ...three, isEnabled: false }]);
    waiting.seen(state, [OTHER, shown]);
    expect(told).toEqual(expected);
  });

  test('ends where the platform has its feature no more', () => {
    const { told, state, waiting } = kept();
    waiting.gone(state, [OTHER.name]);
    expect(told).toEqual([]);
    waiting.gone(state, [OTHER.name, three.name]);
    expect(told).toEqual(['rejected unknown_feature']);
  });

  test('ends after a day, also one that came while nothing waited', async () => {
    const { clock, told, add, start, state, waiting } = kept();
    start();
    await clock.pass(24 * HOUR_MS - 1);
    expect([told, waiting.of(state, three.name)?.command]).toEqual([[], 'setTrip']);
    await clock.pass(1);
    expect([told.splice(0), waiting.of(state, three.name)]).toEqual([['rejected incomplete'], undefined]);
    await clock.pass(12 * HOUR_MS);
    add();
    await clock.pass(24 * HOUR_MS);
    expect(told).toEqual(['waiting', 'rejected incomplete']);
  });
});
