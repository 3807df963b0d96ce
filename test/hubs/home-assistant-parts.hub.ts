import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { forget } from '../../src/cli/forget.ts';
import { isOfPart } from '../support/devices/isOfPart.ts';
import { type Mosquitto, startMosquitto } from '../support/network/mosquitto.ts';
import { ALL, polled, published } from '../support/system/outcome.ts';
import { retainedOn } from '../support/system/retainedTopics.ts';
import { startTestSystem, type TestSystem } from '../support/system/testSystem.ts';
import { endAll, type Hub, startHub } from './home-assistant-hub.ts';

/** A heating of which only one part is read has one page; with everything, its parts are devices of their own, and stay so. */
const ONE_PART = ['heating.circuits.0.*', 'heating.sensors.*', 'heating.boiler.serial', 'device.*'];
const EVERYTHING = ['*'];

type Device = {
  readonly id: string;
  readonly identifiers: readonly (readonly [string, string])[];
  readonly name: string;
  readonly area_id: string | null;
  readonly name_by_user: string | null;
  readonly via_device_id: string | null;
};
type Entity = {
  readonly entity_id: string;
  readonly unique_id: string;
  readonly platform: string;
  readonly device_id: string;
  readonly name: string | null;
  readonly area_id: string | null;
  readonly disabled_by: string | null;
};

const SUPPLY = 'heating.circuits.0.sensors.temperature.supply';
const CIRCUIT = 'heatingx46xcix114xcuitsx46x0';

