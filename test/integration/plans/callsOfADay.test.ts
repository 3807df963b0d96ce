import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CallFailure } from '../../../src/bridge/ports.ts';
import { readWindow, type Window } from '../../../src/schedule/prices/window.ts';
import { readProfile } from '../../../src/schedule/profile.ts';
import { IS_LONG } from '../../support/chance.ts';
import { bodyOf } from '../../support/devices/bodyOf.ts';
import { daily } from '../../support/schedules/weeks.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, type OpenPlatform, SECOND_MS, virtualSystem } from '../../support/system/virtualSystem.ts';
import { virtualTime } from '../../support/time/virtualTime.ts';

const BASE = 'heating2mqtt';
const PRICES = 'home/prices';
const WINDOWS = ['22:00-06:30 60 min', '11:00-18:00 60 min'].map((text): Window => readWindow(text) ?? { ready: 0, need: 0, from: 0 });
const WATER = 'heating.dhw.schedule';
const PUMP = 'heating.dhw.pumps.circulation.schedule';
const SCHEDULES = [WATER, PUMP, ...[0, 1, 2].map((circuit) => `heating.circuits.${circuit}.heating.schedule`)];
const OWN = daily('05:00-22:00 on');
const [SUMMER, WINTER] = [daily('02:00-19:00 on'), daily('03:00-19:00 on')];
const PROFILES = ['away', 'guests', 'summer', 'winter'].map((name, hour) => readProfile(name, `daily 0${hour}:00-19:00 on`));
const WEEK = { type: 'Schedule', required: true, constraints: { maxEntries: 4, resolution: 10, modes: ['on'], defaultMode: 'off' } };

/**
 * `lags`: shows what was written after 50 seconds; `loses`: carries it out, and its answer is lost; `refuses`: the gateway is offline;
 * `ignores`: accepts it, and does nothing.
 */
type Mood = 'well' | 'lags' | 'loses' | 'refuses' | 'ignores';

const failure = (code: string, executed: CallFailure['executed']): CallFailure => Object.assign(new Error(code), { code, executed });

