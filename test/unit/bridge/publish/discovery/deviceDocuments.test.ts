import { describe, expect, onTestFinished, test } from 'vitest';
import { retainedPublisher } from '../../../../../src/bridge/publish/broker/retainedPublisher.ts';
import { compositeOwner, featureOwner } from '../../../../../src/bridge/publish/broker/topicOwnership.ts';
import { type DocumentSettings, deviceDocumentsOf } from '../../../../../src/bridge/publish/discovery/deviceDocuments.ts';
import { discoveryPublisher } from '../../../../../src/bridge/publish/discovery/discoveryPublisher.ts';
import { otherBridges } from '../../../../../src/bridge/publish/discovery/otherBridges.ts';
import { DeviceState, deviceKey } from '../../../../../src/bridge/state/deviceState.ts';
import { FeatureForms } from '../../../../../src/bridge/state/featureForms.ts';
import type { Feature } from '../../../../../src/features/feature.ts';
import type { Outgoing } from '../../../../../src/shared/message.ts';
import { featureOf } from '../../../../support/devices/features.ts';
import { commandOf } from '../../../../support/schedules/commands.ts';
import { keyedStore } from '../../../../support/system/keptInMemory.ts';
import { memory } from '../../../../support/system/memoryTopics.ts';
import { recordingLog } from '../../../../support/system/testSystem.ts';
import { fakeClock, settled } from '../../../../support/time/fakeClock.ts';

const DEVICE = { name: 'home', installation: '1', gateway: '7571381699991111', device: '0', features: ['*'], exclude: [] };

const NAMES = { decide: () => undefined, titleOf: ({ device }: DeviceState) => ({ shown: device.name, id: device.name }) };
const SETTINGS = {
  language: 'en',
  base: 'base',
  prefix: 'homeassistant',
  version: '1',
  mode: 'device',
  profiles: [],
  isAllowed: () => true,
} as const;

/** Documents of one device, and the seconds in which versions reached the broker. */
const setUp = (settings: Partial<DocumentSettings> = {}) => {
  const clock = fakeClock();
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const sent: { readonly at: number; readonly message: Outgoing }[] = [];
  const broker = { window: 16, publish: async (message: Outgoing) => void sent.push({ at: clock.elapsedMs() / 1000, message }) };
  const publisher = retainedPublisher(broker, memory(), recordingLog([]));
  publisher.connected(undefined);
  const offers = discoveryPublisher(
    publisher,
    otherBridges('base', async () => undefined, recordingLog([])),
    keyedStore(),
    clock,
    stop.signal,
  );
  const forms = new FeatureForms();
  const state = new DeviceState(DEVICE);
  const states = new Map([[deviceKey(DEVICE), state]]);
  const documents = deviceDocumentsOf(
    { ...SETTINGS, ...settings },
    { isFirstRound: false, states },
    { areComplete: () => true },
    NAMES,
    publisher,
    offers,
    forms,
  );
  /** True where one of these features looks other than before. */
  const note = (...features: readonly Feature[]): boolean => {
    const changes = forms.learn(state, features);
    documents.makeRoom(state, changes);
    return changes.length > 0;
  };
  /** The features are read; true where the document has to follow, which it then does. */
  const read = (...features: readonly Feature[]): boolean => {
    for (const feature of features) state.take(feature, clock.elapsedMs());
    const isChanged = note(...features);
    if (isChanged) documents.show(state);
    return isChanged;
  };
  return {
    clock,
    stop,
    documents,
    forms,
    publisher,
    state,
    states,
    note,
    read,
    sent,
    seconds: () => sent.map(({ at }) => at),
    last: () => sent.at(-1)?.message.payload ?? '',
  };
};

const temperature = (value?: number) =>
  featureOf('heating.sensors.temperature.outside', {
    value: { type: 'number', unit: 'celsius', ...(value === undefined ? {} : { value }) },
  });
const pump = featureOf('heating.circuits.0.circulation.pump', { status: { value: 'on' } });
const HOT_WATER = 'heating.dhw.temperature.main';
const setTarget = commandOf('setTargetTemperature', { temperature: ['number', { min: 10, max: 60, stepping: 1 }] });
const hotWater = (value: number) => featureOf(HOT_WATER, { value: { value, unit: 'celsius' } }, { commands: new Map([setTarget]) });
const extra = (n: number) => featureOf(`test.extra.${n}`, { value: { value: n } });

