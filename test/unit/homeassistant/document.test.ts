import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Feature, Json } from '../../../src/features/feature.ts';
import { bridgeDocument, type DeviceIdentity, deviceDocuments } from '../../../src/homeassistant/document.ts';
import { faultEntities } from '../../../src/homeassistant/entities/faultEntities.ts';
import { componentKey } from '../../../src/homeassistant/ids.ts';
import type { Message } from '../../../src/shared/message.ts';
import { schedulePropertyOf } from '../../../src/topics/featureState.ts';
import { RESERVED } from '../../../src/topics/topicNames.ts';
import { anyText } from '../../support/anyText.ts';
import { runs } from '../../support/chance.ts';
import { arbitraryFeatures } from '../../support/devices/arbitraryFeatures.ts';
import { allDevices } from '../../support/devices/deviceFiles.ts';
import { lintDocument } from '../../support/devices/discoveryLint.ts';
import { featureOf } from '../../support/devices/features.ts';
import { deviceDocument } from '../../support/devices/onePage.ts';

const WHERE = { base: 'heating2mqtt', prefix: 'homeassistant', version: '1.0.0' };
const HOME: DeviceIdentity = { name: 'home', installation: '111222', gateway: '7571381699991111', device: '0', model: 'E3_Vitocal' };

const documentOf = (...features: readonly Feature[]): Message => deviceDocument(WHERE, HOME, features);
const componentsOf = (message: Message): Record<string, Record<string, unknown>> => JSON.parse(message.payload).components;
/** What every device has. */
const OWN: ReadonlySet<string> = new Set(['answer', 'connection', 'conflict']);
const keysOf = (...features: readonly Feature[]): string[] =>
  Object.keys(componentsOf(documentOf(...features))).filter((key) => !OWN.has(key));
const only = (feature: Feature): Record<string, unknown> | undefined =>
  Object.entries(componentsOf(documentOf(feature))).find(([key]) => !OWN.has(key))?.[1];

