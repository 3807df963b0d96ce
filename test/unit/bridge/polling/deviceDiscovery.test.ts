import { describe, expect, onTestFinished, test } from 'vitest';
import type { Choice } from '../../../../src/bridge/devices/deviceInventory.ts';
import { deviceDiscovery } from '../../../../src/bridge/polling/deviceDiscovery.ts';
import { RateLimiter } from '../../../../src/bridge/quota/rateLimiter.ts';
import { keyedStore } from '../../../support/system/keptInMemory.ts';
import { recordingLog } from '../../../support/system/testSystem.ts';
import { fakeClock, settled } from '../../../support/time/fakeClock.ts';

const ALLOWANCE = { per_10_minutes: 120, per_day: 1450, reserve_for_commands: 50 };
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const page = (...ids: readonly string[]) => ({
  data: [
    {
      id: 1,
      gateways: [{ serial: '2', devices: ids.map((id) => ({ id, gatewaySerial: '2', modelId: 'm', deviceType: 'heating', roles: [] })) }],
    },
  ],
});

const failure = (code: string) => Object.assign(new Error(code), { code, executed: 'no' as const });

/** A discovery on a clock of its own; each list that it asks for notes its moment in minutes. */
const setUp = (answer: () => unknown, kept: ReadonlyMap<string, unknown> = new Map(), choices: readonly Choice[] = []) => {
  const clock = fakeClock();
  const world = { answer, kept: new Map(kept) };
  const asked: number[] = [];
  const logged: { level: string; facts: object; sentence: string }[] = [];
  const quota = new RateLimiter(ALLOWANCE, clock);
  const discovery = deviceDiscovery({
    equipment: {
      readInstallations: async () => {
        asked.push(Math.round(clock.elapsedMs() / MINUTE_MS));
        quota.count(clock.elapsedMs());
        return [world.answer()];
      },
    },
    store: keyedStore(world.kept),
    choices,
    goneAfterH: 24,
    published: [],
    quota,
    clock,
    log: recordingLog(logged),
  });
  const stop = new AbortController();
  const found: string[][] = [];
  const failures: string[] = [];
  const run = discovery.run(stop.signal, {
    devicesFound: (devices) => void found.push(devices.map(({ device }) => device)),
    callFailed: ({ code }) => void failures.push(code),
  });
  onTestFinished(async () => {
    stop.abort();
    await run;
  });
  return { clock, world, asked, logged, quota, discovery, found, failures };
};

const refuse = (code: string) => () => {
  throw failure(code);
};

