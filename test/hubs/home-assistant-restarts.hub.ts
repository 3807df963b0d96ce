import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Mosquitto, startMosquitto } from '../support/network/mosquitto.ts';
import { retainedOn } from '../support/system/retainedTopics.ts';
import { SCHEDULE_TOPIC, startTestSystem, type TestSystem } from '../support/system/testSystem.ts';
import { componentsIn, differences } from './entities.ts';
import { endAll, type Hub, startHub } from './home-assistant-hub.ts';

const WEEK = 'text.home_floor_heating_schedule_text';

const PARTS = ['Home Assistant', 'broker', 'bridge'] as const;
type Part = (typeof PARTS)[number];
const ORDERS: readonly (readonly Part[])[] = PARTS.flatMap((first) =>
  PARTS.filter((part) => part !== first).map((second) => [first, second, ...PARTS.filter((part) => part !== first && part !== second)]),
);

// What Home Assistant says of a broker that is away; the rest of the log has to be empty.
const OF_THE_BROKER =
  /Disconnected from MQTT server|Failed to connect to MQTT server|Error returned from MQTT server|No ACK from MQTT server|\[paho\.mqtt\.client\] failed to (?:receive|send) on socket/;

/** Home Assistant, a Mosquitto that keeps what is retained, and the bridge, each restarted while the others run. */
describe('restarts', () => {
  const persistence = mkdtempSync(path.join(os.tmpdir(), 'mosquitto-kept-'));
  let mosquitto: Mosquitto;
  let hub: Hub;
  let system: TestSystem;
  const eventually = (check: () => Promise<void>): Promise<void> => vi.waitFor(check, { timeout: 60_000, interval: 500 });

  const RESTART: Readonly<Record<Part, () => Promise<void>>> = {
    'Home Assistant': () => hub.restart(),
    broker: async () => {
      const { port } = mosquitto;
      await mosquitto.stop();
      mosquitto = await startMosquitto({ persistence, port });
    },
    bridge: () => system.restart(),
  };

  /** Every entity that is enabled shows what its topics say. */
  const allRight = async (): Promise<void> => {
    const kept = await retainedOn(mosquitto.url);
    const [registered, states] = await Promise.all([hub.registered(), hub.states()]);
    const documents = [...kept].filter(([topic]) => topic.startsWith('homeassistant/device/heating2mqtt_7'));
    const components = documents.flatMap(([, document]) => componentsIn(document)).filter(({ enabled_by_default: on }) => on !== false);
    const stateOf = (id: string) => states.get(registered.get(id)?.entity_id ?? '');
    expect(components.length).toBeGreaterThan(40);
    expect(components.flatMap((component) => differences(component, stateOf(component.unique_id), kept))).toEqual([]);
  };

  beforeAll(async () => {
    mosquitto = await startMosquitto({ persistence });
    hub = await startHub(mosquitto.url);
    system = await startTestSystem({ brokerUrl: mosquitto.url, device: { features: ['*'] } });
    await eventually(allRight);
  });
  afterAll(async () => {
    await endAll(system, hub, mosquitto);
    rmSync(persistence, { recursive: true, force: true });
  });

  it.each(ORDERS.map((order) => ({ order: order.join(', '), parts: order })))(
    '$order: all is shown and can be written after it',
    async ({ parts }) => {
      for (const part of parts) await RESTART[part]();
      await eventually(allRight);
      const before = system.recorder.last(`${SCHEDULE_TOPIC}/mon`);
      const value = before === '06:00-22:00 normal' ? '06:30-22:00 normal' : '06:00-22:00 normal';
      const from = system.recorder.heard.length;
      await hub.call('text.set_value', { entity_id: WEEK, value: `mon ${value}` });
      await eventually(async () => {
        const states = await hub.states();
        expect(states.get(WEEK)?.state).toMatch(new RegExp(`^mon[a-z,-]* ${value}`));
        expect(states.get('event.home_answer')?.attributes).toMatchObject({ event_type: 'applied', changed: ['mon'] });
      });
      await system.recorder.untilTopic(`${SCHEDULE_TOPIC}/mon`, value, from);
      const problems = (await hub.problems()).split('\n').filter((line) => line !== '' && !OF_THE_BROKER.test(line));
      expect(problems).toEqual([]);
    },
  );
});