describe('the document of a device', () => {
  it('names the device, who publishes, and both availabilities', () => {
    const where = { ...WHERE, page: 'http://192.168.1.10:8427/' };
    const { topic, payload, retain } = deviceDocument(where, { ...HOME, name: 'Haus Süd', serial: '77', type: 'heating' }, []);
    const { components, ...root } = JSON.parse(payload);
    expect({ topic, retain }).toEqual({ topic: 'homeassistant/device/heating2mqtt_7571381699991111_0/config', retain: true });
    expect(root).toEqual({
      device: {
        identifiers: ['heating2mqtt7571381699991111d0'],
        name: 'Haus Süd',
        manufacturer: 'Viessmann',
        model: 'E3_Vitocal',
        serial_number: '77',
        via_device: 'heating2mqttbridge',
        configuration_url: 'http://192.168.1.10:8427/',
      },
      origin: { name: 'heating2mqtt', sw_version: '1.0.0' },
      availability: [{ topic: 'heating2mqtt/bridge/state' }, { topic: 'heating2mqtt/Haus%20S%C3%BCd/availability' }],
      availability_mode: 'all',
    });
    expect(Object.keys(components)).toEqual(['answer', 'connection']);
  });

  it('says that the connection is a problem also while the device itself is offline', () => {
    expect(componentsOf(documentOf()).connection).toMatchObject({
      ...{ platform: 'binary_sensor', device_class: 'problem', default_entity_id: 'binary_sensor.home_connection' },
      ...{ state_topic: 'heating2mqtt/home/problems', availability: [{ topic: 'heating2mqtt/bridge/state' }] },
    });
  });

  it('has a problem for a temporary write that was changed elsewhere, enabled, where something can be written', () => {
    for (const { name, features } of allDevices()) {
      const { conflict, ...others } = componentsOf(deviceDocument(WHERE, HOME, features));
      const isControlled = Object.values(others).some((one) => one['platform'] !== 'button' && 'command_topic' in one);
      expect(conflict !== undefined, name).toBe(isControlled);
      expect(conflict?.['enabled_by_default'], name).toBeUndefined();
    }
  });

  it('tells every answer as one event, enabled', () => {
    expect(componentsOf(documentOf()).answer).toEqual({
      platform: 'event',
      unique_id: 'heating2mqtt_7571381699991111_0_answer',
      default_entity_id: 'event.home_answer',
      name: 'Answer',
      event_types: ['accepted', 'waiting', 'applied', 'unchanged', 'unconfirmed', 'superseded', 'rejected', 'failed', 'valid'],
      icon: 'mdi:message-reply-text',
      state_topic: 'heating2mqtt/home/result',
      value_template: expect.stringMatching(/^\{\{ dict\(value_json, event_type=value_json\.status, refused=.* else '\{\}' \}\}$/),
    });
  });

  it('calls a list of days by its newest, unless another entity is called so', () => {
    const list = { type: 'array', value: [3, 4], unit: 'kilowattHour' };
    const named = (...features: readonly Feature[]) => componentsOf(documentOf(...features))['heating_power_consumption_dhw_day'];
    const days = featureOf('heating.power.consumption.dhw', { day: list });
    const today = featureOf('heating.power.consumption.summary.dhw', { currentDay: { type: 'number', value: 3, unit: 'kilowattHour' } });
    const id = { default_entity_id: 'sensor.home_power_consumption_hot_water_by_day' };
    expect(named(days)).toMatchObject({ name: 'Power consumption hot water today', ...id });
    expect(named(days, today)).toMatchObject({ name: 'Power consumption hot water by day', ...id });
  });

  it('makes a climate of a radiator thermostat that can be set', () => {
    const { features = [] } = allDevices().find((device) => device.features.some(({ name }) => name === 'trv.temperature')) ?? {};
    const topic = 'heating2mqtt/home/trv/temperature/value';
    const climate = componentsOf(documentOf(...features))['trv_climate'];
    expect(climate).toMatchObject({
      name: 'Thermostat',
      modes: ['auto'],
      mode_state_topic: topic,
      min_temp: 8,
      max_temp: 30,
      temp_step: 0.5,
    });
    expect(climate).toMatchObject({ temperature_state_topic: topic, temperature_command_topic: `${topic}/set` });
    expect(climate?.['current_temperature_topic']).toBe('heating2mqtt/home/device/sensors/temperature/value');
    const forbidden = { language: 'en', profiles: [], isAllowed: () => false } as const;
    expect(componentsOf(deviceDocument(WHERE, HOME, features, forbidden))).not.toHaveProperty('trv_climate');
  });

  it('gives a property without a value its entity', () => {
    expect(only(featureOf('heating.sensors.temperature.outside', { value: { type: 'number', unit: 'celsius' } }))).toMatchObject({
      platform: 'sensor',
      unit_of_measurement: '°C',
      device_class: 'temperature',
      state_class: 'measurement',
      suggested_display_precision: 1,
      state_topic: 'heating2mqtt/home/heating/sensors/temperature/outside/value',
      value_template: "{{ value if value else 'None' }}",
    });
  });

  it.each([
    ['boolean', { type: 'boolean', value: true }, { platform: 'binary_sensor', payload_on: 'true' }],
    ['string', { type: 'string', value: 'x' }, { platform: 'sensor', value_template: expect.stringContaining("value[:254] ~ '…'") }],
    ['array', { type: 'array', value: [] }, { value_template: "{{ value_json | length if value else 'None' }}" }],
    ['object', { type: 'object', value: {} }, { enabled_by_default: false, json_attributes_template: "{{ value if value else '{}' }}" }],
    [
      'DeviceList',
      { type: 'DeviceList', value: [{ id: '0' }] },
      { json_attributes_template: expect.stringContaining("{'values': value_json}") },
    ],
    ['a new type with a number', { type: 'Level', value: 3 }, { platform: 'sensor', value_template: "{{ value if value else 'None' }}" }],
    ['a new type with a boolean', { type: 'Flag', value: false }, { platform: 'binary_sensor' }],
    ['a new type without a value', { type: 'toString' }, { platform: 'sensor', value_template: expect.stringContaining('value[:254]') }],
    ['a number that came as text', { type: 'number', value: 'n/a' }, { value_template: expect.stringContaining('value[:254]') }],
  ])('shows %s by its shape', (_, property, component) => {
    expect(only(featureOf('ventilation.something', { anything: property }))).toMatchObject(component);
  });

  it('shows the newest of a consumption array, with its unit but without statistics', () => {
    const array = only(featureOf('heating.gas.consumption.dhw', { day: { type: 'array', unit: 'cubicMeter', value: [1.5, 2] } }));
    expect(array).toMatchObject({
      unit_of_measurement: 'm³',
      device_class: 'gas',
      value_template: expect.stringContaining('value_json[0]'),
    });
    const power = only(featureOf('heating.power', { day: { type: 'array', unit: 'watt', value: [1.5] } }));
    expect([array, power].map((component) => component?.state_class)).toEqual([undefined, undefined]);
  });

  it('shows sums of the platform without their binary noise, and other numbers as they are', () => {
    const templateOf = (type: string, unit: string, value: Json) =>
      only(featureOf('heating.power.consumption.total', { day: { type, unit, value } }))?.['value_template'];
    for (const unit of ['kilowattHour', 'cubicMeter', 'wattHour']) {
      expect(templateOf('number', unit, 5.8999999999999995)).toContain('value | round(6)');
      expect(templateOf('array', unit, [5.8999999999999995])).toContain('value_json[0] | round(6)');
    }
    expect(templateOf('number', 'celsius', 21.5)).toBe("{{ value if value else 'None' }}");
  });

  it('takes the unit from the property beside the value, as older records have it', () => {
    const unit = { type: 'string', value: 'kilowattHour' };
    const old = componentsOf(documentOf(featureOf('heating.gas.consumption.dhw', { day: { type: 'array', value: [1] }, unit })));
    expect(old.heating_gas_consumption_dhw_day).toMatchObject({ unit_of_measurement: 'kWh', device_class: 'energy' });
    const max = featureOf('heating.circuits.0.temperature.levels', { max: { type: 'number', unit: '' }, maxUnit: { value: 'celsius' } });
    expect(componentsOf(documentOf(max)).heating_circuits_0_temperature_levels_max).toMatchObject({ unit_of_measurement: '°C' });
  });

  it.each([
    ['dayValueReadAt', 'heating.gas.consumption.dhw', 'timestamp'],
    ['start', 'heating.operating.programs.holiday', 'date'],
    ['end', 'heating.operating.programs.holidayAtHome', 'date'],
    ['begin', 'device.time.daylightSaving', undefined],
  ])('%s of %s is a %s', (name, feature, deviceClass) => {
    expect(only(featureOf(feature, { [name]: { type: 'string', value: '' } }))?.device_class).toBe(deviceClass);
  });

  it('offers nothing of what is disabled, empty, or has no topic', () => {
    const active = { active: { value: true } };
    expect(keysOf(featureOf('heating.solar', active, { isEnabled: false }), featureOf('heating.sensors', {}))).toEqual([]);
    expect(keysOf(featureOf('heating.x', { now: { value: 1 }, mon: { value: 'a' }, record: { value: 1 } }))).toEqual([]);
  });

  it('offers only the circuits that the device lists', () => {
    const curve = (n: number): Feature => featureOf(`heating.circuits.${n}.heating.curve`, { slope: { value: 1.4 } });
    const listed = featureOf('heating.circuits', { enabled: { value: ['0', '10'] } });
    const curves = [curve(0), curve(1), curve(10)];
    expect(keysOf(...curves, listed)).toEqual([
      'heating_circuits_0_heating_curve_slope',
      'heating_circuits_10_heating_curve_slope',
      'heating_circuits_enabled',
    ]);
    expect(keysOf(...curves)).toHaveLength(3);
    expect(keysOf(...curves, featureOf('heating.circuits', { enabled: { type: 'array' } }))).toHaveLength(4);
  });

  it('keeps what is deprecated out of sight', () => {
    const old = featureOf(
      'heating.buffer.sensors.temperature.main',
      { value: { value: 3 } },
      { deprecated: { removalDate: '2024-09-15' } },
    );
    expect(only(old)).toMatchObject({ enabled_by_default: false, entity_category: 'diagnostic' });
  });

  it('numbers the names that would meet', () => {
    const value = { value: { value: 1 } };
    const components = componentsOf(documentOf(featureOf('heating.newThing', value), featureOf('heating.new.thing', value)));
    expect([components.heating_new__thing_value?.name, components.heating_new_thing_value?.name]).toEqual(['New thing', 'New thing 2']);
    expect(components.heating_new_thing_value?.default_entity_id).toBe('sensor.home_new_thing_2');
  });

  it('holds whole characters only', () => {
    const broken = featureOf('heating.x', { y: { type: 'number', unit: '\ud800', value: 1 } });
    const offering = { language: 'en', profiles: [], isAllowed: () => true } as const;
    const [message] = deviceDocuments(WHERE, { ...HOME, name: 'a\udc00b', model: '\\ud800' }, [broken], offering);
    expect(lintDocument(message)).toEqual([]);
    expect(JSON.parse(message.payload).device).toMatchObject({ name: 'a\ufffdb', model: '\\ud800' });
  });

  it('proposes entity ids also for a device whose name has no letter of them', () => {
    const { default_entity_id: id } = componentsOf(deviceDocument(WHERE, { ...HOME, name: '暖房' }, [])).answer ?? {};
    expect(id).toBe('event.heating2mqtt_7571381699991111_0_answer');
  });
});

describe('every document', () => {
  it('passes the rules of both hubs, whatever the platform sends', () => {
    fc.assert(
      fc.property(arbitraryFeatures, anyText({ minLength: 1 }), anyText({ minLength: 1 }), (all, name, id) => {
        expect(lintDocument(deviceDocument(WHERE, { ...HOME, name, gateway: id, device: id }, all))).toEqual([]);
      }),
      { numRuns: runs(300) },
    );
  });

  it('is the same for the same features in any order', () => {
    const shuffled = arbitraryFeatures.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })));
    fc.assert(
      fc.property(shuffled, ([all, other]) => {
        const turned = other.map((one) => ({ ...one, properties: new Map([...one.properties].reverse()) }));
        expect(documentOf(...turned).payload).toBe(documentOf(...all).payload);
      }),
    );
  });

  it('has a component for each property that has a topic', () => {
    fc.assert(
      fc.property(arbitraryFeatures, (all) => {
        const outside = all.filter(({ name }) => !name.startsWith('heating.circuits.'));
        const expected = outside.flatMap((feature) =>
          [...feature.properties.keys()]
            .filter((name) => !RESERVED.has(name) && name !== schedulePropertyOf(feature))
            .map((name) => componentKey(feature.name, name)),
        );
        expect(keysOf(...outside)).toEqual(expect.arrayContaining(expected));
        expect(new Set(expected).size).toBe(expected.length);
      }),
    );
  });
});

