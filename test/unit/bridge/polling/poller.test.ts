import { describe, expect, onTestFinished, test } from 'vitest';
import type { Device } from '../../../../src/bridge/devices/deviceState.ts';
import { featureReader } from '../../../../src/bridge/polling/featureReader.ts';
import { makePoller } from '../../../../src/bridge/polling/poller.ts';
import { readsOf } from '../../../../src/bridge/polling/readPlanner.ts';
import type { ReadResult } from '../../../../src/bridge/polling/readTarget.ts';
import type { Body, Target } from '../../../../src/bridge/ports.ts';
import { RateLimiter } from '../../../../src/bridge/quota/rateLimiter.ts';
import { bodyOf } from '../../../support/devices/bodyOf.ts';
import { storeOf } from '../../../support/devices/featureStore.ts';
import { recordingLog } from '../../../support/system/testSystem.ts';
import { fakeClock, settled } from '../../../support/time/fakeClock.ts';

const GENEROUS = { per_10_minutes: 100_000, per_day: 10_000_000, reserve_for_commands: 50 };

const device = (name: string, features: readonly string[]): Device => ({
  name,
  installation: '1',
  gateway: '2',
  device: name,
  features,
  exclude: [],
});

const failure = (code: string) => Object.assign(new Error(code), { code, executed: 'no' as const });

type Options = {
  readonly devices?: readonly Device[];
  readonly seconds?: 'auto' | number;
  readonly jitter?: number;
  readonly read?: 'auto' | 'feature' | 'device';
  readonly allowance?: ConstructorParameters<typeof RateLimiter>[0];
  /** What the platform does; default: the record asked for. */
  readonly answer?: (target: Target) => Promise<unknown>;
};

const recordOf = ({ gateway, device: deviceId, feature }: Target) => ({
  data: [{ feature: feature ?? 'x', gatewayId: gateway, deviceId, isEnabled: true, isReady: true, properties: {}, commands: {} }],
});

/** A poller over the real reader and allowance, on a clock of its own; each call notes its moment in seconds. */
const setUp = (options: Options = {}) => {
  const { devices = [device('home', ['a', 'b'])], seconds = 60, jitter = 0, read = 'feature', allowance = GENEROUS } = options;
  const clock = fakeClock();
  const stop = new AbortController();
  const calls: { readonly at: number; readonly what: string }[] = [];
  const logged: { level: string; facts: object; sentence: string }[] = [];
  const results: ReadResult[] = [];
  const log = recordingLog(logged);
  const quota = new RateLimiter(allowance, clock);
  const world = { answer: options.answer ?? (async (target: Target): Promise<unknown> => recordOf(target)), under: 0, most: 0 };
  const platform = {
    fetchFeatures: async (target: Target, signal: AbortSignal): Promise<Body> => {
      calls.push({ at: clock.elapsedMs() / 1000, what: `${target.device}/${target.feature ?? '*'}` });
      quota.count(clock.elapsedMs());
      world.under += 1;
      world.most = Math.max(world.most, world.under);
      const aborted = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(failure('aborted'))));
      return Promise.race([world.answer(target).then(bodyOf), aborted]).finally(() => {
        world.under -= 1;
      });
    },
    execute: () => Promise.reject(new Error('no command is sent here')),
  };
  const store = storeOf(devices, clock);
  store.on('readEnded', (_, __, result) => results.push(result));
  const reader = featureReader(platform, store, clock, log, stop.signal);
  const poller = makePoller(readsOf(devices, read), { seconds, jitter }, reader, quota, clock, log);
  let rounds = 0;
  const run = poller.run(stop.signal, () => {
    rounds += 1;
  });
  onTestFinished(async () => {
    stop.abort();
    await run;
  });
  const at = (what: string): number[] => calls.filter((call) => call.what === what).map((call) => Math.round(call.at));
  return { clock, stop, calls, at, logged, results, quota, poller, reader, world, rounds: () => rounds, run };
};

