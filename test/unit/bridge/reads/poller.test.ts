import { describe, expect, onTestFinished, test } from 'vitest';
import type { Body, Target } from '../../../../src/bridge/ports.ts';
import { featureReader } from '../../../../src/bridge/reads/featureReader.ts';
import { makePoller } from '../../../../src/bridge/reads/poller.ts';
import { rateLimiter } from '../../../../src/bridge/reads/rateLimiter.ts';
import { type ReadMode, readsOf } from '../../../../src/bridge/reads/readPlanner.ts';
import type { Device } from '../../../../src/bridge/state/deviceState.ts';
import type { ReadResult } from '../../../../src/bridge/state/readTarget.ts';
import { bodyOf } from '../../../support/devices/bodyOf.ts';
import { storeOf } from '../../../support/devices/featureStore.ts';
import { type Steps, storiesIn, tellBy } from '../../../support/story.ts';
import { recordingLog } from '../../../support/system/testSystem.ts';
import { fakeClock, settled } from '../../../support/time/fakeClock.ts';

const GENEROUS = { per_10_minutes: 100_000, per_day: 10_000_000, reserve_for_commands: 50 };

const PLACE = { installation: '1', gateway: '2' };
const ALLOWANCE = { per_10_minutes: 120, per_day: 1450, reserve_for_commands: 50 };

const device = (name: string, features: readonly string[]): Device => ({ ...PLACE, name, device: name, features, exclude: [] });

/** The read of one feature of the device `home`. */
const readOf = (feature: string) => ({ device: device('home', [feature]), target: { ...PLACE, device: 'home', feature } });

const failure = (code: string) => Object.assign(new Error(code), { code, executed: 'no' as const });

