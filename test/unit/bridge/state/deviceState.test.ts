import { describe, expect, test } from 'vitest';
import { DeviceState, deviceKey } from '../../../../src/bridge/state/deviceState.ts';
import { featureOf } from '../../../support/devices/features.ts';

const device = { name: 'home', installation: '1', gateway: '757', device: '0', features: ['*'], exclude: [] };
const curve = (slope: number, shift: number) => featureOf('curve', { slope: { value: slope }, shift: { value: shift } });

describe('what is known of a device', () => {
  test('is the last read', () => {
    const state = new DeviceState(device);
    state.take(curve(1, 10), 100);
    expect(state.shown('curve')).toEqual(curve(1, 10));
    expect(state.shown('other')).toBeUndefined();
  });

  test('is as old as nothing when it was marked stale, until it is read by a later read', () => {
    const state = new DeviceState(device);
    state.take(curve(1, 10), 100);
    state.markStale('curve', 250);
    state.markStale('other', 250);
    state.take(curve(1, 11), 200);
    expect(state.features.get('curve')).toMatchObject({ truth: curve(1, 11), readAtMs: Number.NEGATIVE_INFINITY });
    state.take(curve(1, 10), 300);
    expect(state.features.get('curve')?.readAtMs).toBe(300);
  });

  test('is never fresh where it is remembered', () => {
    const state = new DeviceState(device);
    state.remember(curve(1, 10));
    expect(state.features.get('curve')).toEqual({ truth: curve(1, 10), readAtMs: Number.NEGATIVE_INFINITY, isKept: true });
  });
});

test.each([
  ['757', '0', '757/0'],
  ['a b', 'c/d', 'a%20b/c%2Fd'],
])('the key of a device: %s, %s', (gateway, id, key) => expect(deviceKey({ gateway, device: id })).toBe(key));
