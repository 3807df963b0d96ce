import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { recordedHome } from '../../src/simulator/home/recorded.ts';
import { DEVICES, deviceFiles } from '../support/devices/deviceFiles.ts';
import { type Mosquitto, startMosquitto } from '../support/network/mosquitto.ts';
import { retainedOn } from '../support/system/retainedTopics.ts';
import { startTestSystem, type TestSystem } from '../support/system/testSystem.ts';
import { componentsIn, differences } from './entities.ts';
import { endAll, type Hub, startHub } from './home-assistant-hub.ts';

/** Each of our own devices is there so often: together they have more topics than a Mosquitto with default settings keeps for a client. */
const COPIES = 4;

describe('45 devices and more beside Home Assistant, on a Mosquitto with default settings', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'many-devices-'));
  let mosquitto: Mosquitto;
  let hub: Hub;
  let system: TestSystem | undefined;

  /** Every entity that is enabled shows what its topics say. */
  const allRight = async (): Promise<void> => {
    const kept = await retainedOn(mosquitto.url);
    const documents = [...kept].filter(([topic]) => topic.startsWith('homeassistant/device/heating2mqtt_7'));
    const components = documents.flatMap(([, document]) => componentsIn(document));
    expect(components.length).toBeGreaterThan(7000);
    const enabled = components.filter(({ enabled_by_default: on }) => on !== false);
    const [registered, states] = await Promise.all([hub.registered(), hub.states()]);
    const stateOf = (id: string) => states.get(registered.get(id)?.entity_id ?? '');
    expect(enabled.flatMap((component) => differences(component, stateOf(component.unique_id), kept))).toEqual([]);
  };
  const soon = (): Promise<void> => vi.waitFor(allRight, { timeout: 160_000, interval: 2000 });

  beforeAll(async () => {
    for (const file of deviceFiles())
      for (let copy = 1; copy <= COPIES; copy += 1)
        cpSync(path.join(DEVICES, file), path.join(folder, file.replace('.json', `-${copy}.json`)));
    mosquitto = await startMosquitto();
    hub = await startHub(mosquitto.url);
    const { installation, gateway, devices } = recordedHome(folder);
    const ids = Object.keys(devices).filter((device) => device !== 'gateway');
    expect(ids.length).toBeGreaterThanOrEqual(45);
    system = await startTestSystem({
      brokerUrl: mosquitto.url,
      simulator: { recorded: folder },
      overrides: {
        platform: { read: 'device' },
        devices: ids.map((device, i) => ({
          ...{ name: `d${i}`, device, installation: String(installation), gateway },
          ...{ features: ['*'], exclude: [] },
        })),
      },
    });
  });
  afterAll(() => endAll(system, hub, mosquitto).finally(() => rmSync(folder, { recursive: true })));

  it('a first start leaves no entity without its value', soon);

  it('neither does a start of Home Assistant', async () => {
    await hub.restart();
    await soon();
    // It subscribes to all topics at once. A busy machine acknowledges the last of them late.
    expect((await hub.problems()).replace(/^.*No ACK from MQTT server.*$/m, '')).toBe('');
  });
});
