import { expect, it } from 'vitest';
import type { Device } from '../../../../src/bridge/state/deviceState.ts';
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
