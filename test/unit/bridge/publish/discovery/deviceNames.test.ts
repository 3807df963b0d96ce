import { describe, expect, test } from 'vitest';
import type { KeyedStore } from '../../../../../src/bridge/ports.ts';
import { deviceNamesOf } from '../../../../../src/bridge/publish/discovery/deviceNames.ts';
import { type Device, DeviceState, deviceKey } from '../../../../../src/bridge/state/deviceState.ts';
import { featureOf } from '../../../../support/devices/features.ts';
import { keyedStore } from '../../../../support/system/keptInMemory.ts';

const DESCRIPTIONS: Readonly<Record<string, string>> = { '1': 'Home', '2': 'Ferien\nhaus', '3': '🏠'.repeat(3000) };

const deviceOf = (gateway: string, device: string, more: Partial<Device> = {}): Device => ({
  ...{ name: `${gateway}-${device}`, installation: '1', gateway, device, features: ['*'], exclude: [] },
  ...more,
});

const stateOf = (device: Device, variant: string): DeviceState => {
  const state = new DeviceState(device);
  state.take(featureOf('device.variant', { value: { value: variant } }), 0);
  return state;
};

/** The titles of these devices, asked for in this order. */
const titles = (store: KeyedStore, states: readonly DeviceState[], language: 'en' | 'de' = 'en') => {
  const all = new Map(states.map((state) => [deviceKey(state.device), state]));
  const names = deviceNamesOf(store, all, language, (installation) => DESCRIPTIONS[installation]);
  return states.map((state) => {
    names.decide(state);
    return names.titleOf(state);
  });
};

const shown = (...given: Parameters<typeof titles>): readonly string[] => titles(...given).map((title) => title.shown);

describe('the name of a device in hubs', () => {
  test('is its own where it has one', () => {
    expect(titles(keyedStore(), [stateOf(deviceOf('7', '0', { name: 'keller' }), 'Vitocal252A')])).toEqual([
      { shown: 'keller', id: 'keller' },
    ]);
  });

  test('is its model without one', () => {
    expect(titles(keyedStore(), [stateOf(deviceOf('7', '0'), 'Vitocal252A')])).toEqual([{ shown: 'Vitocal 252A', id: 'Vitocal 252A' }]);
  });

  test('follows the language, its entity ids do not', () => {
    const room = (device: string): DeviceState => new DeviceState(deviceOf('7', device, { roles: ['type:radiator'] }));
    expect(titles(keyedStore(), [room('a'), room('b')], 'de')).toEqual([
      { shown: 'Heizkörperthermostat', id: 'Radiator thermostat' },
      { shown: 'Heizkörperthermostat 2', id: 'Radiator thermostat 2' },
    ]);
  });

  test('has the description of the installation where two are equal', () => {
    const [one, two] = [stateOf(deviceOf('7', '0'), 'Vitocal252A'), stateOf(deviceOf('8', '0', { installation: '2' }), 'Vitocal252A')];
    expect(shown(keyedStore(), [one, two])).toEqual(['Home Vitocal 252A', 'Ferien haus Vitocal 252A']);
  });

  test('has no more of a description than an entity id can hold', () => {
    const states = ['3', '2'].map((installation) => stateOf(deviceOf(installation, '0', { installation }), 'Vitocal252A'));
    const [long] = shown(keyedStore(), states);
    expect(long).toBe(`${'🏠'.repeat(60)} Vitocal 252A`);
  });

  test('stays over a restart and when a third comes, wherever that stands', () => {
    const store = keyedStore();
    const [one, two, three] = ['5', '6', '4'].map((gateway) => stateOf(deviceOf(gateway, '0'), 'Vitocal252A')) as [
      DeviceState,
      DeviceState,
      DeviceState,
    ];
    expect(shown(store, [one, two])).toEqual(['Vitocal 252A', 'Vitocal 252A 2']);
    expect(shown(store, [three, two, one])).toEqual(['Vitocal 252A 3', 'Vitocal 252A 2', 'Vitocal 252A']);
    expect(shown(store, [two])).toEqual(['Vitocal 252A 2']);
  });

  test('does not equal the own name of another', () => {
    const [one, two] = [stateOf(deviceOf('7', '0'), 'Vitocal252A'), stateOf(deviceOf('8', '0', { name: 'vitocal 252a' }), 'x')];
    expect(shown(keyedStore(), [one, two])).toEqual(['Vitocal 252A 2', 'vitocal 252a']);
  });
});
