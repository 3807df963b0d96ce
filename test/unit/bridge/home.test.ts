import { describe, expect, test } from 'vitest';
import { DeviceState, deviceKey, type Wish } from '../../../src/bridge/home.ts';
import { featureOf } from '../../support/features.ts';

const device = { name: 'home', installation: '1', gateway: '757', device: '0', features: ['*'], exclude: [] };
const curve = (slope: number, shift: number) => featureOf('curve', { slope: { value: slope }, shift: { value: shift } });
const wish = (values: Readonly<Record<string, number>>): Wish => ({ feature: 'curve', values: new Map(Object.entries(values)) });

const started = (): DeviceState => {
  const state = new DeviceState(device);
  state.take(curve(1, 10), 100);
  return state;
};

const shown = (state: DeviceState): unknown[] => [...(state.shown('curve')?.properties.values() ?? [])].map(({ value }) => value);

describe('what is shown of a device', () => {
  test('is the last read where nothing was wished', () => {
    expect(shown(started())).toEqual([1, 10]);
    expect(started().shown('other')).toBeUndefined();
  });

  test('is the last wish on each property, and the truth beside it', () => {
    const state = started();
    state.wish(wish({ slope: 2 }));
    state.wish(wish({ slope: 3 }));
    expect(shown(state)).toEqual([3, 10]);
    state.take(curve(1, 11), 200);
    expect(shown(state)).toEqual([3, 11]);
    expect(state.features.get('curve')?.truth).toEqual(curve(1, 11));
  });

  test('is the truth where a wish is given up, also when it had replaced an earlier one', () => {
    const state = started();
    const [first, second] = [wish({ slope: 2, shift: 5 }), wish({ slope: 3 })];
    state.wish(first);
    state.wish(second);
    expect(shown(state)).toEqual([3, 5]);
    state.unwish(second);
    expect(shown(state)).toEqual([1, 5]);
    state.unwish(first);
    expect(shown(state)).toEqual([1, 10]);
  });

  test('keeps a wish that lapses until the feature is read', () => {
    const state = started();
    const lapsing = wish({ slope: 2 });
    state.wish(lapsing);
    state.lapse(lapsing);
    expect(shown(state)).toEqual([2, 10]);
    state.take(featureOf('other', {}), 200);
    expect(shown(state)).toEqual([2, 10]);
    state.take(curve(1, 10), 300);
    expect(shown(state)).toEqual([1, 10]);
  });

  test('has no property that the platform does not have', () => {
    const state = started();
    state.wish(wish({ colour: 5 }));
    expect(shown(state)).toEqual([1, 10]);
  });

  test('is as old as nothing after a doubt, until it is read', () => {
    const state = started();
    state.doubt('curve', 250);
    state.doubt('other', 250);
    state.take(curve(1, 10), 200);
    expect(state.features.get('curve')?.readAtMs).toBe(Number.NEGATIVE_INFINITY);
    expect(shown(state)).toEqual([1, 10]);
    state.take(curve(1, 10), 300);
    expect(state.features.get('curve')?.readAtMs).toBe(300);
  });
});

describe('the key of a device', () => {
  test.each([
    ['757', '0', '757/0'],
    ['a b', 'c/d', 'a%20b/c%2Fd'],
  ])('%s, %s', (gateway, id, key) => expect(deviceKey({ gateway, device: id })).toBe(key));
});
