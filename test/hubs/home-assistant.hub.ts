import fc from 'fast-check';
import { connectAsync, type MqttClient } from 'mqtt';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Feature, Json } from '../../src/features/feature.ts';
import { bridgeDocument } from '../../src/homeassistant/document.ts';
import * as template from '../../src/homeassistant/templates.ts';
import { widened } from '../../src/homeassistant/widen.ts';
import type { Message } from '../../src/shared/message.ts';
import { featureState } from '../../src/topics/featureState.ts';
import { arbitraryFeatures } from '../support/devices/arbitraryFeatures.ts';
import { allDevices, type Device } from '../support/devices/deviceFiles.ts';
import { featureOf, WEEK } from '../support/devices/features.ts';
import { deviceDocument } from '../support/devices/onePage.ts';
import { shownBy } from '../support/devices/shownStates.ts';
import { tableOf } from '../support/golden.ts';
import { type Hub, type State, schemaVerdict, startHub } from './home-assistant-hub.ts';

const WHERE = { base: 'heating2mqtt', prefix: 'homeassistant', version: '1.0.0' };

type Component = Readonly<Record<string, unknown>> & { readonly unique_id: string; readonly name: string };
const componentsOf = (document: Message): Component[] => Object.values(JSON.parse(document.payload).components);

/** The same document with every entity enabled: what Home Assistant keeps disabled it doesn't judge. */
const allEnabled = (document: Message): Message => ({
  ...document,
  payload: document.payload.replaceAll(',"enabled_by_default":false', ''),
});

const retained = (topic: string, payload: string | object): Message => ({
  ...{ topic: `heating2mqtt/${topic}`, retain: true },
  payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
});

const left = { used: { per_10_minutes: 3, per_day: 50 }, left: { per_10_minutes: 117, per_day: 1400 } };
const bridgeStates: readonly Message[] = [
  retained('bridge/state', 'online'),
  retained('bridge/auth', { state: 'ok', since: '2026-11-21T06:00:00Z' }),
  retained('bridge/problems', {}),
  retained('bridge/quota', { ...left, poll_seconds: 75, reason: 'quota', round_seconds: 75 }),
  retained('bridge/health', { beat: 7, last_poll_at: '2026-11-21T06:00:10Z', last_success_at: '2026-11-21T06:00:11Z', poll_seconds: 75 }),
];

/** What a state should be for a value, thought out without the templates. */
const expectedState = (value: Json | undefined, component: Component): string | number => {
  if (value === undefined || value === '') return 'unknown';
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (typeof value === 'number') return value;
  if (component.device_class === 'timestamp') return `${String(value).slice(0, 19)}+00:00`;
  if (typeof value === 'string') return shownBy(String(component.value_template), value);
  if (Array.isArray(value)) return component.unit_of_measurement === undefined ? value.length : Number(value[0]);
  const days = Object.values(value ?? {});
  if (component.icon === 'mdi:calendar-clock') return days.flat().length > 0 ? 'set' : 'empty';
  return days.length;
};

const sameState = (shown: string | undefined, expected: string | number): boolean =>
  typeof expected === 'number' ? Math.abs(Number(shown) - expected) < 1e-9 : shown === expected;

// What was never pressed, and what is made of composites, which are not published here. A radiator thermostat is made of properties.
const STATELESS = new Set(['button', 'climate', 'event', 'water_heater']);

// Home Assistant takes a water heater that is told no mode for one that is off, and a cleared text for an empty one.
const stateWithout = ({ platform, mode_state_topic: mode }: Component): string =>
  platform === 'water_heater' && mode === undefined ? 'off' : 'unknown';

const checkState = (state: State | undefined, component: Component, values: ReadonlyMap<string, Json | undefined>): void => {
  const expected = STATELESS.has(String(component.platform))
    ? values.get(String(component.mode_state_topic)) === undefined
      ? stateWithout(component)
      : 'auto'
    : expectedState(values.get(String(component.state_topic)), component);
  const { unique_id, default_entity_id } = component;
  expect(sameState(state?.state, expected) ? expected : state?.state, unique_id).toBe(expected);
  expect(state?.entity_id).toBe(default_entity_id);
  for (const key of ['unit_of_measurement', 'device_class', 'state_class'])
    expect([unique_id, key, state?.attributes[key]]).toEqual([unique_id, key, component[key]]);
};

/** Values by state topic, so that a component can be looked up without a second copy of its name rules; what else was published is text. */
const valuesOf = (device: string, features: readonly Feature[], states: readonly Message[]): ReadonlyMap<string, Json | undefined> =>
  new Map([
    ...states.map(({ topic, payload }): [string, Json] => [topic, payload]),
    ...features.flatMap(({ name, properties }) =>
      [...properties].map(([key, { value }]): [string, Json | undefined] => [
        `heating2mqtt/${device}/${name.replaceAll('.', '/')}/${key}`,
        value ?? undefined,
      ]),
    ),
  ]);

