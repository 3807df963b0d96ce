import { expect, test } from 'vitest';
import { type SeasonParts, seasonKeeper } from '../../../../src/bridge/seasons/seasonKeeper.ts';
import { DeviceState, deviceKey } from '../../../../src/bridge/state/deviceState.ts';
import type { Write } from '../../../../src/bridge/writes/write/write.ts';
import { readSeasonSetting, type SeasonSetting } from '../../../../src/schedule/seasons/seasonSetting.ts';
import { featureOf } from '../../../support/devices/features.ts';
import { keyedStore } from '../../../support/system/keptInMemory.ts';
import { recordingLog } from '../../../support/system/testSystem.ts';

const HOUR_MS = 3_600_000;

const device = { installation: '1', gateway: 'g', device: '0', name: 'home' };

const partsWith = (rule: string, submit: SeasonParts['submit']): SeasonParts => ({
  base: 'heating2mqtt',
  plans: [
    {
      ...(readSeasonSetting(`home heating.dhw.schedule: summer bright, winter dark, ${rule}`) as SeasonSetting),
      weeks: { summer: 'mon-sun 07:00-20:00 on', winter: 'mon-sun 06:00-22:00 on' },
    },
  ],
  approval: { isOn: () => true, report: () => ({ state: 'on', key: '' }) },
  states: new Map([[deviceKey(device), { device } as DeviceState]]),
  store: keyedStore(),
  zone: () => 'UTC',
  ends: { running: () => undefined },
  writes: { at: () => [] },
  series: { of: () => [] },
  calls: { write: () => () => undefined },
  submit,
  publisher: { assign: () => undefined },
});

test.each([
  ['refused', { status: 'rejected' }],
  ['ignored by the device', { status: 'unconfirmed', code: 'not_shown' }],
])('a week that is %s is tried again after 6 and 12 hours, then once a day, until it is taken', (_, refusal) => {
  const startMs = Date.parse('2027-04-20T00:00:00Z');
  let [now, isRefused] = [startMs, true];
  const triesH: number[] = [];
  const parts = partsWith('from 04-01 to 09-30', ({ onAnswer }) => {
    triesH.push(Math.round((now - startMs) / HOUR_MS));
    onAnswer((isRefused ? refusal : { status: 'applied' }) as Parameters<typeof onAnswer>[0]);
  });
  const clock = { now: () => now, elapsedMs: () => now, sleep: () => Promise.resolve() };
  const keeper = seasonKeeper(parts, clock, recordingLog([]));
  for (let hour = 0; hour < 20 * 24; hour += 1, now += HOUR_MS) {
    isRefused = hour < 14 * 24;
    keeper.look();
  }
  const daily = Array.from({ length: 14 }, (_, day) => 24 + 18 + 24 * day);
  expect(triesH).toEqual([24, 24 + 6, ...daily]);
});

test('a season waits for a write that is not carried out yet, and is shown at once when it is written', async () => {
  let nowMs = Date.parse('2027-04-20T00:00:00Z');
  let open: readonly Write[] = [];
  const [sent, told]: [string[], string[]] = [[], []];
  const parts = partsWith('from 04-01 to 09-30', ({ payload, onAnswer }) => {
    sent.push(new TextDecoder().decode(payload));
    queueMicrotask(() => onAnswer({ status: 'applied' } as Parameters<typeof onAnswer>[0]));
  });
  const publisher: SeasonParts['publisher'] = { assign: (_, [message]) => told.push(message?.payload ?? '') };
  const clock = { now: () => nowMs, elapsedMs: () => nowMs, sleep: () => Promise.resolve() };
  const keeper = seasonKeeper({ ...parts, writes: { at: () => open }, publisher }, clock, recordingLog([]));
  const report = (): unknown => JSON.parse(told.at(-1) ?? '').schedules[0];
  keeper.look();
  nowMs += 25 * HOUR_MS;
  open = [{ state: 'queued', key: 1, at: 0, device: '', feature: '', name: 'home', topic: '' }];
  keeper.look();
  expect([sent, report()]).toMatchObject([[], { season: null, waits: 'temporary' }]);
  open = [];
  keeper.look();
  await new Promise(setImmediate);
  expect([sent, report()]).toMatchObject([['bright'], { season: 'summer' }]);
});

test('a week that is refused at once, as it does not fit, is shown at once as refused', async () => {
  let nowMs = Date.parse('2027-04-20T00:00:00Z');
  const told: string[] = [];
  const parts = partsWith('from 04-01 to 09-30', ({ onAnswer }) => onAnswer({ status: 'rejected' } as Parameters<typeof onAnswer>[0]));
  const publisher: SeasonParts['publisher'] = { assign: (_, [message]) => told.push(message?.payload ?? '') };
  const clock = { now: () => nowMs, elapsedMs: () => nowMs, sleep: () => Promise.resolve() };
  const keeper = seasonKeeper({ ...parts, publisher }, clock, recordingLog([]));
  keeper.look();
  nowMs += 25 * HOUR_MS;
  keeper.look();
  await new Promise(setImmediate);
  expect(JSON.parse(told.at(-1) ?? '').schedules).toMatchObject([{ season: null, waits: 'refused' }]);
});

test('where the outside was not measured yet, nothing is kept', () => {
  const parts = partsWith('above 16.5', () => undefined);
  const clock = { now: () => 0, elapsedMs: () => 0, sleep: () => Promise.resolve() };
  seasonKeeper(parts, clock, recordingLog([])).look();
  expect(parts.store.read()).toEqual(new Map());
});

test.each([
  ['celsius', 10],
  ['fahrenheit', 50],
])('a limit in °C is compared with the outside temperature in %s', (unit, value) => {
  const outside = featureOf('heating.sensors.temperature.outside', { value: { value, unit } });
  const state = new DeviceState({ ...device, features: ['*'], exclude: [] });
  state.remember(outside);
  const told: string[] = [];
  const parts: SeasonParts = {
    ...partsWith('above 16.5', () => undefined),
    states: new Map([[deviceKey(device), state]]),
    series: { of: () => Array.from({ length: 5 * 24 }, (_, hour) => ({ at: hour * HOUR_MS, value })) },
    publisher: { assign: (_, [message]) => told.push(message?.payload ?? '') },
  };
  const clock = { now: () => 5 * 24 * HOUR_MS, elapsedMs: () => 0, sleep: () => Promise.resolve() };
  seasonKeeper(parts, clock, recordingLog([])).look();
  expect(JSON.parse(told[0] ?? '')).toMatchObject({ schedules: [{ limit: 16.5, mean: 10, next: 'winter' }] });
});