type Options = {
  readonly devices?: readonly Device[];
  readonly seconds?: 'auto' | number;
  readonly jitter?: number;
  readonly read?: ReadMode;
  readonly allowance?: Parameters<typeof rateLimiter>[0];
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
  const quota = rateLimiter(allowance, clock);
  const world = { answer: options.answer ?? (async (target: Target): Promise<unknown> => recordOf(target)), under: 0, most: 0 };
  const platform = {
    fetchFeatures: async (target: Target, signal: AbortSignal): Promise<Body> => {
      calls.push({ at: clock.elapsedMs() / 1000, what: `${target.device}/${target.feature ?? '*'}` });
      quota.count();
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

/** `home=a,b other=c`: devices with their features. */
const devicesOf = (words: readonly string[]): readonly Device[] =>
  words.map((word) => device(word.replace(/=.*/, ''), word.replace(/.*=/, '').split(',')));

/** What the platform does in a story; by default it gives the record asked for. */
const ANSWERS: Readonly<Record<string, NonNullable<Options['answer']>>> = {
  hang: () => new Promise(() => undefined),
  fail: () => Promise.reject(failure('not_found')),
  'fail-for-a': (target) => (target.feature === 'a' ? Promise.reject(failure('not_found')) : Promise.resolve(recordOf(target))),
};

/** `home=a,b every=600 mode=device answers=hang scarce`: the devices with their features, and how they are read. */
const optionsOf = (words: readonly string[]): Options => {
  const of = (name: string): string | undefined => words.find((word) => word.startsWith(`${name}=`))?.replace(/.*=/, '');
  const answer = ANSWERS[of('answers') ?? ''];
  return {
    devices: devicesOf(words.filter((word) => /^(?:home|other)=/.test(word))),
    seconds: Number(of('every') ?? 60),
    read: of('mode') === 'device' ? 'device' : 'feature',
    allowance: words.includes('scarce') ? ALLOWANCE : GENEROUS,
    ...(answer && { answer }),
  };
};

/** What can happen in a story: a word and what belongs to it; `; ` between steps. */
const tellStory = async (first = '', ...parts: readonly string[]): Promise<void> => {
  const { clock, stop, at, calls, poller, quota, world, rounds } = setUp(optionsOf(first.split(' ')));
  // When a feature was read, in seconds: `home/a 0 60`.
  const reads = ['home/a', 'home/b', 'home/d', 'other/b', 'other/c', 'other/d'].map((what) => [
    what,
    (rest: readonly string[]) => expect(at(what)).toEqual(rest.map(Number)),
  ]);
  const steps: Steps = {
    ...Object.fromEntries(reads),
    pass: ([seconds]) => clock.pass(1000 * Number(seconds)),
    poll: () => poller.pollNow(),
    ask: (rest) => expect(Object.values(poller.ask(rest[0] === 'all' ? undefined : rest[0])).join(' ')).toBe(rest.slice(1).join(' ')),
    counted: ([feature = '']) => poller.counted(readOf(feature)),
    worked: ([feature = '']) => poller.worked(readOf(feature)),
    reads: (rest) => poller.setReads(readsOf(devicesOf(rest), 'feature')),
    refused: ([seconds]) => {
      const limitReset = clock.now() + 1000 * Number(seconds);
      quota.refused(Object.assign(failure('rate_limited'), { limitReset }), 0);
    },
    // What the platform does from now on, and after how many seconds.
    answers: ([what = '', seconds = '0']) => {
      const fails = () => Promise.reject(failure(what));
      world.answer = what === 'good' ? (target) => clock.sleep(1000 * Number(seconds)).then(() => recordOf(target)) : fails;
    },
    stop: () => stop.abort(),
    calls: (rest) => expect(calls.map(({ what }) => what)).toEqual(rest),
    rounds: ([count]) => expect(rounds()).toBe(Number(count)),
  };
  await settled();
  await tellBy(steps, parts);
};

test.each(
  storiesIn(`
    of feature mode: one for each feature and round, the first round at once, later ones spread over the interval
      home=a,b other=c,d
      calls home/a home/b other/c other/d; rounds 1; pass 239; home/a 0 60 120 180; home/b 0 75 135 195; other/c 0 90 150 210
      other/d 0 105 165 225
    of device mode: one for each device and round
      home=a,b other=c mode=device
      pass 100; calls home/* other/* home/* other/*
    stay on their beat, however long each takes
      home=a
      answers good 7; pass 400; home/a 0 60 120 180 240 300 360
    end with the signal, also in the midst of the first round
      home=a,b answers=hang
      stop; pass 1000; calls home/a; rounds 0
    that fail for good are not asked for sooner because a command tries it, and go on as before when that works
      home=a answers=fail
      pass 1800; counted a; pass 1500; home/a 0; answers good; worked a; pass 180; home/a 0 3360 3420 3480
    that are refused after other failures wait for an hour, whatever the others were
      home=a
      answers device_error; pass 300; answers not_found; pass 3700; calls home/a home/a home/a home/a; pass 500
      calls home/a home/a home/a home/a home/a
    that fail in the first round do not hold up the others
      home=a,b answers=fail-for-a
      home/b 0; rounds 1
    are made at once on request, of all devices or the one that is named; the others keep their beat
      home=a other=b every=600
      pass 100; ask other due; home/a 0; other/b 0 100; poll; home/a 0 100; other/b 0 100 100; ask nobody nothing; home/a 0 100
      pass 600; home/a 0 100 700
    are made on request once a minute, by whatever name; the answer says when again
      home=a other=b every=7200 scarce
      pass 1; ask other due; pass 1; ask other lately 59000; ask all due; pass 1; home/a 0 2; other/b 0 1; ask all lately 58000
      pass 58; ask other due
    are followed by one more where they are requested while one is under way
      home=a every=600
      answers good 5; poll; pass 1; poll; poll; poll; pass 100; home/a 0 0 5
    that somebody else made count as this round’s
      home=a every=600
      pass 500; counted a; counted unknown; pass 599; home/a 0; pass 2; home/a 0 1100
    wait for the end of a pause after 429, and come then
      home=a
      pass 30; refused 1000; pass 999; home/a 0; pass 6; home/a 0 1030
    from now on: those that stay keep their beat, new ones come at once, the rest no more
      home=a,b
      pass 30; reads home=a,d; pass 125; home/a 0 60 120; home/b 0; home/d 30 90 150
  `),
)('the reads %s', (_, ...story) => tellStory(...story));

test('the reads are never two at a time', async () => {
  const world = setUp({ devices: [device('home', ['a', 'b', 'c', 'd'])], seconds: 1 });
  await settled();
  world.world.answer = (target) => world.clock.sleep(700).then(() => recordOf(target));
  await world.clock.pass(20_000);
  expect(world.world.most).toBe(1);
  expect(world.calls.length).toBeGreaterThan(20);
});

test('the reads vary by the jitter and no more', async () => {
  const { clock, at } = setUp({ devices: [device('home', ['a'])], seconds: 100, jitter: 0.1 });
  await clock.pass(6_000_000);
  const seen = at('home/a');
  const gaps = seen.slice(2).map((second, n) => second - (seen[n + 1] ?? 0));
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(89);
  expect(Math.max(...gaps)).toBeLessThanOrEqual(111);
  expect(new Set(gaps).size).toBeGreaterThan(5);
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
});

test('two reads of the same at the same time are one call', async () => {
  const { reader, calls, world, clock } = setUp({ devices: [device('home', ['a'])] });
  await settled();
  world.answer = (target) => clock.sleep(100).then(() => recordOf(target));
  const read = readOf('a');
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

describe('the allowance', () => {
  test('stretches an interval that it cannot carry, with one warning', async () => {
    const features = Array.from({ length: 30 }, (_, n) => `f${n}`);
    const { clock, calls, poller, logged } = setUp({ devices: [device('home', features)], seconds: 10, allowance: ALLOWANCE });
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
    expect(quota.mayCommand()).toBe(true);
  });
});

test('a read that shows a device more comes at once, also when it was under way', async () => {
  const [one, two] = [device('one', ['*']), device('two', ['*'])];
  const { clock, calls, poller } = setUp({ devices: [one, two], read: 'device', seconds: 600 });
  await clock.pass(1000);
  poller.setReads([{ device: one, target: PLACE }]);
  await clock.pass(1000);
  poller.setReads([{ device: one, others: [two], target: PLACE }]);
  await clock.pass(1000);
  poller.setReads([{ device: one, target: PLACE }]);
  await clock.pass(1000);
  expect(calls.slice(2).map(({ at, what }) => [at, what])).toEqual([
    [1, 'undefined/*'],
    [2, 'undefined/*'],
  ]);
});
