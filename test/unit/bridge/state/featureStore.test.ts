import { expect, it } from 'vitest';
import type { Device } from '../../../../src/bridge/state/deviceState.ts';
import { systemClock } from '../../../../src/shared/clock.ts';
import { storeOf } from '../../../support/devices/featureStore.ts';
import { featureOf } from '../../../support/devices/features.ts';

const DEVICE: Device = { name: 'home', installation: '1', gateway: '2', device: '0', features: ['*'], exclude: [], model: 'old' };
const KNOWN = featureOf('heating.dhw.temperature.main', {});

const known = (next: Device): readonly [string | undefined, readonly string[]] => {
  const store = storeOf([DEVICE]);
  store.states.get('2/0')?.take(KNOWN, 7);
  store.replace([next]);
  const state = store.states.get('2/0');
  return [state?.device.model, [...(state?.features.keys() ?? [])]];
};

it('keeps what is known of a device that the platform describes otherwise, so that it can be written at once', () => {
  expect(known({ ...DEVICE, model: 'new' })).toEqual(['new', ['heating.dhw.temperature.main']]);
  expect(known({ ...DEVICE, model: 'new', exclude: ['*.main'] })).toEqual(['new', []]);
});

it('waits for no write any longer to a feature that is gone', () => {
  let now = 0;
  const store = storeOf([DEVICE], { ...systemClock, now: () => now, elapsedMs: () => now });
  const state = store.states.get('2/0');
  state?.take(KNOWN, 7);
  state?.pending.add({ key: 1, feature: KNOWN.name, outcome: 'unknown', effect: undefined, before: [], revsBefore: [], sinceMs: 0 });
  // The third read is a day later than the first.
  for (const ms of [0, 1, 25 * 3_600_000]) {
    now += ms;
    if (state) store.removeMissing(state, new Set(), []);
  }
  expect([state?.pending.knownAtMs(KNOWN.name), state?.pending.takeSettled()]).toEqual([undefined, [1]]);
});