/** A bridge to which all that plans is open, on a platform that counts what was spent for writes (POSTs, and reads that are no polls). */
const plansWorld = () => {
  const time = virtualTime();
  const spent: number[] = [];
  let tries = 0;
  const weeks = new Map<string, unknown>(SCHEDULES.map((feature) => [feature, OWN]));
  const now = { mood: 'well' as Mood, charging: false };
  const coming: { readonly atMs: number; readonly show: () => void }[] = [];
  const record = (feature: string, properties: object, commands: readonly string[] = [], params: object = {}) => ({
    ...{ feature, gatewayId: '2', deviceId: '0', isEnabled: true, isReady: true, apiVersion: 1, uri: '', properties },
    ...{ timestamp: '2026-11-21T06:00:00.000Z' },
    commands: Object.fromEntries(commands.map((name) => [name, { name, isExecutable: true, uri: '', params }])),
  });
  const celsius = (value: number) => ({ value: { type: 'number', unit: 'celsius', value } });
  const records = () => [
    ...SCHEDULES.map((feature) =>
      record(
        feature,
        { active: { type: 'boolean', value: true }, entries: { type: 'Schedule', value: weeks.get(feature) } },
        ['setSchedule'],
        {
          newSchedule: WEEK,
        },
      ),
    ),
    record('heating.dhw', { active: { type: 'boolean', value: true } }),
    record('heating.dhw.oneTimeCharge', { active: { type: 'boolean', value: now.charging } }, ['activate']),
    record('heating.dhw.sensors.temperature.dhwCylinder', celsius(40)),
    record('heating.dhw.temperature.main', celsius(50)),
    record('heating.compressors', { enabled: { type: 'array', value: ['0'] } }),
  ];
  const open: OpenPlatform = async (_, onCall, __, isPoll) => ({
    platform: {
      fetchFeatures: async () => {
        onCall();
        if (!isPoll()) spent.push(time.elapsedMs());
        for (const one of coming.filter(({ atMs }) => atMs <= time.elapsedMs())) one.show();
        return bodyOf({ data: records() });
      },
      execute: async ({ feature }, command, args) => {
        onCall();
        spent.push(time.elapsedMs());
        if (now.mood === 'refuses') throw failure('gateway_offline', 'no');
        tries += 1;
        if (now.mood === 'ignores') return { adapted: false };
        const show = (): void => {
          if (command === 'activate') now.charging = true;
          else weeks.set(feature, args['newSchedule']);
        };
        coming.push({ atMs: time.elapsedMs() + (now.mood === 'lags' ? 50 * SECOND_MS : 0), show });
        if (now.mood === 'loses') throw failure('timeout', 'unknown');
        return { adapted: false };
      },
    },
    auth: () => ({ state: 'ok', since: '', message: '' }),
    close: async () => undefined,
  });
  const system = virtualSystem(
    [{ name: 'home', installation: '1', gateway: '2', device: '0', features: ['*'], exclude: [] }],
    open,
    {
      ...{ read: 'device', poll: { seconds: 7200, jitter: 0 }, profiles: PROFILES, commands: { fresh_s: 5 } },
      calendarRules: [
        'Away -> profile away',
        'Guests -> profile guests; on heating.circuits.*',
        'Cellar -> profile guests; on heating.circuits.0.*',
      ],
      seasons: [`home ${PUMP}: summer summer, winter winter, from 11-23 to 11-25`],
      pricePlan: { topic: PRICES, unit: 'kWh', currency: 'EUR', windows: WINDOWS },
    },
    time,
  );
  const send = (topic: string, value: unknown): void => system.send(topic, typeof value === 'string' ? value : JSON.stringify(value));
  const fromPage = (feature: string, leaf: string, payload: string): void => {
    const topic = `${BASE}/home/${feature.replaceAll('.', '/')}/${leaf}`;
    system.view().submit({ topic, payload: Buffer.from(payload), by: { kind: 'page' }, onAnswer: () => undefined });
  };
  const at = (hours: number): string => new Date(time.now() + hours * HOUR_MS).toISOString();
  return {
    ...{ time, system, now, weeks, tries: () => tries },
    begin: async (): Promise<void> => {
      await system.start();
      await time.pass(2 * MINUTE_MS);
      for (const plan of ['calendar', 'seasons']) {
        const { key } = JSON.parse(system.retained.get(`${BASE}/bridge/${plan}`) ?? '{}');
        send(`${BASE}/bridge/${plan}/set`, key);
      }
    },
    events: (all: readonly { readonly title: string; readonly from: number; readonly hours: number }[]): void =>
      send(`${BASE}/calendar/set`, {
        events: all.map(({ title, from, hours }) => ({ summary: title, start: at(from), end: at(from + hours) })),
      }),
    prices: (order: string): void => {
      const from = Math.floor(time.now() / HOUR_MS) * HOUR_MS - DAY_MS;
      const hour = (index: number): string => new Date(from + index * HOUR_MS).toISOString();
      send(
        PRICES,
        Array.from({ length: 96 }, (_, index) => ({ start: hour(index), end: hour(index + 1), value: index % 4 === 0 ? 0.05 : 0.5 })),
      );
      send(`${BASE}/bridge/price_plan/set`, order);
    },
    /** A person writes a week on the page, for some hours. */
    page: (feature: string, hours: number): void =>
      fromPage(feature, 'set', JSON.stringify({ value: `daily ${hours % 9}:30-23:00 on`, for: `${hours}h` })),
    pageEnds: (feature: string): void => fromPage(feature, 'until/set', 'now'),
    surplus: (): void => {
      now.charging = false;
      send(`${BASE}/home/heating/dhw/oneTimeCharge/surplus/set`, 'true');
    },
    /** Time passes: exactly while a write is confirmed, then in steps of an hour, which costs the test less. */
    passes: async (ms: number): Promise<void> => {
      await time.pass(Math.min(ms, 3 * MINUTE_MS));
      for (let left = ms - 3 * MINUTE_MS; left > 0; left -= HOUR_MS) await time.suspend(Math.min(left, HOUR_MS));
    },
    /** The most that was spent in 24 hours, however they are laid. */
    most: (): number => Math.max(0, ...spent.map((from, index) => spent.slice(index).filter((ms) => ms < from + DAY_MS).length)),
  };
};

test.each([
  ['half an hour, and comes soon after it', 0.5],
  ['three hours, so long that it has to wait for calls, which is shown', 3],
])('a return that the device ignores for %s', async (_, ignoredH) => {
  const world = plansWorld();
  const { time, system, now, weeks } = world;
  const feature = 'heating.circuits.0.heating.schedule';
  await world.begin();
  world.events([{ title: 'Guests', from: 0, hours: 1 }]);
  await time.pass(30 * MINUTE_MS);
  expect(weeks.get(feature)).not.toEqual(OWN);
  now.mood = 'ignores';
  await time.pass((0.6 + ignoredH) * HOUR_MS);
  expect(weeks.get(feature)).not.toEqual(OWN);
  now.mood = 'well';
  await time.pass(MINUTE_MS);
  const { owner, waits } = JSON.parse(system.retained.get(`${BASE}/home/${feature.replaceAll('.', '/')}/overview`) ?? '{}');
  expect([owner, waits]).toEqual(['calendar', ignoredH > 1 ? 'calls' : undefined]);
  await time.pass(HOUR_MS);
  if (ignoredH > 1) await world.passes(DAY_MS);
  expect(weeks.get(feature)).toEqual(OWN);
  expect(world.most()).toBeLessThan(40);
});

/** Plans with an event of 30 hours whose week the device ignores. */
const ignoredEvent = async (title = 'Guests') => {
  const world = plansWorld();
  await world.begin();
  world.now.mood = 'ignores';
  world.events([{ title, from: 0, hours: 30 }]);
  return { world, feature: 'heating.circuits.0.heating.schedule' };
};

