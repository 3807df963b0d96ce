import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Command, Feature, Json } from '../../../src/features/feature.ts';
import { bridgeEntities } from '../../../src/homeassistant/entities/bridgeEntities.ts';
import type { Offering } from '../../../src/homeassistant/entities/entity.ts';
import { longestDay } from '../../../src/homeassistant/entities/schedules.ts';
import { slug } from '../../../src/homeassistant/words.ts';
import { readProfile } from '../../../src/schedule/profile.ts';
import { fixtureDevice } from '../../support/devices/deviceFiles.ts';
import { featureOf, WEEK } from '../../support/devices/features.ts';
import { deviceDocument } from '../../support/devices/onePage.ts';
import { expectTable } from '../../support/golden.ts';
import { commandOf } from '../../support/schedules/commands.ts';

const WHERE = { base: 'b', prefix: 'homeassistant', version: '1' };
const HOME = { name: 'home', installation: '1', gateway: 'g', device: '0' };
const ALL: Offering = {
  language: 'en',
  profiles: [readProfile('summer', 'daily none'), readProfile('party', 'sat 10:00-24:00 party')],
  isAllowed: () => true,
};

it('each problem of the bridge is in the documentation, and in the automation that tells of problems', () => {
  const read = (file: string): string => readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');
  const problems = bridgeEntities('b', 'en').filter(
    ({ config }) => config.device_class === 'problem' && config.enabled_by_default !== false,
  );
  expect(problems).toHaveLength(4);
  for (const { name } of problems) {
    expect(read('docs/home-assistant.md')).toContain(`| ${name} | `);
    expect(read('examples/home-assistant/heating2mqtt.yaml')).toContain(`- binary_sensor.heating2mqtt_${slug(name)}\n`);
  }
});

type Components = Readonly<Record<string, Readonly<Record<string, unknown>>>>;
const componentsOf = (features: readonly Feature[], offering = ALL): Components =>
  JSON.parse(deviceDocument(WHERE, HOME, features, offering).payload).components;

const command = (name: string, params: Readonly<Record<string, Readonly<Record<string, Json>>>> = {}) =>
  commandOf(
    name,
    Object.fromEntries(Object.entries(params).map(([key, { type = 'number', ...constraints }]) => [key, [String(type), constraints]])),
  );
const only = (feature: Feature, property: string): Readonly<Record<string, unknown>> | undefined =>
  Object.entries(componentsOf([feature])).find(([key]) => key.endsWith(`_${property}`))?.[1];

const boiler = componentsOf(fixtureDevice('boiler'));
const rooms = componentsOf(fixtureDevice('rooms'));
const S = 'b/home/heating/circuits/0/heating/schedule';

