import { describe, expect, it } from 'vitest';
import { allDevices, expectFound } from '../../support/devices/deviceFiles.ts';
import { deviceDocument } from '../../support/devices/onePage.ts';

const WHERE = { base: 'b', prefix: 'h', version: '1' };
type Component = Readonly<Record<string, unknown>> & { readonly name: string };

const totalsOf = (device: ReturnType<typeof allDevices>[number]): readonly Component[] => {
  const identity = { name: 'home', installation: '1', gateway: device.gateway, device: device.device };
  const components: Readonly<Record<string, Component>> = JSON.parse(deviceDocument(WHERE, identity, device.features).payload).components;
  return Object.entries(components).flatMap(([key, component]) => (key.endsWith('_running_total') ? [component] : []));
};

describe('the sensors for the energy dashboard', () => {
  it('are what the dashboard takes', () => {
    const all = allDevices().flatMap(totalsOf);
    expectFound(all.length, 33);
    const units = { energy: ['kWh', 'Wh'], gas: ['m³'] };
    for (const { name, device_class: kind, unit_of_measurement: unit, state_class } of all) {
      expect(units[kind === 'gas' ? 'gas' : 'energy'], name).toContain(unit);
      expect(state_class, name).toBe('total_increasing');
      expect(kind === 'gas' || kind === 'energy', name).toBe(true);
    }
  });

  it('have no name twice, and enabled is a total or its parts, never both', () => {
    for (const device of allDevices()) {
      const all = totalsOf(device);
      expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
      const enabled = all.filter(({ enabled_by_default: on }) => on !== false).map(({ name }) => name);
      for (const kind of ['Power consumption', 'Gas consumption', 'Heat production']) {
        const ofKind = enabled.filter((name) => name.startsWith(kind));
        if (ofKind.includes(`${kind} total`)) expect(ofKind, device.name).toEqual([`${kind} total`]);
      }
      if (all.length > 0) expect(enabled, device.name).not.toEqual([]);
    }
  });
});