/** From one page to a device for each part, with what people and the recorder keep of each entity. */
describe('parts in Home Assistant', { timeout: 300_000 }, () => {
  const started = new Date().toISOString();
  let mosquitto: Mosquitto;
  let hub: Hub;
  let system: TestSystem;
  let supply = '';
  const values: string[] = [];
  /** Steps lie five seconds apart. */
  const later = { timeout: 60_000, interval: 500 };

  const listed = async <T>(type: string): Promise<readonly T[]> => {
    const list: unknown = await hub.ask({ type });
    return Array.isArray(list) ? list : [];
  };
  const entities = async (): Promise<readonly Entity[]> =>
    (await listed<Entity>('config/entity_registry/list')).filter(({ platform }) => platform === 'mqtt');
  const devices = async (): Promise<ReadonlyMap<string, Device>> =>
    new Map(
      (await listed<Device>('config/device_registry/list')).flatMap((device): [string, Device][] => {
        const [[domain, identifier] = []] = device.identifiers;
        return domain === 'mqtt' && identifier !== undefined ? [[identifier, device]] : [];
      }),
    );

  /** What people have set on each entity, by its unique id. */
  const kept = async (): Promise<object> =>
    Object.fromEntries(
      (await entities())
        .map(({ unique_id, entity_id, name, area_id, disabled_by }) => [unique_id, { entity_id, name, area_id, disabled_by }] as const)
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    );

  const documents = async (): Promise<ReadonlyMap<string, string>> =>
    new Map([...(await retainedOn(hub.mqttUrl))].filter(([topic]) => topic.startsWith('homeassistant/') && topic.endsWith('/config')));

  const available = async (): Promise<void> => {
    const enabled = (await entities()).filter(({ disabled_by }) => disabled_by === null);
    const states = await hub.states();
    expect(enabled.filter(({ entity_id }) => (states.get(entity_id)?.state ?? 'unavailable') === 'unavailable')).toEqual([]);
  };

  /** Home Assistant has the devices that the documents name, each below its own, with the entities of each. */
  const settled = async (hasParts: boolean): Promise<void> => {
    const all = await documents();
    expect(all.size).toBeGreaterThan(1);
    expect([...all.keys()].some(isOfPart)).toBe(hasParts);
    const known = await devices();
    const named = new Map([...all.values()].map((payload) => JSON.parse(payload).device).map((device) => [device.identifiers[0], device]));
    expect([...known.keys()].sort()).toEqual([...named.keys()].sort());
    for (const [identifier, { via_device_id, name }] of known) {
      expect(name).toBe(named.get(identifier).name);
      expect(via_device_id).toBe(known.get(named.get(identifier).via_device)?.id ?? null);
    }
    const wanted = [...all.values()].flatMap((payload) => {
      const { device, components } = JSON.parse(payload);
      const ids = Object.values<{ unique_id: string }>(components).map((component) => component.unique_id);
      return ids.map((id) => `${id} of ${known.get(device.identifiers[0])?.id}`);
    });
    expect((await entities()).map(({ unique_id, device_id }) => `${unique_id} of ${device_id}`).sort()).toEqual(wanted.sort());
  };

  const restarted = async (features: readonly string[], exclude: readonly string[] = []): Promise<void> => {
    await system.stopApp();
    const from = system.recorder.heard.length;
    await system.restart({ devices: system.settings.devices.map((device) => ({ ...device, features, exclude })) });
    await published(system, from);
  };

  /** Another value of the supply's temperature, which Home Assistant shows. */
  const measured = async (): Promise<void> => {
    const value = String(30 + values.length / 10);
    values.push(value);
    system.simulator.control({ command: 'set', feature: SUPPLY, property: 'value', value: Number(value) });
    await polled(system);
    await vi.waitFor(async () => expect((await hub.states()).get(supply)?.state).toBe(value), later);
  };

  beforeAll(async () => {
    mosquitto = await startMosquitto({});
    hub = await startHub(mosquitto.url, 'recorder:\n  commit_interval: 1\nhistory:\n');
    system = await startTestSystem({ ...ALL, device: { features: ONE_PART }, brokerUrl: mosquitto.url });
    await published(system);
    await vi.waitFor(() => settled(false), later);
    await vi.waitFor(available, later);
  }, 1_200_000);

  afterAll(() => endAll(system, hub, mosquitto));

  it('people name, place and disable entities on the one page', async () => {
    const all = await entities();
    const of = (end: string): string => all.find(({ unique_id }) => unique_id.endsWith(end))?.entity_id ?? `none ${end}`;
    supply = of('_heating_circuits_0_sensors_temperature_supply_value');
    await hub.ask({ type: 'config/area_registry/create', name: 'Cellar' });
    await hub.ask({ type: 'config/area_registry/create', name: 'Bath' });
    const update = (entity_id: string, changes: object) => hub.ask({ type: 'config/entity_registry/update', entity_id, ...changes });
    await update(supply, { name: 'Flow', area_id: 'bath', new_entity_id: 'sensor.my_flow' });
    supply = 'sensor.my_flow';
    await update(of('_heating_circuits_0_heating_schedule_mon'), { name: 'Mondays', area_id: 'bath' });
    await update(of('_heating_circuits_0_heating_schedule_tue'), { disabled_by: 'user' });
    const heating = [...(await devices())].find(([identifier]) => identifier.endsWith('d0'))?.[1];
    await hub.ask({ type: 'config/device_registry/update', device_id: heating?.id, area_id: 'cellar', name_by_user: 'The heating' });
    await measured();
  });

  it('gets parts: nothing is lost', async () => {
    const before = Object.entries(await kept());
    await restarted(EVERYTHING);
    await vi.waitFor(() => settled(true), later);
    await vi.waitFor(available, later);
    expect(Object.entries(await kept())).toEqual(expect.arrayContaining(before));
    await measured();
    const all = await devices();
    const heating = [...all].find(([identifier]) => identifier.endsWith('d0'))?.[1];
    expect(heating).toMatchObject({ area_id: 'cellar', name_by_user: 'The heating' });
    const circuit = [...all].find(([identifier]) => identifier.endsWith(CIRCUIT))?.[1];
    await hub.ask({ type: 'config/device_registry/update', device_id: circuit?.id, area_id: 'bath', name_by_user: 'My floor' });
    expect(await hub.problems()).toBe('');
  });

  /** Home Assistant ends before this, and is there again after it. */
  const whileAway = async (work: () => Promise<void>): Promise<void> => {
    const from = system.recorder.heard.length;
    const back = hub.restart();
    await system.recorder.untilTopic('homeassistant/status', 'offline', from);
    await work();
    await back;
  };

  it.each(['looks on', 'is away'])('a circuit leaves while Home Assistant %s, and comes back', async (when) => {
    const isOfCircuit = ([id]: readonly [string, unknown]): boolean => id.includes('_heating_circuits_1_');
    const before = Object.entries(await kept());
    expect(before.some(isOfCircuit)).toBe(true);
    const leave = (): Promise<void> => restarted(EVERYTHING, ['heating.circuits.1', 'heating.circuits.1.*']);
    await (when === 'is away' ? whileAway(leave) : leave());
    // A removal waits for the birth of Home Assistant.
    await vi.waitFor(async () => {
      expect(Object.entries(await kept())).toEqual(before.filter((one) => !isOfCircuit(one)));
      await settled(true);
    }, later);
    await restarted(EVERYTHING);
    await vi.waitFor(() => settled(true), later);
    await vi.waitFor(available, later);
    expect(Object.entries(await kept()).map(([id]) => id)).toEqual(before.map(([id]) => id));
    await measured();
    expect(await hub.problems()).toBe('');
  });

  it('Home Assistant starts again while the bridge is away', async () => {
    const before = await kept();
    await system.stopApp();
    await hub.restart();
    await vi.waitFor(() => settled(true), later);
    expect(await kept()).toEqual(before);
    await system.restart();
    await vi.waitFor(available, later);
    await measured();
    expect(await hub.problems()).toBe('');
  });

  it('the recorder has all values under one entity id', async () => {
    const seen = async (): Promise<readonly string[]> => {
      const question = { type: 'history/history_during_period', start_time: started, entity_ids: [supply], minimal_response: true };
      const history = Object(await hub.ask(question));
      // `s` is null where the entity was released.
      const states: readonly { readonly s: string | null }[] = history[supply] ?? [];
      const numbers = states.flatMap(({ s }) => (s === null || ['unavailable', 'unknown', ''].includes(s) ? [] : [s]));
      return numbers.filter((state, i) => state !== numbers[i - 1]);
    };
    await vi.waitFor(async () => expect((await seen()).slice(-values.length)).toEqual(values), later);
    expect(values).toHaveLength(5);
  });

  it('a new Home Assistant finds all of it retained, in whatever order', async () => {
    await hub.stop();
    hub = await startHub(mosquitto.url);
    await vi.waitFor(() => settled(true), later);
    await vi.waitFor(available, later);
    expect(await hub.problems()).toBe('');
  });

  it('a part may come before its heating and the bridge', async () => {
    await system.stopApp();
    const all = await documents();
    for (const topic of all.keys()) await system.recorder.publish(topic, '', { retain: true });
    await hub.stop();
    hub = await startHub(mosquitto.url);
    const parts = [...all.keys()].filter(isOfPart);
    const others = [...all.keys()].filter((topic) => !isOfPart(topic)).reverse();
    for (const topic of [...parts, ...others]) {
      await system.recorder.publish(topic, all.get(topic) ?? '', { retain: true });
      await vi.waitFor(async () => expect((await devices()).size).toBeGreaterThan(0), later);
    }
    await vi.waitFor(() => settled(true), later);
    expect(await hub.problems()).toBe('');
  });

  it('forget takes all of it away', async () => {
    expect(await forget(system.settings, { force: false }, { out: () => undefined, err: () => undefined })).toBe(0);
    await vi.waitFor(async () => expect(await entities()).toEqual([]), later);
    const left = [...(await retainedOn(mosquitto.url)).keys()].filter((topic) => !topic.startsWith('homeassistant/status'));
    expect(left).toEqual([]);
    expect(await hub.problems()).toBe('');
  });
});
