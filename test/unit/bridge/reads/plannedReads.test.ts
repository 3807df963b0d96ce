import { expect, test } from 'vitest';
import { plannedReads } from '../../../../src/bridge/reads/plannedReads.ts';
import { DeviceState } from '../../../../src/bridge/state/deviceState.ts';
import { systemClock } from '../../../../src/shared/clock.ts';
import { storeOf } from '../../../support/devices/featureStore.ts';
import { featureOf } from '../../../support/devices/features.ts';

test('reads are complete when each that is needed has shown something or is refused for good', () => {
  const device = { name: 'home', installation: '1', gateway: '1', device: '0', features: ['a', 'b', 'c'], exclude: [] };
  const state = new DeviceState(device);
  const reads = plannedReads({ read: 'feature', gateways: false }, storeOf([device]), () => [], systemClock);
  const isNeeded = (feature: string) => feature !== 'c';
  state.take(featureOf('a', {}), 1);
  expect(reads.areComplete(state, isNeeded)).toBe(false);
  const failure = Object.assign(new Error('no'), { code: 'forbidden', executed: 'no' as const });
  for (const read of reads.all()) if (read.target.feature === 'b') reads.ended(read, { ok: false, failure });
  expect(reads.areComplete(state, isNeeded)).toBe(true);
  expect(reads.areComplete(state)).toBe(false);
});