describe('a schedule', () => {
  const at = (leaf: string) => boiler[`heating_circuits_0_heating_schedule_${leaf}`];

  it('tells the mode now and next, of the modes it can have, with the week beside it', () => {
    expect(at('now')).toMatchObject({
      platform: 'sensor',
      name: 'Upstairs heating schedule mode',
      default_entity_id: 'sensor.home_upstairs_heating_schedule_now',
      device_class: 'enum',
      options: ['Normal', 'Comfort', 'Reduced', 'Not followed', 'No entry'],
      state_topic: `${S}/overview`,
      json_attributes_topic: `${S}/entries`,
    });
    expect(at('next')).toMatchObject({ device_class: 'enum', options: ['Normal', 'Comfort', 'Reduced', 'Not followed', 'No change'] });
    expect(at('next_at')).toMatchObject({ device_class: 'timestamp', state_topic: `${S}/next_at` });
    expect(at('until')).toMatchObject({ device_class: 'timestamp', state_topic: `${S}/until` });
  });

  it('has its week and days as texts that never show more than a state may be long', () => {
    for (const leaf of ['text', 'mon', 'sun']) {
      expect(at(leaf)).toMatchObject({
        ...{
          platform: 'text',
          entity_category: 'config',
          min: 0,
          max: 255,
          state_topic: `${S}/${leaf}`,
          command_topic: `${S}/${leaf}/set`,
        },
        value_template: "{{ value if value | length < 256 else value[:254] ~ '…' }}",
      });
      expect(at(leaf)).not.toHaveProperty('pattern');
    }
    expect(at('mon')).toMatchObject({
      name: 'Upstairs heating schedule Monday',
      default_entity_id: 'text.home_upstairs_heating_schedule_mon',
    });
  });

  it('shows a day that can be longer than a state, and does not write it', () => {
    expect(boiler.heating_dhw_pumps_circulation_schedule_mon).toMatchObject({ platform: 'sensor', entity_category: 'diagnostic' });
    expect(boiler.heating_dhw_pumps_circulation_schedule_mon).not.toHaveProperty('command_topic');
    expect(boiler.heating_dhw_pumps_circulation_schedule_text).toMatchObject({ platform: 'text' });
  });

  it.each([
    [4, ['normal'], 78],
    [8, ['on', 'normal'], 158],
    [8, ['5/25-cycles'], 198],
    [12, ['comfort'], 250],
    [20, ['comfort'], 418],
    [0, ['normal'], 0],
    [1, ['a b'], 17],
  ])('a day of %i entries of %j has at most %i characters', (maxEntries, modes, length) => {
    expect(longestDay({ maxEntries, modes })).toBe(length);
    expect(longestDay({ modes })).toBeUndefined();
  });

  it('offers the profiles that fit it; undo, reset and the days to those who look for them', () => {
    expect(at('profile')).toMatchObject({ platform: 'select', options: ['summer', 'Custom'], command_topic: `${S}/profile/set` });
    for (const word of ['restore', 'keep'])
      expect(at(`until_${word}`)).toMatchObject({ platform: 'button', command_topic: `${S}/until/set`, payload_press: word });
    expect(at('undo')).toMatchObject({ platform: 'button', command_topic: `${S}/undo/set`, entity_category: 'config' });
    for (const leaf of ['undo', 'until', 'until_restore', 'until_keep', 'next', 'active', 'mon', 'sun'])
      expect(at(leaf), leaf).toMatchObject({ enabled_by_default: false });
    for (const leaf of ['text', 'now', 'next_at']) expect(at(leaf), leaf).not.toHaveProperty('enabled_by_default');
    expect(at('reset')).toMatchObject({ enabled_by_default: false, command_topic: `${S}/call/resetSchedule`, payload_press: '{}' });
    expect(boiler.heating_dhw_schedule_reset).toBeUndefined();
  });

  it('is only shown where the settings forbid to write it, or the platform takes no week', () => {
    const readOnly = componentsOf(fixtureDevice('boiler'), { ...ALL, isAllowed: () => false });
    const bare = componentsOf([featureOf('heating.x.schedule', { entries: { type: 'Schedule', value: WEEK } })]);
    expect(Object.values(readOnly).filter((one) => Object.keys(one).some((key) => key.endsWith('command_topic')))).toEqual([]);
    expect(readOnly.heating_circuits_0_heating_schedule_mon).toMatchObject({ platform: 'sensor' });
    expect(bare.heating_x_schedule_mon).toMatchObject({ platform: 'sensor' });
    expect(bare.heating_x_schedule_now).not.toHaveProperty('options');
    expect(bare.heating_x_schedule_profile).toBeUndefined();
  });
});

