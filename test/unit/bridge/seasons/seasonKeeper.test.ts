import { expect, test } from 'vitest';
import { type SeasonParts, seasonKeeper } from '../../../../src/bridge/seasons/seasonKeeper.ts';
import { type DeviceState, deviceKey } from '../../../../src/bridge/state/deviceState.ts';
import { readSeasonSetting, type SeasonSetting } from '../../../../src/schedule/seasons/seasonSetting.ts';
import { keyedStore } from '../../../support/system/keptInMemory.ts';
import { recordingLog } from '../../../support/system/testSystem.ts';

const HOUR_MS = 3_600_000;

test('a week that is refused is tried again after 6 and 12 hours, then once a day, until it is taken', () => {
  const device = { installation: '1', gateway: 'g', device: '0', name: 'home' };
  const startMs = Date.parse('2027-04-20T00:00:00Z');
  let [now, isRefused] = [startMs, true];
  const triesH: number[] = [];
  const parts: SeasonParts = {
    base: 'heating2mqtt',
    settings: [readSeasonSetting('home heating.dhw.schedule: summer bright, winter dark, from 04-01 to 09-30') as SeasonSetting],
    states: new Map([[deviceKey(device), { device } as DeviceState]]),
    store: keyedStore(),
    zone: () => 'UTC',
    ends: { running: () => undefined },
    series: { of: () => [] },
    calls: { write: () => () => undefined },
    submit: ({ onAnswer }) => {
      triesH.push(Math.round((now - startMs) / HOUR_MS));
      onAnswer({ status: isRefused ? 'rejected' : 'applied' } as Parameters<typeof onAnswer>[0]);
    },
    publisher: { assign: () => undefined },
  };
  const clock = { now: () => now, elapsedMs: () => now, sleep: () => Promise.resolve() };
  const keeper = seasonKeeper(parts, clock, recordingLog([]));
  for (let hour = 0; hour < 20 * 24; hour += 1, now += HOUR_MS) {
    isRefused = hour < 14 * 24;
    keeper.look();
  }
  const daily = Array.from({ length: 14 }, (_, day) => 24 + 18 + 24 * day);
  expect(triesH).toEqual([24, 24 + 6, ...daily]);
});