test('an event whose write the device ignores is written again, ever more rarely, until the device takes it; its week ends in time', async () => {
  const { world, feature } = await ignoredEvent();
  const { time, now, weeks } = world;
  await time.pass(3 * HOUR_MS);
  expect(weeks.get(feature)).toEqual(OWN);
  expect(world.most()).toBeLessThan(40);
  now.mood = 'well';
  await world.passes(26 * HOUR_MS);
  expect(weeks.get(feature)).toEqual(daily('01:00-19:00 on'));
  await world.passes(2 * HOUR_MS);
  expect(weeks.get(feature)).toEqual(OWN);
  expect(world.most()).toBeLessThan(40);
});

test.each([
  ['first', 1, 1],
  ['first', 1, 40],
  ['second', 2, 1],
  ['second', 2, 40],
])('an ignored write is not taken as carried out after a kill: at the %s try', async (_, count, afterS) => {
  const { world, feature } = await ignoredEvent('Cellar');
  const { time, system, now, weeks, tries } = world;
  while (tries() < count) await time.pass(SECOND_MS);
  await time.pass((afterS - 1) * SECOND_MS);
  system.kill();
  now.mood = 'well';
  await system.start();
  await world.passes(8 * HOUR_MS);
  expect(weeks.get(feature)).toEqual(daily('01:00-19:00 on'));
  await world.passes(24 * HOUR_MS);
  expect(weeks.get(feature)).toEqual(OWN);
  expect(world.most()).toBeLessThan(40);
});

test('an event that the device took late, after its write seemed ignored, ends soon after it is taken back', async () => {
  const { world, feature } = await ignoredEvent();
  const { time, now, weeks } = world;
  await time.pass(10 * MINUTE_MS);
  now.mood = 'well';
  weeks.set(feature, daily('01:00-19:00 on'));
  world.events([]);
  await time.pass(10 * MINUTE_MS);
  expect(weeks.get(feature)).toEqual(OWN);
});

const MOODS = ['well', 'lags', 'lags', 'loses', 'refuses'] as const;
const event = fc.record({
  title: fc.constantFrom('Away', 'Guests'),
  from: fc.integer({ min: -2, max: 4 }),
  hours: fc.constantFrom(2, 5, 30, 200),
});
const AFTER_S = fc.oneof(fc.integer({ min: 1, max: 70 }), fc.integer({ min: 60, max: 3600 }));
const step = fc.record({
  afterS: AFTER_S,
  what: fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('events' as const), events: fc.array(event, { maxLength: 2 }) }) },
    fc.record({ kind: fc.constant('prices' as const), order: fc.constantFrom('once', 'daily', 'off') }),
    fc.record({ kind: fc.constant('mood' as const), mood: fc.constantFrom(...MOODS) }),
    fc.record({ kind: fc.constant('clock' as const), hours: fc.constantFrom(-9000, -30, -1, 1, 30, 9000) }),
    fc.record({ kind: fc.constantFrom('surplus' as const, 'restart' as const, 'kill' as const, 'rest' as const) }),
  ),
});

const page = fc.record({
  afterS: AFTER_S,
  what: fc.record({ kind: fc.constant('page' as const), feature: fc.constantFrom(...SCHEDULES), hours: fc.constantFrom(1, 3, 30) }),
});
const size = { minLength: 10, maxLength: 25 };

test('whatever plans, and however often it is cancelled, restarted, killed or set to another time: under 40 calls of 24 hours, and the own weeks come back', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.array(step, size), fc.array(fc.oneof({ weight: 3, arbitrary: step }, page), size)), async (steps) => {
      // A person's own calls count not among those of plans.
      const isUnattended = !steps.some(({ what }) => what.kind === 'page');
      const world = plansWorld();
      const { time, system, now, weeks } = world;
      await world.begin();
      for (const { afterS, what } of steps) {
        await world.passes(afterS * SECOND_MS);
        if (what.kind === 'events') world.events(what.events);
        else if (what.kind === 'prices') world.prices(what.order);
        else if (what.kind === 'mood') now.mood = what.mood;
        else if (what.kind === 'clock') time.setWall(what.hours * HOUR_MS);
        else if (what.kind === 'surplus') world.surplus();
        else if (what.kind === 'page') world.page(what.feature, what.hours);
        else if (what.kind === 'rest') await world.passes(8 * HOUR_MS);
        else {
          if (what.kind === 'kill') system.kill();
          else await system.stop();
          await system.start();
        }
        if (isUnattended) expect(world.most()).toBeLessThan(40);
      }
      now.mood = 'well';
      time.setWall(time.trueMs() - time.now());
      world.events([]);
      world.prices('off');
      // The clock may have been set back before the end of a person's write.
      if (!isUnattended) for (const feature of SCHEDULES) world.pageEnds(feature);
      await world.passes(4 * DAY_MS);
      if (isUnattended) expect(world.most()).toBeLessThan(40);
      for (const feature of SCHEDULES.filter((one) => one !== PUMP)) expect(weeks.get(feature), feature).toEqual(OWN);
      expect([OWN, SUMMER, WINTER]).toContainEqual(weeks.get(PUMP));
      await system.stop();
    }),
    // Each case takes a second.
    { numRuns: IS_LONG ? 40 : 4 },
  );
}, 600_000);