describe('a document', () => {
  test('follows what a feature looks like, not its values', async () => {
    const { read, seconds } = setUp();
    expect(read(temperature(1), pump)).toBe(true);
    await settled();
    expect(read(temperature(2), pump)).toBe(false);
    expect(seconds()).toEqual([0]);
  });

  test('is not offered for a device that is gone meanwhile', async () => {
    const { read, states, seconds } = setUp();
    read(temperature(1));
    states.clear();
    await settled();
    expect(seconds()).toEqual([]);
  });

  test('follows the unit that an old record has beside the value', async () => {
    const { read } = setUp();
    const used = (unit: string) => featureOf('heating.gas.consumption.dhw', { day: { value: [1, 2] }, unit: { value: unit } });
    expect(read(used('kilowattHour'))).toBe(true);
    expect(read(used('kilowattHour'))).toBe(false);
    expect(read(used('cubicMeter'))).toBe(true);
  });

  test('never comes in two versions within five seconds; the last look of those between is the next one', async () => {
    const { read, seconds, clock, last } = setUp();
    read(temperature(1));
    await clock.pass(1000);
    for (const n of [1, 2, 3]) {
      read(extra(n));
      await clock.pass(500);
    }
    expect(seconds()).toEqual([0]);
    await clock.pass(10_000);
    expect(seconds()).toEqual([0, 5]);
    expect(last()).toContain('test/extra/3/value');
    read(extra(4));
    await clock.pass(0);
    expect(seconds()).toEqual([0, 5, 12.5]);
  });

  test('of each part is one of its own, and stays so when only one part is left', async () => {
    const { read, documents, forms, state, clock, sent } = setUp();
    const topics = () =>
      sent
        .splice(0)
        .map(({ message: { topic, payload } }) => `${topic.split('/')[2]?.split('_7571381699991111_')[1]} ${payload.slice(0, 8)}`);
    read(temperature(1), pump, hotWater(50));
    await clock.pass(20_000);
    expect(topics()).toEqual(['0 {"device', '0_part_heating_circuits_0 {"device', '0_part_heating_dhw {"device']);
    forms.forget(state, [HOT_WATER]);
    documents.show(state);
    await clock.pass(20_000);
    // Nothing can be set for a time any more: a component leaves the document in two steps.
    expect(topics()).toEqual(['0_part_heating_dhw ', '0 {"device', '0 {"device']);
  });

  test('keeps what a sensor offers while it has no value, or is gone for a while', async () => {
    const { read, last, clock } = setUp();
    read(temperature(1));
    await settled();
    const before = last();
    expect(read(temperature())).toBe(false);
    expect(read(featureOf('heating.sensors.temperature.outside', {}))).toBe(false);
    read(extra(1));
    await clock.pass(6000);
    const entity = /"heating_sensors_temperature_outside[^"]*"/.exec(before)?.[0] ?? 'heating/sensors/temperature/outside/value';
    expect(last()).toContain(entity);
    expect(last()).toContain('heating/sensors/temperature/outside/value');
  });

  test('that makes room goes before the value that needs it, and at once', async () => {
    const { read, note, state, sent, clock } = setUp();
    read(hotWater(50));
    await settled();
    await clock.pass(10_000);
    state.take(hotWater(70), clock.elapsedMs());
    expect(note(hotWater(70))).toBe(true);
    await settled();
    expect(sent).toHaveLength(2);
    expect(sent[1]?.message.payload).toContain('"max":70');
    expect(read(hotWater(40))).toBe(false);
    await clock.pass(10_000);
    expect(sent).toHaveLength(2);
  });

  test('that comes too soon after another for that has the value repeated behind it', async () => {
    const { read, documents, note, state, publisher, sent, clock } = setUp();
    const topic = 'base/home/heating/dhw/temperature/main/value';
    read(hotWater(50));
    await settled();
    note(hotWater(70));
    publisher.assign(featureOwner(DEVICE, HOT_WATER), [{ topic, payload: '70', retain: true }]);
    documents.show(state);
    await clock.pass(6000);
    expect(sent.map(({ message }) => (message.topic === topic ? 'value' : 'document'))).toEqual(['document', 'value', 'document', 'value']);
  });

  test('has what the thermostats show repeated behind it likewise', async () => {
    const { read, documents, note, state, publisher, sent, clock } = setUp();
    const setMode = commandOf('setMode', { mode: ['string', { enum: ['standby', 'heating'] }] });
    const mode = (value: string) =>
      featureOf('heating.circuits.0.operating.modes.active', { value: { value } }, { commands: new Map([setMode]) });
    const topic = 'base/home/heating/circuits/0/climate/mode';
    read(mode('heating'));
    await settled();
    note(mode('cooling'));
    publisher.assign(compositeOwner(DEVICE, 'heating.circuits.0.climate'), [{ topic, payload: 'cool', retain: true }]);
    documents.show(state);
    await clock.pass(6000);
    expect(sent.map(({ message }) => (message.topic === topic ? 'mode' : 'document'))).toEqual(['document', 'mode', 'document', 'mode']);
    expect(sent[2]?.message.payload).toContain('"modes":["off","auto","cool"]');
  });

  test('leaves out what was forgotten and what was disabled', async () => {
    const { read, last, clock, documents, forms, state } = setUp();
    read(temperature(1), pump, extra(1));
    await settled();
    state.features.delete(pump.name);
    forms.forget(state, [pump.name]);
    documents.show(state);
    expect(read(featureOf('test.extra.1', {}, { isEnabled: false }))).toBe(true);
    await clock.pass(12_000);
    expect(last()).not.toContain('circulation/pump');
    expect(last()).not.toContain('test/extra');
    expect(last()).toContain('temperature/outside');
  });

  test('is not published after the end', async () => {
    const { read, seconds, clock, stop } = setUp();
    read(temperature(1));
    await settled();
    read(extra(1));
    stop.abort();
    await clock.pass(60_000);
    expect(seconds()).toEqual([0]);
  });
});
