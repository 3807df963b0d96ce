import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { mainDocumentTopic } from '../../src/homeassistant/documents/publishedDocument.ts';
import { objectId } from '../../src/homeassistant/ids.ts';
import { recordedHome } from '../../src/simulator/home/recorded.ts';
import { DEVICES } from '../support/devices/deviceFiles.ts';
import { type Mosquitto, startMosquitto } from '../support/network/mosquitto.ts';
import { lastAnswer } from '../support/network/mqttRecorder.ts';
import { retainedOn } from '../support/system/retainedTopics.ts';
import { startTestSystem, type TestSystem } from '../support/system/testSystem.ts';
import { type Component, componentsIn, differences } from './entities.ts';
import { endAll, type Hub, type Registered, type State, startHub } from './home-assistant-hub.ts';
import { writesOf } from './home-assistant-writes.ts';

const GOLDEN = path.resolve(import.meta.dirname, '../recorded/golden');
const home = recordedHome(DEVICES);
// The simulated house serves the gateway's own records with those of all gateways: they are nobody's golden file.
const files = Object.entries(home.devices)
  .filter(([device]) => device !== 'gateway')
  .map(([device, { source = '' }]) => ({ device, file: source.replace(/\.json$/, '') }));

/** Each recorded device with the name it has in topics, and that of its golden file. */
const devices = files.map(({ device, file }, i) => {
  const isAlone = files.filter((other) => other.file === file).length === 1;
  // The simulated house puts the file's name before an id that another device has.
  const recorded = device.replace(`${file}-`, '');
  return { device, name: `d${i}`, golden: isAlone ? file : `${file}_${recorded}` };
});

/** What an offered entity may be refused with: the device's state decides it, which changes by the minute. */
const FOR_NOW: ReadonlySet<string> = new Set(['not_executable', 'not_writable', 'incomplete', 'no_end']);

/** The real bridge with all recorded devices behind the simulated platform, in a real Home Assistant over a real Mosquitto with MQTT 5. */
describe('every recorded device in Home Assistant', () => {
  let mosquitto: Mosquitto;
  let hub: Hub;
  let system: TestSystem;
  let kept: ReadonlyMap<string, string>;
  let registered: ReadonlyMap<string, Registered> = new Map();
  const eventually = (check: () => Promise<void>): Promise<void> => vi.waitFor(check, { timeout: 40_000, interval: 1000 });

  /** Of the device itself and of its parts. */
  const componentsOf = (device: string): readonly Component[] => {
    const main = `homeassistant/device/${objectId(home.gateway, device)}/config`;
    return [...kept].flatMap(([topic, document]) => (mainDocumentTopic(topic) === main && document !== '' ? componentsIn(document) : []));
  };

  /** The states of a device's entities that are enabled, by unique id. */
  const shown = async (components: readonly Component[]): Promise<ReadonlyMap<string, State>> => {
    const states = await hub.states();
    return new Map(
      components.flatMap(({ unique_id: id }): [string, State][] => {
        const state = states.get(registered.get(id)?.entity_id ?? '');
        return state ? [[id, state]] : [];
      }),
    );
  };

  const untilRight = (components: readonly Component[]): Promise<void> =>
    eventually(async () => {
      kept = await retainedOn(system.broker.url);
      const states = await shown(components);
      const enabled = components.filter(({ enabled_by_default: on }) => on !== false);
      expect(enabled.flatMap((component) => differences(component, states.get(component.unique_id), kept))).toEqual([]);
    });

  beforeAll(async () => {
    mosquitto = await startMosquitto();
    hub = await startHub(mosquitto.url);
    system = await startTestSystem({
      brokerUrl: mosquitto.url,
      simulator: { recorded: DEVICES },
      overrides: {
        platform: { read: 'device' },
        devices: devices.map(({ device, name }) => ({
          ...{ name, device, installation: String(home.installation), gateway: home.gateway },
          ...{ features: ['*'], exclude: [] },
        })),
      },
    });
    await system.recorder.until(({ topic }) => topic === 'heating2mqtt/bridge/health', 0, 60_000);
    // Documents come a moment later: first it is looked whether another bridge has them.
    await eventually(async () => {
      kept = await retainedOn(system.broker.url);
      expect(devices.filter(({ device }) => componentsOf(device).length === 0)).toEqual([]);
    });
  });
  afterAll(() => endAll(system, hub, mosquitto));

  it.each(devices)('$golden: all its entities are there, as many as the golden file says', async ({ device, golden: name }) => {
    const components = componentsOf(device);
    // The golden files hold what the records tell of themselves; faults are learned from their lists.
    const ofRecords = components.filter(({ unique_id: id }) => !/[ _.-](?:fault|fault_event|last_fault|service_due)$/.test(id));
    const counts = Object.groupBy(ofRecords, ({ platform }) => platform);
    const found = Object.fromEntries(Object.entries(counts).map(([platform, all]) => [platform, all?.length]));
    expect(JSON.parse(readFileSync(path.join(GOLDEN, `${name}.json`), 'utf8'))).toMatchObject({ components: found });
    await eventually(async () => {
      registered = await hub.registered();
      expect(components.filter(({ unique_id: id }) => !registered.has(id)).map(({ unique_id: id }) => id)).toEqual([]);
    });
  });

  it.each(devices)('$golden: each entity shows what its topics say', async ({ device }) => {
    const components = componentsOf(device);
    expect(components.length).toBeGreaterThan(0);
    await untilRight(components);
  });

  it('has no entity id twice, and nothing in the log', async () => {
    const ids = [...registered.values()].map(({ entity_id }) => entity_id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(await hub.problems()).toBe('');
  });

  /** The modes that a schedule's entries can have, by its record. */
  const modesAt = (topic: string): readonly string[] => {
    const record = JSON.parse(kept.get(topic.replace(/\/[^/]+\/set$/, '/record')) ?? '{}');
    const { modes = [], defaultMode } = record?.commands?.setSchedule?.params?.newSchedule?.constraints ?? {};
    return modes.filter((mode: string) => mode !== defaultMode);
  };

  const told = new Map<string, number>();

  it.each(devices)('$golden: everything that can be written is written from Home Assistant, answered and shown', async ({ device }) => {
    const components = componentsOf(device);
    const odd: string[] = [];
    for (const component of components) {
      const { unique_id: id, platform, command_topic: topic } = component;
      const isWritable = topic !== undefined || /climate|heater/.test(platform);
      const state = isWritable ? (await shown([component])).get(id) : undefined;
      for (const call of state === undefined ? [] : writesOf(component, state, modesAt(String(topic)))) {
        const answer = await lastAnswer(system.recorder, call.topic, () => hub.call(call.service, call.data));
        told.set(`${platform} ${answer.status}`, (told.get(`${platform} ${answer.status}`) ?? 0) + 1);
        const isFine = ['applied', 'unchanged', 'waiting'].includes(answer.status) || FOR_NOW.has(answer.code ?? '');
        if (!isFine) odd.push(`${JSON.stringify(call)}: ${JSON.stringify(answer)}`);
      }
    }
    expect(odd).toEqual([]);
    await untilRight(components);
  });

  it('has written each kind, and left nothing in the log', async () => {
    for (const platform of ['number', 'select', 'switch', 'button', 'text', 'climate', 'water_heater']) {
      expect([...told.keys()], platform).toContain(`${platform} applied`);
    }
    expect(await hub.problems()).toBe('');
  });
});