describe('the reads', () => {
  test('of feature mode: one for each feature and round, the first round at once, later ones spread over the interval', async () => {
    const { clock, at, calls, rounds } = setUp({ devices: [device('home', ['a', 'b']), device('other', ['c', 'd'])], seconds: 60 });
    await settled();
    expect(calls.map(({ what }) => what)).toEqual(['home/a', 'home/b', 'other/c', 'other/d']);
    expect(rounds()).toBe(1);
    await clock.pass(239_000);
    expect(at('home/a')).toEqual([0, 60, 120, 180]);
    expect(at('home/b')).toEqual([0, 75, 135, 195]);
    expect(at('other/c')).toEqual([0, 90, 150, 210]);
    expect(at('other/d')).toEqual([0, 105, 165, 225]);
  });

  test('of device mode: one for each device and round', async () => {
    const { clock, calls } = setUp({ devices: [device('home', ['a', 'b']), device('other', ['c'])], read: 'device' });
    await clock.pass(100_000);
    expect(calls.map(({ what }) => what)).toEqual(['home/*', 'other/*', 'home/*', 'other/*']);
  });

  test.each([
    ['auto', ['a', 'b'], ['home/a', 'home/b']],
    ['auto', ['a', 'heating.*'], ['home/*']],
    ['device', ['*'], ['home/*']],
  ] as const)('read: %s with features %j', async (read, features, wanted) => {
    const { calls } = setUp({ devices: [device('home', features)], read });
    await settled();
    expect(calls.map(({ what }) => what)).toEqual(wanted);
  });

  test('are never two at a time', async () => {
    const world = setUp({ devices: [device('home', ['a', 'b', 'c', 'd'])], seconds: 1 });
    await settled();
    world.world.answer = (target) => world.clock.sleep(700).then(() => recordOf(target));
    await world.clock.pass(20_000);
    expect(world.world.most).toBe(1);
    expect(world.calls.length).toBeGreaterThan(20);
  });

  test('stay on their beat, however long each takes', async () => {
    const { clock, at, world } = setUp({ devices: [device('home', ['a'])], seconds: 60 });
    await settled();
    world.answer = (target) => clock.sleep(7000).then(() => recordOf(target));
    await clock.pass(400_000);
    expect(at('home/a')).toEqual([0, 60, 120, 180, 240, 300, 360]);
  });

  test('vary by the jitter and no more', async () => {
    const { clock, at } = setUp({ devices: [device('home', ['a'])], seconds: 100, jitter: 0.1 });
    await clock.pass(6_000_000);
    const seen = at('home/a');
    const gaps = seen.slice(2).map((second, n) => second - (seen[n + 1] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(89);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(111);
    expect(new Set(gaps).size).toBeGreaterThan(5);
  });

  test('end with the signal, also in the midst of the first round', async () => {
    const { stop, calls, run, rounds } = setUp({ answer: () => new Promise(() => undefined), devices: [device('home', ['a', 'b'])] });
    await settled();
    stop.abort();
    await run;
    expect(calls).toHaveLength(1);
    expect(rounds()).toBe(0);
  });
});

describe('a read that fails', () => {
  test.each([
    ['device_error', [120, 240, 480, 900, 900]],
    ['server_error', [30, 60, 120, 240, 300, 300]],
    ['gateway_offline', [30, 60, 120, 240, 480, 900, 900]],
    ['not_found', [3600, 21_600, 86_400, 86_400]],
    ['not_paid', [3600, 21_600, 86_400, 86_400]],
  ])('with %s is tried again after about %j s, and goes on as before when it works', async (code, pauses) => {
    const { clock, at, world, logged } = setUp({ devices: [device('home', ['a'])], seconds: 60 });
    await settled();
    world.answer = () => Promise.reject(failure(code));
    while (at('home/a').length < pauses.length + 2) await clock.pass(30_000);
    const seen = at('home/a');
    for (const [n, pause] of pauses.entries()) {
      const gap = (seen[n + 2] ?? 0) - (seen[n + 1] ?? 0);
      expect(gap).toBeGreaterThanOrEqual(pause - 1);
      expect(gap).toBeLessThanOrEqual(1.1 * pause + 1);
    }
    expect(logged.map(({ level }) => level)).toEqual(['warn']);
    world.answer = async (target) => recordOf(target);
    await clock.pass(1100 * (pauses.at(-1) ?? 0) + 200_000);
    const after = at('home/a').slice(-3);
    expect([(after[1] ?? 0) - (after[0] ?? 0), (after[2] ?? 0) - (after[1] ?? 0)]).toEqual([60, 60]);
    expect(logged.map(({ level }) => level)).toEqual(['warn', 'info']);
  });

  test('with all others is asked by one probe at a time, and all are right within a round after the outage', async () => {
    const features = Array.from({ length: 20 }, (_, n) => `f${n}`);
    const { clock, calls, world } = setUp({ devices: [device('home', features)], seconds: 600 });
    await clock.pass(900_000);
    world.answer = () => Promise.reject(failure('unreachable'));
    const before = calls.length;
    await clock.pass(6 * 3_600_000);
    // Every five minutes in the end, where twenty reads on their own would be hundreds.
    expect(calls.length - before).toBeLessThan(90);
    expect(new Set(calls.slice(before).map(({ what }) => what)).size).toBe(20);
    world.answer = async (target) => recordOf(target);
    const end = calls.length;
    await clock.pass(330_000 + 600_000);
    expect(new Set(calls.slice(end).map(({ what }) => what)).size).toBe(20);
    expect(calls.length - end).toBeLessThanOrEqual(32);
  });

  test.each(['gateway_offline', 'server_error', 'not_paid', 'bad_answer'])('for good (%s) harms no other', async (code) => {
    const { clock, at } = setUp({
      devices: [device('home', ['a', 'b']), device('other', ['c'])],
      seconds: 60,
      answer: (target) =>
        target.device === 'home' && target.feature === 'a' ? Promise.reject(failure(code)) : Promise.resolve(recordOf(target)),
    });
    await clock.pass(7_200_000);
    for (const what of ['home/b', 'other/c']) expect(at(what).length).toBeGreaterThan(115);
    expect(at('home/a').length).toBeLessThan(40);
  });

  test('for good is not asked for sooner because a command tries it, and goes on as before when that works', async () => {
    const { clock, at, world, poller } = setUp({ devices: [device('home', ['a'])], answer: () => Promise.reject(failure('not_found')) });
    const read = { device: device('home', ['a']), target: { installation: '1', gateway: '2', device: 'home', feature: 'a' } };
    await clock.pass(1_800_000);
    poller.counted(read);
    await clock.pass(1_500_000);
    expect(at('home/a')).toEqual([0]);
    world.answer = async (target) => recordOf(target);
    poller.worked(read);
    await clock.pass(180_000);
    expect(at('home/a')).toHaveLength(4);
  });

  test('in the first round does not hold up the others', async () => {
    const { at, rounds } = setUp({
      answer: ({ feature }) =>
        feature === 'a'
          ? Promise.reject(failure('not_found'))
          : Promise.resolve(recordOf({ installation: '1', gateway: '2', device: 'home', feature: 'b' })),
    });
    await settled();
    expect(at('home/b')).toEqual([0]);
    expect(rounds()).toBe(1);
  });
});

describe('on request', () => {
  test('all devices, or the one that is named, are read at once; the others keep their beat', async () => {
    const { clock, at, poller } = setUp({ devices: [device('home', ['a']), device('other', ['b'])], seconds: 600 });
    await clock.pass(100_000);
    expect(poller.ask('other')).toEqual({ kind: 'due' });
    await settled();
    expect([at('home/a'), at('other/b')]).toEqual([[0], [0, 100]]);
    poller.pollNow();
    await settled();
    expect([at('home/a'), at('other/b')]).toEqual([
      [0, 100],
      [0, 100, 100],
    ]);
    expect(poller.ask('nobody')).toEqual({ kind: 'nothing' });
    await settled();
    expect(at('home/a')).toHaveLength(2);
    await clock.pass(600_000);
    expect(at('home/a')).toEqual([0, 100, 700]);
  });

  test('a read is asked for once a minute, by whatever name; the answer says when again', async () => {
    const allowance = { per_10_minutes: 120, per_day: 1450, reserve_for_commands: 50 };
    const devices = [device('home', ['a']), device('other', ['b'])];
    const { clock, at, poller } = setUp({ devices, seconds: 7200, allowance });
    await clock.pass(1000);
    expect(poller.ask('other')).toEqual({ kind: 'due' });
    await clock.pass(1000);
    expect(poller.ask('other')).toEqual({ kind: 'lately', againMs: 59_000 });
    expect(poller.ask()).toEqual({ kind: 'due' });
    await clock.pass(1000);
    expect([at('home/a'), at('other/b')]).toEqual([
      [0, 2],
      [0, 1],
    ]);
    expect(poller.ask()).toEqual({ kind: 'lately', againMs: 58_000 });
    await clock.pass(58_000);
    expect(poller.ask('other')).toEqual({ kind: 'due' });
  });

  test('while a read is under way, another follows it, once', async () => {
    const { clock, at, poller, world } = setUp({ devices: [device('home', ['a'])], seconds: 600 });
    world.answer = (target) => clock.sleep(5000).then(() => recordOf(target));
    await clock.pass(6000);
    poller.pollNow();
    await clock.pass(1000);
    for (let n = 0; n < 3; n += 1) await poller.pollNow();
    await clock.pass(100_000);
    expect(at('home/a')).toEqual([0, 6, 11]);
  });

  test('a read that somebody else made counts as this round’s', async () => {
    const { clock, at, poller } = setUp({ devices: [device('home', ['a'])], seconds: 600 });
    await clock.pass(500_000);
    poller.counted({ device: device('home', ['a']), target: { installation: '1', gateway: '2', device: 'home', feature: 'a' } });
    poller.counted({ device: device('home', ['a']), target: { installation: '1', gateway: '2', device: 'home', feature: 'unknown' } });
    await clock.pass(599_000);
    expect(at('home/a')).toEqual([0]);
    await clock.pass(2000);
    expect(at('home/a')).toEqual([0, 1100]);
  });

  test('two reads of the same at the same time are one call', async () => {
    const { reader, calls, world, clock } = setUp({ devices: [device('home', ['a'])] });
    await settled();
    world.answer = (target) => clock.sleep(100).then(() => recordOf(target));
    const read = { device: device('home', ['a']), target: { installation: '1', gateway: '2', device: 'home', feature: 'a' } };
    const both = Promise.all([reader.read(read), reader.read(read)]);
    await clock.pass(100);
    const [first, second] = await both;
    expect(first).toBe(second);
    expect(calls).toHaveLength(2);
    const later = reader.read(read);
    await clock.pass(100);
    await later;
    expect(calls).toHaveLength(3);
  });
});

describe('the allowance', () => {
  test('stretches an interval that it cannot carry, with one warning', async () => {
    const features = Array.from({ length: 30 }, (_, n) => `f${n}`);
    const { clock, calls, poller, logged } = setUp({
      devices: [device('home', features)],
      seconds: 10,
      allowance: { per_10_minutes: 120, per_day: 1450, reserve_for_commands: 50 },
    });
    expect(poller.interval.seconds).toBe(Math.ceil((30 * 86_400) / (1400 * 0.98)));
    expect(logged).toMatchObject([{ level: 'warn', facts: { wanted_s: 10, poll_s: 1890 }, sentence: expect.stringContaining('30 reads') }]);
    await clock.pass(86_400_000);
    expect(calls.length).toBeLessThanOrEqual(1400);
    expect(calls.length).toBeGreaterThan(1350);
    expect(logged).toHaveLength(1);
  });

  test('is not passed, even where somebody asks for polls all day: the reserve stays for commands', async () => {
    const { clock, calls, poller, quota } = setUp({
      devices: [device('home', ['a', 'b', 'c'])],
      seconds: 600,
      allowance: { per_10_minutes: 12, per_day: 200, reserve_for_commands: 50 },
    });
    for (let minute = 0; minute < 6 * 60; minute += 1) {
      poller.pollNow();
      await clock.pass(60_000);
      const tenMinutes = calls.filter(({ at }) => at > clock.elapsedMs() / 1000 - 600);
      expect(tenMinutes.length).toBeLessThanOrEqual(10);
    }
    expect(calls.length).toBeLessThanOrEqual(150);
    expect(quota.mayCommand(clock.elapsedMs())).toBe(true);
  });

  test('a pause after 429 is kept to its end, and the read comes then', async () => {
    const { clock, at, quota } = setUp({ devices: [device('home', ['a'])], seconds: 60 });
    await clock.pass(30_000);
    quota.refused(Object.assign(failure('rate_limited'), { limitReset: clock.now() + 1000_000 }), clock.elapsedMs(), 0);
    await clock.pass(999_000);
    expect(at('home/a')).toEqual([0]);
    await clock.pass(6000);
    expect(at('home/a')).toEqual([0, 1030]);
  });
});

describe('other reads', () => {
  test('from now on: those that stay keep their beat, new ones come at once, the rest no more', async () => {
    const home = device('home', ['a', 'b']);
    const { clock, at, poller } = setUp({ devices: [home] });
    await clock.pass(30_000);
    poller.setReads(readsOf([{ ...home, features: ['a', 'd'] }], 'feature'));
    await clock.pass(125_000);
    expect([at('home/a'), at('home/b'), at('home/d')]).toEqual([[0, 60, 120], [0], [30, 90, 150]]);
  });

  test('a read that shows a device more comes at once, also when it was under way', async () => {
    const [one, two] = [device('one', ['*']), device('two', ['*'])];
    const { clock, calls, poller } = setUp({ devices: [one, two], read: 'device', seconds: 600 });
    await clock.pass(1000);
    const target = { installation: one.installation, gateway: one.gateway };
    poller.setReads([{ device: one, target }]);
    await clock.pass(1000);
    poller.setReads([{ device: one, others: [two], target }]);
    await clock.pass(1000);
    poller.setReads([{ device: one, target }]);
    await clock.pass(1000);
    expect(calls.slice(2).map(({ at, what }) => [at, what])).toEqual([
      [1, 'undefined/*'],
      [2, 'undefined/*'],
    ]);
  });
});
