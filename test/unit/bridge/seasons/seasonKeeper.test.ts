import { expect, test } from 'vitest';
import { type SeasonParts, seasonKeeper } from '../../../../src/bridge/seasons/seasonKeeper.ts';
import { DeviceState, deviceKey } from '../../../../src/bridge/state/deviceState.ts';
import { readSeasonSetting, type SeasonSetting } from '../../../../src/schedule/seasons/seasonSetting.ts';
import { featureOf } from '../../../support/devices/features.ts';
import { keyedStore } from '../../../support/system/keptInMemory.ts';
import { recordingLog } from '../../../support/system/testSystem.ts';

const HOUR_MS = 3_600_000;

const device = { installation: '1', gateway: 'g', device: '0', name: 'home' };

const partsWith = (rule: string, submit: SeasonParts['submit']): SeasonParts => ({
  base: 'heating2mqtt',
  settings: [readSeasonSetting(`home heating.dhw.schedule: summer bright, winter dark, ${rule}`) as SeasonSetting],
  states: new Map([[deviceKey(device), { device } as DeviceState]]),
  store: keyedStore(),
  zone: () => 'UTC',
  ends: { running: () => undefined },
  series: { of: () => [] },
  calls: { write: () => () => undefined },
  submit,
  publisher: { assign: () => undefined },
});

test('a week that is refused is tried again after 6 and 12 hours, then once a day, until it is taken', () => {
  const startMs = Date.parse('2027-04-20T00:00:00Z');
  let [now, isRefused] = [startMs, true];
  const triesH: number[] = [];
  const parts = partsWith('from 04-01 to 09-30', ({ onAnswer }) => {
    triesH.push(Math.round((now - startMs) / HOUR_MS));
    onAnswer({ status: isRefused ? 'rejected' : 'applied' } as Parameters<typeof onAnswer>[0]);
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