describe("the bridge's document", () => {
  it('passes the rules of both hubs', () => expect(lintDocument(bridgeDocument(WHERE))).toEqual([]));

  it('has the same units in both languages: Home Assistant ends the statistics of a sensor whose unit changes', () => {
    const unitsIn = (language: 'en' | 'de'): readonly string[] =>
      Object.values<{ readonly unit_of_measurement?: string }>(JSON.parse(bridgeDocument(WHERE, language).payload).components).map(
        ({ unit_of_measurement: unit = '' }) => unit,
      );
    expect(unitsIn('de')).toEqual(unitsIn('en'));
  });

  it('has what the bridge says about itself, available while the bridge is', () => {
    const { topic, payload } = bridgeDocument(WHERE);
    const { availability, components } = JSON.parse(payload);
    expect(topic).toBe('homeassistant/device/heating2mqtt_bridge/config');
    expect(availability).toEqual([{ topic: 'heating2mqtt/bridge/state' }]);
    expect(Object.keys(components)).toEqual([
      'broker',
      'calls',
      'calls_left',
      'last_success',
      'login',
      'login_needed',
      'plan',
      'poll_interval',
      'poll_now',
    ]);
    expect(components.calls_left).toMatchObject({
      state_topic: 'heating2mqtt/bridge/quota',
      value_template:
        "{{ value_json.left.per_day if value and value_json.left is defined and value_json.left.per_day is defined else 'None' }}",
    });
    expect(components.login_needed.value_template).toContain("value_json.state == 'login_needed'");
    // The last success changes with each read.
    const disabled = Object.keys(components).filter((key) => components[key].enabled_by_default === false);
    expect(disabled).toEqual(['last_success', 'login_needed']);
    expect(components.poll_interval).toMatchObject({ unit_of_measurement: 's', suggested_display_precision: 0 });
    expect(components.login).toMatchObject({
      ...{ name: 'Login', device_class: 'problem', state_topic: 'heating2mqtt/bridge/problems' },
      value_template: "{{ ('true' if value_json.login is defined else 'false') if value else 'None' }}",
      json_attributes_template: "{{ value_json.login | tojson if value and value_json.login is defined else '{}' }}",
    });
    expect(JSON.parse(bridgeDocument(WHERE, 'de').payload).components.login).toMatchObject({
      ...{ name: 'Anmeldung', default_entity_id: 'binary_sensor.heating2mqtt_login' },
    });
    expect(components.poll_now).toMatchObject({ command_topic: 'heating2mqtt/bridge/poll/set', payload_press: 'bridge' });
  });
});

it('a device that has had no fault says so, and is not unknown', () => {
  const templateIn = (language: 'en' | 'de') =>
    faultEntities('b', 'home', language).find(({ key }) => key === 'last_fault')?.config['value_template'];
  expect(templateIn('en')).toContain("if value_json.last is defined else 'No fault') if value else 'None'");
  expect(templateIn('de')).toContain("else 'Keine Störung')");
});
