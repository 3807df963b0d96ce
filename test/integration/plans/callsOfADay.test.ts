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
const PROFILES = ['away', 'guests', 'summer', 'winter'].map((name, hour) => readProfile(name, `daily 0${hour}:00-19:00 on`));
const WEEK = { type: 'Schedule', required: true, constraints: { maxEntries: 4, resolution: 10, modes: ['on'], defaultMode: 'off' } };

/** `lags`: shows what was written after 50 seconds; `loses`: carries it out, and its answer is lost; `refuses`: the gateway is offline. */
type Mood = 'well' | 'lags' | 'loses' | 'refuses';

const failure = (code: string, executed: CallFailure['executed']): CallFailure => Object.assign(new Error(code), { code, executed });

/** A bridge to which all that plans is open, on a platform that counts what was spent for writes (POSTs, and reads that are no polls). */
const plansWorld = () => {
  const time = virtualTime();
  const spent: number[] = [];
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
      calendarRules: ['Away -> profile away', 'Guests -> profile guests; on heating.circuits.*'],
      seasons: [`home ${PUMP}: summer summer, winter winter, from 11-23 to 11-25`],
      pricePlan: { topic: PRICES, unit: 'kWh', currency: 'EUR', windows: WINDOWS },
    },
    time,
  );
  const send = (topic: string, value: unknown): void => system.send(topic, typeof value === 'string' ? value : JSON.stringify(value));
  const at = (hours: number): string => new Date(time.now() + hours * HOUR_MS).toISOString();
  return {
    ...{ time, system, now, weeks },
    begin: async (): Promise<void> => {
      await system.start();
      await time.pass(2 * MINUTE_MS);
      const { key } = JSON.parse(system.retained.get(`${BASE}/bridge/calendar`) ?? '{}');
      send(`${BASE}/bridge/calendar/set`, key);
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

const MOODS = ['well', 'lags', 'lags', 'loses', 'refuses'] as const;
const event = fc.record({
  title: fc.constantFrom('Away', 'Guests'),
  from: fc.integer({ min: -2, max: 4 }),
  hours: fc.constantFrom(2, 5, 30, 200),
});
const step = fc.record({
  afterS: fc.oneof(fc.integer({ min: 1, max: 70 }), fc.integer({ min: 60, max: 3600 })),
  what: fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('events' as const), events: fc.array(event, { maxLength: 2 }) }) },
    fc.record({ kind: fc.constant('prices' as const), order: fc.constantFrom('once', 'daily', 'off') }),
    fc.record({ kind: fc.constant('mood' as const), mood: fc.constantFrom(...MOODS) }),
    fc.record({ kind: fc.constant('clock' as const), hours: fc.constantFrom(-9000, -30, -1, 1, 30, 9000) }),
    fc.record({ kind: fc.constantFrom('surplus' as const, 'restart' as const, 'kill' as const, 'rest' as const) }),
  ),
});

test('whatever plans, and however often it is cancelled, restarted, killed or set to another time: under 40 calls of 24 hours, and the own weeks come back', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 25 }), async (steps) => {
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
        else if (what.kind === 'rest') await world.passes(8 * HOUR_MS);
        else {
          if (what.kind === 'kill') system.kill();
          else await system.stop();
          await system.start();
        }
        expect(world.most()).toBeLessThan(40);
      }
      now.mood = 'well';
      time.setWall(time.trueMs() - time.now());
      world.events([]);
      world.prices('off');
      await world.passes(4 * DAY_MS);
      expect(world.most()).toBeLessThan(40);
      for (const feature of SCHEDULES.filter((one) => one !== PUMP)) expect(weeks.get(feature), feature).toEqual(OWN);
      await system.stop();
    }),
    // Each case takes a second.
    { numRuns: IS_LONG ? 40 : 4 },
  );
}, 600_000);
