import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import type { Body } from '../../../../src/bridge/ports.ts';
import { featureReader } from '../../../../src/bridge/reads/featureReader.ts';
import { type Device, deviceKey } from '../../../../src/bridge/state/deviceState.ts';
import type { ReadResult, ReadTarget } from '../../../../src/bridge/state/readTarget.ts';
import { bodyOf } from '../../../support/devices/bodyOf.ts';
import { storeOf } from '../../../support/devices/featureStore.ts';
import { recordingLog } from '../../../support/system/testSystem.ts';
import { fakeClock } from '../../../support/time/fakeClock.ts';

const DEVICE: Device = { name: 'home', installation: '1', gateway: '2', device: '0', features: ['*'], exclude: ['*.secret'] };
const PLACE = { installation: '1', gateway: '2', device: '0' };
const WHOLE: ReadTarget = { device: DEVICE, target: PLACE };

const record = (feature: string, more: object = {}) => ({ feature, gatewayId: '2', deviceId: '0', properties: {}, commands: {}, ...more });
const rotten = (feature: string) => record(feature, { properties: 'rotten' });

const setUp = () => {
  const clock = fakeClock();
  const store = storeOf([DEVICE], clock);
  const state = store.states.get(deviceKey(DEVICE));
  if (!state) throw new Error('no state');
  const logged: { level: string; facts: object; sentence: string }[] = [];
  const events = { changed: [] as string[][], seen: [] as string[][], listed: [] as string[][], ended: [] as ReadResult[] };
  const world: { body: unknown; more?: Partial<Body> } = { body: undefined };
  const strangers: string[] = [];
  const reader = featureReader(
    {
      fetchFeatures: async () => {
        if (world.body instanceof Error) throw world.body;
        return { ...bodyOf(world.body), ...world.more };
      },
      execute: () => Promise.reject(new Error('no command is sent here')),
    },
    store,
    clock,
    recordingLog(logged),
    new AbortController().signal,
  );
  store.on('featuresRead', ({ features, changed }) => {
    events.seen.push(features.map(({ name }) => name));
    events.changed.push(changed.map(({ name }) => name));
  });
  store.on('featuresListed', (_, names) => events.listed.push([...names]));
  store.on('otherDeviceSeen', (_, device) => strangers.push(device));
  store.on('readEnded', (_, __, result) => events.ended.push(result));
  const read = (body: unknown, of: ReadTarget = WHOLE): Promise<ReadResult> => {
    world.body = body;
    return reader.read(of);
  };
  return { state, store, strangers, logged, events, read, world };
};

describe('a read of a gateway', () => {
  const GATEWAY: ReadTarget = { device: DEVICE, target: { installation: '1', gateway: '2' } };
  const own = (feature: string) => ({ ...record(feature), deviceId: undefined });

  test('shows a device that becomes known by it', async () => {
    const { read, events, store } = setUp();
    const gateway = { ...DEVICE, device: 'gateway' };
    store.on('otherDeviceSeen', () => store.add(gateway));
    expect(await read({ data: [record('a'), own('gateway.wifi')] }, GATEWAY)).toEqual({ ok: true });
    expect(events.seen).toEqual([['a'], ['gateway.wifi']]);
    expect(events.ended).toHaveLength(2);
    expect([...(store.states.get(deviceKey(gateway))?.features.keys() ?? [])]).toEqual(['gateway.wifi']);
  });

  test('that is known to nobody is told, and nothing else', async () => {
    const { read, events, strangers } = setUp();
    await read({ data: [record('a'), own('gateway.wifi'), { ...record('x'), deviceId: '9' }] }, GATEWAY);
    expect(strangers).toEqual(['gateway', '9']);
    expect(events.seen).toEqual([['a']]);
  });

  test('is no sign of a device where a record makes no sense', async () => {
    const { read, strangers } = setUp();
    await read({ data: [record('a'), null, 'x', rotten('gateway.wifi')] }, GATEWAY);
    expect(strangers).toEqual([]);
  });
});