describe('a property that a command writes', () => {
  it('is a number with the limits of its command, and the unit and class of the property', () => {
    const { heating_dhw_temperature_main_value: number } = boiler;
    expect(number).toMatchObject({
      ...{ platform: 'number', min: 10, max: 60, step: 1, mode: 'box', unit_of_measurement: '°C', device_class: 'temperature' },
      ...{ state_topic: 'b/home/heating/dhw/temperature/main/value', command_topic: 'b/home/heating/dhw/temperature/main/value/set' },
    });
    for (const key of ['state_class', 'suggested_display_precision', 'entity_category']) expect(number).not.toHaveProperty(key);
  });

  it('is a number each where one command writes several', () => {
    expect(boiler.heating_circuits_0_heating_curve_slope).toMatchObject({ platform: 'number', min: 0.2, max: 3.5, step: 0.1 });
    expect(boiler.heating_circuits_0_heating_curve_shift).toMatchObject({ platform: 'number', min: -13, max: 40, step: 1 });
  });

  it('takes the widest limits of several commands, and is only shown without limits', () => {
    const feature = (a: object, b: object) =>
      featureOf(
        'x.y',
        { temperature: { value: 20, unit: 'celsius' } },
        { commands: new Map([command('setTemperature', { targetTemperature: { ...a } }), command('activate', { temperature: { ...b } })]) },
      );
    expect(only(feature({ min: 3, max: 30, stepping: 1 }, { min: 5, max: 37, stepping: 0.5 }), 'temperature')).toMatchObject({
      min: 3,
      max: 37,
      step: 0.5,
    });
    expect(only(feature({ min: 3, max: 30 }, {}), 'temperature')).toMatchObject({ platform: 'number', step: 0.001 });
    expect(only(feature({ min: 3 }, {}), 'temperature')).toMatchObject({ platform: 'sensor', state_class: 'measurement' });
    expect(only(feature({ min: 3, max: 3 }, {}), 'temperature')).toMatchObject({ platform: 'sensor' });
  });

  it('is a select of what its command lists, numbers as text', () => {
    expect(boiler.heating_circuits_0_operating_modes_active_value).toMatchObject({
      platform: 'select',
      options: ['Off (frost protection)', 'Hot water only', 'Heating and hot water'],
    });
    const level = featureOf('x.y', { level: { value: 2 } }, { commands: new Map([command('setLevel', { level: { enum: [1, 2, 3] } })]) });
    expect(only(level, 'level')).toMatchObject({ platform: 'select', options: ['1', '2', '3'] });
  });

  it('is an enum sensor where its values are known and must not be written', () => {
    const { heating_circuits_0_operating_modes_active_value: mode } = componentsOf(fixtureDevice('boiler'), {
      ...ALL,
      isAllowed: () => false,
    });
    expect(mode).toMatchObject({
      platform: 'sensor',
      device_class: 'enum',
      options: ['Off (frost protection)', 'Hot water only', 'Heating and hot water'],
    });
  });

  it('is a switch where it can be switched both ways', () => {
    expect(boiler.heating_dhw_one__time__charge_active).toMatchObject({ platform: 'switch', payload_on: 'true', payload_off: 'false' });
    expect(rooms.rooms_0_child__lock_active).toMatchObject({ platform: 'switch' });
    expect(rooms.ventilation_quickmodes_silent_active).toMatchObject({ platform: 'switch' });
    // Its temperature is shown nowhere, so that a switch could not say which.
    expect(rooms.rooms_0_quickmodes_manual_active).toMatchObject({ platform: 'binary_sensor' });
    expect(boiler.heating_operating_programs_holiday_active).toMatchObject({ platform: 'binary_sensor' });
  });

  it('is a text where it has a form, and a hidden one where it is a name', () => {
    expect(boiler.heating_operating_programs_holiday_end).toMatchObject({ platform: 'text', max: 255 });
    expect(boiler.heating_operating_programs_holiday_end).not.toHaveProperty('enabled_by_default');
    expect(boiler.heating_circuits_0_name).toMatchObject({ platform: 'text', max: 20, enabled_by_default: false });
  });

  it.each([
    [{ maxLength: 20 }, { platform: 'text', max: 20 }],
    [{ maxLength: 255 }, { platform: 'text', max: 255 }],
    [{ regEx: '^[\\d]{2}:[\\d]{2}$' }, { platform: 'text', max: 255 }],
    [{ maxLength: 256 }, { platform: 'sensor' }],
    [{ minLength: 1 }, { platform: 'sensor' }],
  ])('is only shown where a hub could send it back cut: %j', (constraints, wanted) => {
    const commands = new Map([command('setName', { name: { type: 'string', ...constraints } })]);
    expect(only(featureOf('x.y', { name: { value: 'x' } }, { commands }), 'name')).toMatchObject(wanted);
  });

  it('is a text that shows what waits for the other, where it is written together with it', () => {
    const HOLIDAY = 'b/home/heating/operating/programs/holiday';
    for (const name of ['start', 'end'])
      expect(boiler[`heating_operating_programs_holiday_${name}`]).toMatchObject({
        ...{ platform: 'text', state_topic: `${HOLIDAY}/${name}/field`, command_topic: `${HOLIDAY}/${name}/set` },
        json_attributes_topic: `${HOLIDAY}/waiting`,
      });
  });
});