describe('the list of devices', () => {
  test('is asked for at once where nothing is known, then once a day', async () => {
    const { clock, asked, found } = setUp(() => page('0', '1'));
    await clock.pass(49 * HOUR_MS);
    expect(asked).toEqual([0, 24 * 60, 48 * 60]);
    expect(found).toEqual([
      ['0', '1'],
      ['0', '1'],
      ['0', '1'],
    ]);
  });

  test('that is known from disk is asked for when it is a day old, whatever the clock was set to', async () => {
    const now = Date.parse('2026-11-21T06:00:00Z');
    const listedAt = (listed_at_ms: number) =>
      new Map<string, unknown>([
        ['listing', { listed_at_ms }],
        ['2/0', { installation: '1', gateway: '2', device: '0', roles: [] }],
      ]);
    const young = setUp(() => page('0'), listedAt(now - 20 * HOUR_MS));
    expect(young.discovery.devices()?.map(({ device }) => device)).toEqual(['0']);
    const ahead = setUp(() => page('0'), listedAt(now + 20 * HOUR_MS));
    await young.clock.pass(5 * HOUR_MS);
    await ahead.clock.pass(5 * HOUR_MS);
    expect([young.asked, ahead.asked]).toEqual([[240], [0]]);
  });

  test.each([
    ['server_error', [0, 1, 3, 7, 15, 30, 45, 60]],
    ['bad_answer', [0, 1, 3, 7, 15, 30, 45, 60]],
    ['gone', [0, 60]],
    ['not_paid', [0, 60]],
    // Neither costs a call, and a login that somebody has left beside the bridge is taken up soon.
    ['login_needed', Array.from({ length: 61 }, (_, minute) => minute)],
    ['identity_unavailable', Array.from({ length: 61 }, (_, minute) => minute)],
  ])('that fails (%s) is asked for again after growing pauses, and told once', async (code, minutes) => {
    const { clock, asked, failures, logged, world } = setUp(refuse(code));
    await clock.pass(HOUR_MS);
    expect(asked).toEqual(minutes);
    expect(failures).toEqual(minutes.map(() => code));
    // That a login is needed is told elsewhere.
    expect(logged.map(({ level }) => level)).toEqual([code === 'login_needed' ? 'debug' : 'warn']);
    world.answer = () => page('0');
    await clock.pass(6 * HOUR_MS);
    expect(logged.map(({ sentence }) => sentence).slice(1)).toEqual(['the list of devices can be read again', 'devices were found']);
  });

  test.each([
    ['nothing', undefined],
    ['a text', 'x'],
    ['rubbish', { data: 7 }],
    ['rotten gateways', { data: [{ id: 1, gateways: 5 }, null, 3] }],
  ])('that is %s takes no device away and ends nothing', async (_, body) => {
    const { clock, world, discovery, asked, logged } = setUp(() => page('0'));
    await clock.pass(HOUR_MS);
    world.answer = () => body;
    await clock.pass(80 * HOUR_MS);
    expect(discovery.devices()?.map(({ device }) => device)).toEqual(['0']);
    expect(asked.length).toBeGreaterThan(2);
    expect(logged.filter(({ level }) => level === 'warn')).toHaveLength(1);
  });

  test('that is empty is told, and asked for again within hours', async () => {
    const { clock, asked, found, logged, world } = setUp(() => ({ data: [] }));
    await clock.pass(20 * HOUR_MS);
    expect(asked).toEqual([0, 60, 7 * 60]);
    expect(logged.map(({ level, sentence }) => `${level} ${sentence}`)).toEqual(['warn the list of devices is empty; those known stay']);
    world.answer = () => page('0');
    await clock.pass(12 * HOUR_MS);
    expect(found.at(-1)).toEqual(['0']);
    expect(logged.map(({ sentence }) => sentence).slice(1)).toEqual(['the list of devices can be read again', 'devices were found']);
  });

  test('tells once which entries of the settings choose nothing of it', async () => {
    const choice = (device: string): Choice => ({ device, features: ['*'], exclude: [] });
    const { clock, logged, world } = setUp(() => page('0'), undefined, [choice('0'), choice('7'), choice('*')]);
    const unfit = () => logged.flatMap(({ facts }) => ('entries' in facts ? [facts.entries] : []));
    await clock.pass(49 * HOUR_MS);
    expect(unfit()).toEqual([[{ device: '7' }, { device: '*' }]]);
    world.answer = () => page('0', '7', '8');
    await clock.pass(25 * HOUR_MS);
    world.answer = () => page('0', '8');
    await clock.pass(24 * HOUR_MS);
    expect(unfit()).toHaveLength(1);
  });

  test('that failed for want of a login is asked for at once after one; any other failure waits', async () => {
    const { clock, asked, discovery, world } = setUp(refuse('login_needed'));
    await clock.pass(2.5 * MINUTE_MS);
    expect(asked).toEqual([0, 1, 2]);
    world.answer = refuse('server_error');
    discovery.retry();
    await settled();
    expect(asked).toHaveLength(4);
    discovery.retry();
    await settled();
    expect(asked).toHaveLength(4);
  });

  test('is asked for sooner where something points to a new device, once an hour at most', async () => {
    const { clock, asked, discovery } = setUp(() => page('0'));
    await clock.pass(10 * MINUTE_MS);
    for (let minute = 0; minute < 3 * 60; minute += 1) {
      discovery.lookSoon();
      await clock.pass(MINUTE_MS);
    }
    expect(asked).toEqual([0, 60, 120, 180]);
  });

  test('is not asked for sooner while it fails', async () => {
    const { clock, asked, discovery } = setUp(refuse('gone'));
    for (let minute = 0; minute < 60; minute += 1) {
      discovery.lookSoon();
      await clock.pass(MINUTE_MS);
    }
    expect(asked).toEqual([0, 60]);
  });

  test('waits for the allowance and for the end of a pause', async () => {
    const { clock, asked, quota, world } = setUp(refuse('server_error'));
    await settled();
    world.answer = () => page('0');
    quota.refused(Object.assign(failure('rate_limited'), { limitReset: clock.now() + 2 * HOUR_MS }), clock.elapsedMs(), 0);
    await clock.pass(119 * MINUTE_MS);
    expect(asked).toEqual([0]);
    await clock.pass(2 * MINUTE_MS);
    expect(asked).toEqual([0, 120]);
  });
});
