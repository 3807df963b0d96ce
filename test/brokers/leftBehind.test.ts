import { describe, expect, onTestFinished, test } from 'vitest';
import type { Settings } from '../../src/config/settings.ts';
import { emptied, PUBLISHED } from '../support/system/database.ts';
import { published } from '../support/system/outcome.ts';
import { FOREIGN_BELOW_BASE, retainedOn } from '../support/system/retainedTopics.ts';
import { type Overrides, SCHEDULE, startTestSystem, type TestSystem } from '../support/system/testSystem.ts';

const FOREIGN: Readonly<Record<string, string>> = {
  ...FOREIGN_BELOW_BASE,
  'heating2mqtt/inner/bridge/state': 'online',
  'heating2mqtt/inner/bridge/health': '{"beat":3}',
  'heating2mqtt/inner/home/info': '{"installation":"1","gateway":"2","device":"0"}',
  'heating2mqtt/inner/home/availability': 'online',
  'homeassistant/device/heating2mqtt_2_0/config':
    '{"origin":{"name":"heating2mqtt"},"availability":[{"topic":"second/bridge/state"}],"components":{}}',
};

/** Two circuits less than everything: each case starts four bridges. */
const SOME = { device: { features: ['heating.circuits.0.*', 'heating.dhw.*', 'heating.sensors.*'] } };

const keysOn = async (system: TestSystem): Promise<string[]> => [...(await retainedOn(system.broker.url)).keys()].sort();

describe('a database that was lost', () => {
  test.each<[what: string, change: (settings: Settings) => Overrides]>([
    ['a device with another name', ({ devices }) => ({ devices: devices.map((one) => ({ ...one, name: 'cellar' })) })],
    ['fewer features', ({ devices }) => ({ devices: devices.map((one) => ({ ...one, features: [SCHEDULE] })) })],
    [
      'another device',
      ({ devices }) => ({ devices: devices.map((one) => ({ ...one, name: 'rooms', device: 'RoomControl-1', features: ['*'] })) }),
    ],
    ['no discovery', () => ({ homeassistant: { discovery: 'off' } })],
  ])('leaves no orphan after the settings changed: %s', async (_, change) => {
    const system = await startTestSystem(SOME);
    onTestFinished(() => system.close());
    await published(system);
    for (const [topic, payload] of Object.entries(FOREIGN)) await system.recorder.publish(topic, payload, { retain: true });
    const before = new Set(await keysOn(system));
    await system.stopApp();
    emptied(system.settings.data_dir, ...PUBLISHED);
    const from = system.recorder.heard.length;
    await system.restart(change(system.settings));
    await published(system, from);
    const fresh = await startTestSystem({ ...SOME, overrides: change(system.settings) });
    onTestFinished(() => fresh.close());
    await published(fresh);
    await expect.poll(() => keysOn(system), { interval: 300 }).toEqual([...(await keysOn(fresh)), ...Object.keys(FOREIGN)].sort());
    expect(before.size).toBeGreaterThan(100);
  });
});