describe('an answer out of all proportion', () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => record(`m.${index}`));

  test.each([
    ['records', { data: Array.from({ length: 20_001 }, () => null) }],
    ['features of one device', { data: many(5000) }],
  ])('with too many %s is refused as a whole, and what was known stays', async (_, body) => {
    const { read, events, state } = setUp();
    await read({ data: [record('known')] });
    expect(await read(body)).toMatchObject({ ok: false, failure: { code: 'bad_answer' } });
    expect([...state.features.keys()]).toEqual(['known']);
    expect(events.listed).toEqual([['known']]);
  });

  test('with one feature many times shows its last record', async () => {
    const { read, events, state } = setUp();
    await read({ data: [1, 2, 3].map((value) => record('a', { properties: { n: { type: 'number', value } } })) });
    expect(events.seen).toEqual([['a']]);
    expect(state.features.get('a')?.truth.properties.get('n')?.value).toBe(3);
  });

  test('of nothing that makes sense is told so often and no more', async () => {
    const { read, logged } = setUp();
    await read({ data: many(300).map(({ feature }) => rotten(feature)) });
    expect(logged).toHaveLength(200);
    expect(logged.at(-1)?.sentence).toContain('further ones are not logged');
  });
});

describe('of a list only the records are parsed that are not known, in any order', () => {
  const [a, b, c] = ['a', 'b', 'c'].map((feature) => record(feature));
  const otherB = record('b', { isEnabled: false });
  const withOther = (one: object | undefined): object => ({ apiVersion: 1, ...one });

  test('where it is cut into its records', async () => {
    const { read, events, world } = setUp();
    world.more = { json: () => expect.unreachable() };
    await read({ data: [a, b, c] });
    await read({ data: [c, otherB, a] });
    expect(events.changed).toEqual([['a', 'b', 'c'], ['b']]);
  });

  test('but where a record begins with another member, as it is parsed as a whole then', async () => {
    const { read, events, state } = setUp();
    await read({ data: [a, withOther(b), c] });
    await read({ data: [c, withOther(otherB), a] });
    expect(events.seen.at(-1)).toEqual(['c', 'b', 'a']);
    expect(state.features.get('b')?.truth.isEnabled).toBe(false);
  });

  test('keeps none of the text in memory, as 300 accounts have a body each', async () => {
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    const { read, world } = setUp();
    world.more = { digest: 'of a body' };
    // As the platform begins its records.
    const body = () => ({ data: [{ properties: {}, commands: {}, feature: 'a', gatewayId: '2', uri: 'x'.repeat(500_000) }] });
    const readAll = async (from: number) => {
      for (let n = from; n < from + 20; n += 1) await read(body(), { device: DEVICE, target: { ...PLACE, device: String(n) } });
      collect();
      return process.memoryUsage().heapUsed;
    };
    const before = await readAll(0);
    expect((await readAll(20)) - before).toBeLessThan(2_000_000);
  });

  test('where the first member of all records changes its name, nothing is known', async () => {
    const { read, world, events } = setUp();
    const list = (name: string): string => `{"data":[{"${name}":"a","gatewayId":"2"},{"${name}":"b","gatewayId":"2"}]}`;
    for (const name of ['feature', 'Feature']) {
      world.more = { text: () => list(name), json: () => JSON.parse(list(name)) };
      await read(name);
    }
    expect(events.changed).toEqual([['a', 'b']]);
    expect(events.ended).toMatchObject([{ ok: true }, { ok: false, failure: { code: 'bad_answer' } }]);
  });
});

describe('a read of a whole device', () => {
  test('takes what is chosen', async () => {
    const { read, events, state } = setUp();
    expect(await read({ data: [record('a'), record('b.secret'), record('c')] })).toEqual({ ok: true });
    expect(events).toMatchObject({ seen: [['a', 'c']], listed: [['a', 'b.secret', 'c']], ended: [{ ok: true }] });
    expect([...state.features.keys()]).toEqual(['a', 'c']);
  });

  test('names all that is listed, also what makes no sense', async () => {
    const { read, events } = setUp();
    await read({ data: [record('a'), record('b'), record('c')] });
    await read({ data: [record('a'), rotten('b')] });
    expect(events.listed).toEqual([
      ['a', 'b', 'c'],
      ['a', 'b'],
    ]);
    expect(events.seen.at(-1)).toEqual(['a']);
  });

  test.each([[{ data: [] }], [{ data: [rotten('a')] }], [{ data: [record('c.secret')] }]])(
    'that shows nothing of what was there says nothing of what is missing, and is no good read: %j',
    async (body) => {
      const { read, events, state } = setUp();
      expect(await read(body)).toEqual({ ok: true });
      await read({ data: [record('a'), record('b')] });
      expect(await read(body)).toMatchObject({ ok: false, failure: { code: 'bad_answer' } });
      expect(events.ended.map(({ ok }) => ok)).toEqual([true, true, false]);
      expect(events.listed).toHaveLength(1);
      expect(state.features.size).toBe(2);
    },
  );

  test('tells each record that makes no sense once, and again after it made sense', async () => {
    const { read, logged } = setUp();
    for (let n = 0; n < 3; n += 1) await read({ data: [record('a'), rotten('b'), rotten('c'), null] });
    expect(logged.map(({ facts }) => (facts as { feature: string }).feature)).toEqual(['b', 'c', 'record 3']);
    await read({ data: [record('a'), record('b'), rotten('c'), null] });
    await read({ data: [record('a'), rotten('b'), rotten('c'), null] });
    expect(logged).toHaveLength(4);
  });
});