describe('what waits for others', () => {
  const DATE = { type: 'string', regEx: '^[\\d]{4}-[\\d]{2}-[\\d]{2}$' };
  const trip = (...more: readonly (readonly [string, Command])[]) =>
    featureOf(
      'heating.trip',
      { start: { value: '' }, end: { value: '' } },
      { commands: new Map([command('schedule', { start: DATE, end: DATE }), ...more]) },
    );
  const buttons = (feature: Feature): readonly string[] =>
    Object.keys(componentsOf([feature])).filter((key) => key.includes('waiting') || key.includes('unschedule'));

  it('has a button that discards it, where no command cancels', () => {
    expect(buttons(trip())).toEqual(['heating_trip_waiting_discard']);
    expect(buttons(trip(command('unschedule', {})))).toEqual(['heating_trip_call_unschedule']);
  });
});

describe('a command that stands alone', () => {
  const buttonsOf = (components: Components): string[] => Object.keys(components).filter((key) => components[key]?.platform === 'button');

  it('is a button, unless a switch stands for it, it needs something, or it takes parts away', () => {
    expect(buttonsOf(rooms)).toEqual([
      'rooms_0_quickmodes_manual_call_deactivate',
      'rooms_0_schedule_undo',
      'rooms_0_schedule_until_keep',
      'rooms_0_schedule_until_restore',
      'ventilation_operating_modes_active_call_set__mode__continuous__sensor__override',
    ]);
    expect(boiler.heating_operating_programs_holiday_call_unschedule).toMatchObject({
      ...{ name: 'Cancel holiday', payload_press: '{}' },
      command_topic: 'b/home/heating/operating/programs/holiday/call/unschedule',
    });
  });
});

describe('a thermostat', () => {
  it('stands for a circuit, with the name that people gave it', () => {
    const C = 'b/home/heating/circuits/0/climate';
    expect(boiler.heating_circuits_0_climate).toMatchObject({
      ...{ platform: 'climate', name: 'Upstairs', default_entity_id: 'climate.home_upstairs' },
      ...{ modes: ['off', 'auto'], mode_state_topic: `${C}/mode`, mode_command_topic: `${C}/mode/set` },
      ...{ temperature_state_topic: `${C}/target`, temperature_command_topic: `${C}/target/set`, min_temp: 3, max_temp: 37, temp_step: 1 },
      ...{ current_temperature_topic: `${C}/current`, action_topic: `${C}/action` },
      ...{ preset_modes: ['comfort', 'eco'], preset_mode_state_topic: `${C}/preset`, preset_mode_command_topic: `${C}/preset/set` },
    });
    expect(boiler.heating_circuits_1_climate).toBeUndefined();
    expect(boiler.heating_circuits_0_circulation_pump_status).toMatchObject({ platform: 'binary_sensor', payload_on: 'on' });
  });

  it('has each mode that can be shown, also one that cannot be written', () => {
    const modes = { mode: { type: 'string', enum: ['standby', 'dhwAndHeating', 'forcedReduced'] } };
    const feature = featureOf(
      'heating.circuits.0.operating.modes.active',
      { value: { value: 'dhwAndHeating' } },
      { commands: new Map([command('setMode', modes)]) },
    );
    expect(componentsOf([feature]).heating_circuits_0_climate).toMatchObject({ modes: ['off', 'auto', 'heat'] });
  });

  it('stands for a room with a sensor, which has no mode of its own', () => {
    expect(rooms.rooms_0_climate).toMatchObject({ name: 'Küche', default_entity_id: 'climate.home_kuche', modes: ['auto'] });
    const { rooms_0_climate: humid } = componentsOf(fixtureDevice('gatewayWithDevices RoomControl-1'));
    expect(humid).toMatchObject({ current_humidity_topic: 'b/home/rooms/0/sensors/humidity/value' });
    expect(rooms.rooms_0_climate).not.toHaveProperty('mode_command_topic');
    expect(rooms.rooms_1_climate).toBeUndefined();
  });

  it('invents no room temperature', () => {
    const without = fixtureDevice('boiler').filter(({ name }) => !name.endsWith('temperature.room'));
    expect(componentsOf(without).heating_circuits_0_climate).not.toHaveProperty('current_temperature_topic');
  });

  it('stands for the hot water, in the words that every hub takes, with both limits', () => {
    expect(boiler.heating_dhw_water_heater).toMatchObject({
      ...{ platform: 'water_heater', name: 'Hot water', modes: ['performance', 'off'], min_temp: 10, max_temp: 60 },
      temperature_command_topic: 'b/home/heating/dhw/water_heater/target/set',
    });
  });
});

