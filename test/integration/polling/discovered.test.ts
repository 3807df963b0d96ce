import { describe, expect, onTestFinished, test } from 'vitest';
import { defaultHome } from '../../../src/simulator/home/home.ts';
import { lintDocument } from '../../support/devices/discoveryLint.ts';
import { isOfPart } from '../../support/devices/isOfPart.ts';
import { sharedSystem, write } from '../../support/schedules/writing.ts';
import { published } from '../../support/system/outcome.ts';
import { startVirtualSystem, type VirtualTestOptions } from '../../support/system/virtualTestSystem.ts';

const { installation, gateway } = defaultHome;
const BOTH: VirtualTestOptions = {
  overrides: {
    devices: Object.entries({ '0': 'home', 'RoomControl-1': 'rooms' }).map(([device, name]) => ({
      ...{ name, installation: String(installation), gateway, device, features: ['*'], exclude: [] },
    })),
  },
};

type Component = Readonly<Record<string, unknown>>;

const DOCUMENT = /^homeassistant\/device\/(?!heating2mqtt_bridge)[^/]+\/config$/;

const documentsIn = (retained: ReadonlyMap<string, string>) => [...retained].filter(([topic]) => DOCUMENT.test(topic));
const componentsIn = (payload: string): readonly (readonly [string, Component])[] => Object.entries(JSON.parse(payload).components);

/** Pairs of a state and the topic that writes it. */
const pairsOf = (component: Component): readonly (readonly [state: string, command: string])[] =>
  Object.entries(component).flatMap(([key, command]) => {
    const name = key.replace(/command_topic$/, '');
    const state = component[`${name}state_topic`];
    return key.endsWith('command_topic') && typeof state === 'string' ? [[state, String(command)] as const] : [];
  });

describe('what hubs are offered of a running bridge', () => {
  const system = sharedSystem(BOTH);

  test('obeys the rules of both hubs', async () => {
    await published(system());
    const documents = documentsIn(await system().retained());
    expect(documents.filter(([topic]) => !isOfPart(topic))).toHaveLength(2);
    expect(documents.length).toBeGreaterThan(2);
    // openHAB makes one Thing of each identifier.
    expect(new Set(documents.map(([, payload]) => JSON.parse(payload).device.identifiers[0])).size).toBe(documents.length);
    for (const [topic, payload] of documents) expect(lintDocument({ topic, payload, retain: true })).toEqual([]);
  });

  test('may be sent back as it is shown: it is taken, and changes nothing', async () => {
    const retained = await system().retained();
    const pairs = documentsIn(retained).flatMap(([, payload]) => componentsIn(payload).flatMap(([, component]) => pairsOf(component)));
    // Hubs show nothing in a field that is empty.
    const shown = pairs.filter(([state]) => retained.has(state) && !(state.endsWith('/field') && retained.get(state) === 'none'));
    expect(shown.length).toBeGreaterThan(60);
    for (const [state, command] of shown) {
      const payload = retained.get(state) ?? '';
      const { terminal, posts } = await write(system(), command, payload);
      // A week that no stored one equals has no name that could be written.
      const expected = payload === 'custom' && command.endsWith('/profile/set') ? /unchanged|rejected/ : /unchanged/;
      expect(terminal.status, `${command} ${payload}`).toMatch(expected);
      expect(posts).toEqual([]);
    }
  });
});

test('a value for which a document had no room is heard after one that has', async () => {
  const system = await startVirtualSystem(BOTH);
  onTestFinished(() => system.close());
  await published(system);
  const topic = 'heating2mqtt/home/heating/dhw/temperature/main/value';
  const first = await system.recorder.until((heard) => DOCUMENT.test(heard.topic) && heard.payload.includes(topic));
  const max = (payload: string): unknown => componentsIn(payload).find(([, { state_topic: state }]) => state === topic)?.[1].max;
  expect(max(first.payload)).toBe(60);
  const from = system.recorder.heard.length;
  system.simulator.control({ command: 'set', feature: 'heating.dhw.temperature.main', property: 'value', value: 70 });
  await system.recorder.publish('heating2mqtt/bridge/poll/set', 'home');
  const document = await system.recorder.until((heard) => heard.topic === first.topic, from);
  expect(max(document.payload)).toBe(70);
  await system.recorder.until((heard) => heard.topic === topic, system.recorder.heard.indexOf(document));
});
