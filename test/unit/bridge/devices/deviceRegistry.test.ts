import { expect, it } from 'vitest';
import { Devices } from '../../../../src/bridge/devices/deviceRegistry.ts';
import type { Device } from '../../../../src/bridge/devices/deviceState.ts';
import { PendingWrites } from '../../../../src/bridge/devices/pendingWrites.ts';
import { StateRepository } from '../../../../src/bridge/devices/stateRepository.ts';
import { featureOf } from '../../../support/devices/features.ts';
import { fakeClock } from '../../../support/time/fakeClock.ts';

const DEVICE: Device = { name: 'home', installation: '1', gateway: '2', device: '0', features: ['*'], exclude: [], model: 'old' };
const KNOWN = featureOf('heating.dhw.temperature.main', {});

const known = (next: Device): readonly [string | undefined, readonly string[]] => {
  const clock = fakeClock();
  const devices = new Devices(24, new StateRepository({ lines: [], write: () => undefined }, clock), clock, () => new PendingWrites(1000));
  devices.add(DEVICE);
  devices.states.get('2/0')?.take(KNOWN, 7);
  devices.replace([next]);
  const state = devices.states.get('2/0');
  return [state?.device.model, [...(state?.features.keys() ?? [])]];
};

it('keeps what is known of a device that the platform describes otherwise, so that it can be written at once', () => {
  expect(known({ ...DEVICE, model: 'new' })).toEqual(['new', ['heating.dhw.temperature.main']]);
  expect(known({ ...DEVICE, model: 'new', exclude: ['*.main'] })).toEqual(['new', []]);
});