type Shown = { readonly name: string; readonly model: string; readonly features: readonly Feature[]; readonly document: Message };

const shownAs = ({ name, gateway, device, features }: Device, i: number): Shown => {
  const own = `d${i}`;
  const identity = { name: own, installation: '111222', gateway, device, model: name };
  const wide = features.map((feature) => widened(undefined, feature));
  return { name: own, model: name, features, document: deviceDocument(WHERE, identity, wide) };
};

describe('Home Assistant', () => {
  let hub: Hub;
  let mqtt: MqttClient;
  const publish = (messages: readonly Message[]): Promise<unknown> =>
    Promise.all(messages.map(({ topic, payload, retain }) => mqtt.publishAsync(topic, payload, { qos: 1, retain })));
  const eventually = (check: () => Promise<void>): Promise<void> => vi.waitFor(check, { timeout: 90_000, interval: 500 });
  const online = (name: string): Message => retained(`${name}/availability`, 'online');

  /** The state of each of a device's entities by unique id; a disabled one has none. */
  const statesOf = async (device: string): Promise<ReadonlyMap<string, State | undefined>> => {
    const own = [...(await hub.registered()).values()].filter(({ entity_id }) => entity_id.split('.')[1]?.startsWith(`${device}_`));
    const states = await hub.states();
    return new Map(own.map(({ unique_id, entity_id }) => [unique_id, states.get(entity_id)]));
  };

  beforeAll(async () => {
    hub = await startHub();
    mqtt = await connectAsync(hub.mqttUrl, { protocolVersion: 5 });
    await publish([...bridgeStates, bridgeDocument(WHERE)]);
  });
  afterAll(async () => {
    await mqtt?.endAsync();
    await hub?.stop();
  });

  it('refuses and strips nothing of documents made of any features', async () => {
    const samples = fc.sample(arbitraryFeatures, { numRuns: 200, seed: 1 });
    const documents = samples.map((features, i) =>
      deviceDocument(WHERE, { name: `any ${i}`, installation: '1', gateway: 'any', device: String(i) }, features),
    );
    expect(await schemaVerdict([bridgeDocument(WHERE), ...documents])).toMatch(/^201 documents, \d+ components, 0 problems\n$/);
  });

  const templates = tableOf('templates') as readonly [what: string, name: string, payload: string, shown: string][];
  it('has all templates that it had', () => expect(templates).toHaveLength(42));
  it.each(templates)('renders %s', async (_, name, value, expected) => {
    const text: string = name === 'member' ? template.member('left', 'per_day') : Reflect.get(template, name);
    const variables = { value, ...(/^[[{]/.test(value) ? { value_json: JSON.parse(value) } : {}) };
    expect(await hub.render(text, variables)).toBe(expected);
  });

  it("shows the bridge's own device, and polls when its button is pressed", async () => {
    const pressed = new Promise<string>((resolve) => {
      mqtt.on('message', (topic, payload) => topic === 'heating2mqtt/bridge/poll/set' && resolve(payload.toString()));
    });
    await mqtt.subscribeAsync('heating2mqtt/bridge/poll/set');
    await eventually(async () => {
      const states = await hub.states();
      expect(states.get('binary_sensor.heating2mqtt_login')?.state).toBe('off');
      expect(states.get('sensor.heating2mqtt_calls_left')).toMatchObject({ state: '1400', attributes: { reason: 'quota' } });
      expect(states.get('sensor.heating2mqtt_poll_interval')?.state).toBe('75');
      expect(states.has('button.heating2mqtt_poll_now')).toBe(true);
    });
    await hub.call('button.press', { entity_id: 'button.heating2mqtt_poll_now' });
    expect(await pressed).toBe('bridge');
  });

  it('takes what the bridge cannot say yet as unknown, and a login that is needed as a problem', async () => {
    onTestFinished(() => void publish(bridgeStates));
    await publish([
      retained('bridge/problems', { login: { message: 'Log in.', since: '2026-11-21T06:00:00Z' } }),
      retained('bridge/health', {}),
      retained('bridge/quota', ''),
    ]);
    await eventually(async () => {
      const states = await hub.states();
      expect(states.get('binary_sensor.heating2mqtt_login')).toMatchObject({ state: 'on', attributes: { message: 'Log in.' } });
      expect(states.get('sensor.heating2mqtt_calls_left')?.state).toBe('unknown');
    });
    expect(await hub.problems()).toBe('');
  });

  it('tells an answer as an event, and shows a week with its entries', async () => {
    const schedule = featureOf('heating.dhw.schedule', { active: { value: true }, entries: { type: 'Schedule', value: WEEK } });
    const long = featureOf('heating.notes', { value: { value: `${'ä'.repeat(254)}xy` } });
    const features = [schedule, long];
    const document = allEnabled(deviceDocument(WHERE, { name: 'home', installation: '1', gateway: '1', device: '0' }, features));
    const now = retained('home/heating/dhw/schedule/overview', { active: true, now: 'normal' });
    await publish([
      online('home'),
      ...features.flatMap((feature) => featureState('heating2mqtt', 'home', feature).messages),
      now,
      document,
    ]);
    await eventually(async () => {
      const states = await hub.states();
      expect(states.get('sensor.home_hot_water_schedule_now')).toMatchObject({ state: 'Normal', attributes: WEEK });
      expect(states.get('sensor.home_notes')?.state).toBe(`${'ä'.repeat(254)}…`);
      expect(states.get('event.home_answer')?.state).toBe('unknown');
    });
    const answer = { id: '7', device: 'home', status: 'rejected', code: 'invalid', errors: [{ path: '/mon/0/end', rule: 'order' }] };
    await publish([{ ...retained('home/result', answer), retain: false }]);
    await eventually(async () => {
      const event = (await hub.states()).get('event.home_answer');
      expect(event?.attributes).toMatchObject({ event_type: 'rejected', code: 'invalid', errors: answer.errors });
    });
    await publish([
      retained('home/heating/dhw/schedule/entries', ''),
      retained('home/heating/dhw/schedule/active', ''),
      retained('home/heating/dhw/schedule/overview', ''),
      { ...retained('home/result', 'no answer'), retain: false },
      { ...retained('home/result', {}), retain: false },
    ]);
    await eventually(async () => {
      const states = await hub.states();
      expect(states.get('sensor.home_hot_water_schedule_now')?.state).toBe('unknown');
      expect(states.get('sensor.home_hot_water_schedule_now')?.attributes).not.toHaveProperty('mon');
      expect(states.get('binary_sensor.home_hot_water_schedule_active')?.state).toBe('unknown');
    });
    expect(await hub.problems()).toBe('');
    await publish([{ ...document, payload: '' }]);
    await eventually(async () => expect((await hub.states()).has('event.home_answer')).toBe(false));
  });

  describe('with every device', () => {
    const devices = allDevices().map(shownAs);

    it('refuses and strips nothing of the documents', async () => {
      expect(await schemaVerdict(devices.map(({ document }) => document))).toMatch(/^\d+ documents, \d+ components, 0 problems\n$/);
    });

    // One device after the other: Mosquitto keeps no more than 1000 messages for a client that is slower than the others.
    it.each(devices)('$model: each entity with its unit, classes and value, and unknown when it is cleared', async (device) => {
      const document = allEnabled(device.document);
      const components = componentsOf(document);
      const states = device.features.flatMap((feature) => featureState('heating2mqtt', device.name, feature).messages);
      const values = valuesOf(device.name, device.features, states);
      const byId = new Map(components.map((component) => [component.unique_id, component]));
      const isNothing = (id: string, state: string | undefined): boolean => {
        const component = byId.get(id);
        return component !== undefined && (state === stateWithout(component) || (component.platform === 'text' && state === ''));
      };

      await publish([online(device.name), ...states, document]);
      await eventually(async () => {
        const shown = await statesOf(device.name);
        expect([...shown.keys()].sort()).toEqual(components.map(({ unique_id }) => unique_id).sort());
        for (const component of components) checkState(shown.get(component.unique_id), component, values);
      });
      expect(await hub.problems()).toBe('');

      await publish(states.map((message) => ({ ...message, payload: '' })));
      await eventually(async () => {
        const shown = await statesOf(device.name);
        expect([...shown].filter(([id, state]) => !isNothing(id, state?.state)).map(([id]) => id)).toEqual([]);
      });
      expect(await hub.problems()).toBe('');

      await publish([
        { ...document, payload: '' },
        { ...online(device.name), payload: '' },
      ]);
      await eventually(async () => expect(await statesOf(device.name)).toEqual(new Map()));
      expect(await hub.problems()).toBe('');
    });

    it('keeps the long tail disabled', async () => {
      const [first] = allDevices();
      if (!first) throw new Error('no device');
      // Home Assistant remembers how the entities of a removed device were: this one it has never seen.
      const device = shownAs({ ...first, gateway: 'never seen' }, devices.length);
      const components = componentsOf(device.document);
      await publish([online(device.name), device.document]);
      await eventually(async () => expect((await statesOf(device.name)).size).toBe(components.length));
      const registered = await hub.registered();
      const isDisabled = (id: string): boolean => registered.get(id)?.disabled_by === 'integration';
      const wanted = components.map(({ unique_id: id, enabled_by_default: enabled }) => [id, enabled === false]);
      expect(components.map(({ unique_id: id }) => [id, isDisabled(id)])).toEqual(wanted);
      expect(await hub.problems()).toBe('');
    });
  });
});