describe('a read of one feature', () => {
  const ONE: ReadTarget = { device: DEVICE, target: { ...PLACE, feature: 'a' } };

  test.each([[record('a')], [{ data: record('a') }], [{ data: [record('a')] }]])('takes it bare and wrapped: %j', async (body) => {
    const { read, events } = setUp();
    expect(await read(body, ONE)).toEqual({ ok: true });
    expect(events).toMatchObject({ seen: [['a']], listed: [], ended: [{ ok: true }] });
  });

  test.each([[record('b')], [{ data: [] }], [null], ['text'], [7]])('refuses an answer that is about something else: %j', async (body) => {
    const { read, events, state } = setUp();
    expect(await read(body, ONE)).toMatchObject({ ok: false, failure: { code: 'bad_answer' } });
    expect(events.seen).toEqual([]);
    expect(state.features.size).toBe(0);
  });

  test('that fails keeps what is known', async () => {
    const { read, events, state } = setUp();
    await read(record('a'), ONE);
    const failure = Object.assign(new Error('away'), { code: 'timeout', executed: 'no' });
    expect(await read(failure, ONE)).toEqual({ ok: false, failure });
    expect(state.features.size).toBe(1);
    expect(events.ended).toHaveLength(2);
  });

  test('that nobody foresaw is told as an answer that cannot be understood, and never ends the process', async () => {
    const { read } = setUp();
    expect(await read(new TypeError('defect'), ONE)).toMatchObject({
      ok: false,
      failure: { code: 'bad_answer', message: expect.stringContaining('defect') },
    });
  });
});

describe('a record that is the same as before', () => {
  const BODY = { data: [record('a'), record('c')] };
  type World = ReturnType<typeof setUp>;

  test.each<[string, (world: World) => unknown, string[]]>([
    ['nothing', () => undefined, []],
    ['a read that was planned anew', ({ read }) => read(BODY, { ...WHOLE }), []],
    [
      'another feature came and the order was another one',
      async ({ read, events }) => {
        await read({ data: [record('new'), record('c'), record('a')] });
        expect(events.changed.at(-1)).toEqual(['new']);
      },
      [],
    ],
    ['a failed read', ({ read }) => read(Object.assign(new Error('away'), { code: 'timeout', executed: 'no' })), []],
    ['another name of the device', ({ store }) => store.add({ ...DEVICE, name: 'house' }), ['a', 'c']],
    ['another choice of features', ({ store }) => store.add({ ...DEVICE, exclude: [] }), ['a', 'c']],
    ['the feature was gone', ({ state }) => state.features.delete('a'), ['a']],
    ['the record was another one', ({ read }) => read({ data: [record('a', { isEnabled: false }), record('c')] }), ['a']],
    [
      'a write is pending',
      ({ state }) =>
        state.pending.add({ key: 1, feature: 'c', outcome: 'accepted', effect: undefined, before: [], revsBefore: [], sinceMs: 0 }),
      ['c'],
    ],
  ])('after %s', async (_, happens, changed) => {
    const world = setUp();
    await world.read(BODY);
    await world.read(BODY);
    expect(world.events.changed).toEqual([['a', 'c'], []]);
    await happens(world);
    await world.read(BODY);
    expect(world.events.changed.at(-1)).toEqual(changed);
    await world.read({ data: [record('a', { isReady: true }), record('c')] });
    expect(world.events.changed.at(-1)).toContain('a');
  });

  test('counts as a new one after the device was gone, and after a restart', async () => {
    const { read, events, store, state } = setUp();
    await read(BODY);
    store.replace([]);
    store.replace([DEVICE]);
    await read(BODY);
    expect(events.changed.at(-1)).toEqual(['a', 'c']);
    const known = state.features.get('a')?.truth;
    const again = setUp();
    if (known) again.state.remember(known);
    await again.read(BODY);
    expect(again.events.changed).toEqual([['a', 'c']]);
  });
});