describe('a thermostat of what nobody can write, or whose mode nobody shows', () => {
  const TARGET = featureOf('heating.dhw.temperature.main', { value: { value: 50 } });
  const modeOf = (scope: string, value: string) => featureOf(`${scope}.operating.modes.active`, { value: { value } });

  it.each(['standby', 'cooling', 'screed'])('has all modes that can come where none are listed, also while it shows %s', (now) => {
    const { heating_circuits_0_climate: climate } = componentsOf([modeOf('heating.circuits.0', now)]);
    expect(climate).toMatchObject({ modes: ['off', 'auto', 'heat', 'cool'] });
    expect(climate).not.toHaveProperty('mode_command_topic');
  });

  it.each(['off', 'screed'])('and so has hot water while it shows %s', (now) => {
    const { heating_dhw_water_heater: water } = componentsOf([modeOf('heating.dhw', now), TARGET]);
    expect(water).toMatchObject({
      modes: ['off', 'eco', 'performance', 'high_demand'],
      mode_state_topic: 'b/home/heating/dhw/water_heater/mode',
    });
    expect(water).not.toHaveProperty('mode_command_topic');
  });

  it('is not off for having no mode: hot water without one shows none', () => {
    expect(componentsOf([TARGET]).heating_dhw_water_heater).toMatchObject({
      ...{ modes: ['performance', 'off'], mode_state_topic: 'b/home/heating/dhw/water_heater/mode' },
    });
  });

  it('is answered, also where the mode of hot water is that of the circuits: Home Assistant offers each mode that it shows', () => {
    const { heating_dhw_water_heater: water } = componentsOf([featureOf('heating.dhw', { active: { value: true } }), TARGET]);
    expect(water).toMatchObject({ mode_command_topic: 'b/home/heating/dhw/water_heater/mode/set' });
    expect(componentsOf([TARGET]).heating_dhw_water_heater).not.toHaveProperty('mode_command_topic');
  });
});

it('has the unit that older records leave out', () =>
  expectTable('omittedUnits', 8, (feature: string, name: string) => {
    expect(only(featureOf(feature, { [name]: { value: 20, unit: 'kelvin' } }), name)?.unit_of_measurement).toBe('K');
    return only(featureOf(feature, { [name]: { value: 20 } }), name)?.unit_of_measurement;
  }));

it('what a machine does by itself is only shown, though the platform has commands for it', () => {
  const commands = new Map([
    command('setActive', { active: { type: 'boolean' } }),
    command('setPhase', { value: { type: 'string', enum: ['off', 'ready'] } }),
  ]);
  const compressor = featureOf('heating.compressors.0', { active: { value: false }, phase: { value: 'off' } }, { commands });
  expect(only(compressor, 'active')).toMatchObject({ platform: 'binary_sensor', device_class: 'running' });
  expect(only(compressor, 'phase')).toMatchObject({ platform: 'sensor', device_class: 'enum', options: ['Off', 'Ready'] });
  for (const name of ['active', 'phase']) expect(only(compressor, name)).not.toHaveProperty('command_topic');
});

describe('names', () => {
  it('count as people do where nobody gave one, and ids keep the numbers of the platform', () => {
    expect(boiler.heating_circuits_0_sensors_temperature_supply_value).toMatchObject({ name: 'Upstairs supply temperature' });
    expect(boiler.heating_circuits_1_active).toMatchObject({
      name: 'Circuit 2 active',
      default_entity_id: 'binary_sensor.home_circuit_2_active',
    });
  });

  it.each([
    ['a name that two circuits share', 'Floor', 'floor', 'Circuit 1 active', 'circuit_1_active'],
    ['a name of blanks', ' ', 'Other', 'Circuit 1 active', 'circuit_1_active'],
    ['a name without a letter of ids', '楼上', 'Other', '楼上 active', 'circuit_1_active'],
    ['a name with blanks round it', '  Ground \n floor ', 'Other', 'Ground floor active', 'ground_floor_active'],
  ])('%s', (_, first, second, name, id) => {
    const circuit = (n: number, value: string) => featureOf(`heating.circuits.${n}`, { name: { value }, active: { value: true } });
    expect(componentsOf([circuit(0, first), circuit(1, second)]).heating_circuits_0_active).toMatchObject({
      name,
      default_entity_id: `binary_sensor.home_${id}`,
    });
  });
});
