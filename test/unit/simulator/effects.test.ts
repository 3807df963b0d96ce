import { describe, expect, test } from 'vitest';
import { effects } from '../../../src/simulator/home/effects.ts';
import type { Home } from '../../../src/simulator/home/home.ts';
import { House } from '../../../src/simulator/home/house.ts';
import type { Json, JsonObject } from '../../../src/simulator/http/json.ts';
import { live } from '../../../src/simulator/living/live.ts';

const property = (value: Json): JsonObject => {
  if (Array.isArray(value)) return { type: 'array', value };
  return typeof value === 'object' ? { type: 'Schedule', value } : { type: typeof value, value };
};

const houseWith = (feature: string, values: Readonly<Record<string, Json>>): House => {
  const properties = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, property(value)]));
  const home: Home = { installation: 1, gateway: 'g', user: {}, devices: { '0': { features: { [feature]: { properties } } } } };
  return new House(home, 0, 0, live);
};

// Commands and properties as they occur in the field, those of the built-in home aside.
describe('what a command writes, by names alone', () => {
  test.each<[string, Record<string, Json>, string, Record<string, Json>, Record<string, Json>]>([
    [
      'heating.circuits.0.heating.schedule',
      { active: true, entries: { mon: [] } },
      'setSchedule',
      { newSchedule: { mon: [1] } },
      { entries: { mon: [1] } },
    ],
    ['heating.circuits.0.heating.roomInfluenceFactor', { value: 0 }, 'setValue', { value: 3 }, { value: 3 }],
    ['ventilation.levels.levelFour', { volumeFlow: 200 }, 'setValue', { value: 250 }, { volumeFlow: 250 }],
    ['heating.configuration.dhw.temperature.dhwCylinder.max', { value: 60 }, 'setTemperature', { targetTemperature: 58 }, { value: 58 }],
    [
      'heating.circuits.0.operating.programs.normal',
      { active: true, demand: 'x', temperature: 20 },
      'setTemperature',
      { targetTemperature: 21 },
      { temperature: 21 },
    ],
    [
      'heating.circuits.0.operating.programs.comfort',
      { active: false, demand: 'x', temperature: 20 },
      'activate',
      { temperature: 23 },
      { active: true, temperature: 23 },
    ],
    [
      'heating.circuits.0.temperature.levels',
      { max: 60, maxUnit: 'celsius', min: 20, minUnit: 'celsius' },
      'setLevels',
      { maxTemperature: 55, minTemperature: 25 },
      { max: 55, min: 25 },
    ],
    ['heating.circuits.0.temperature.levels', { max: 60, min: 20 }, 'setMin', { temperature: 22 }, { min: 22 }],
    [
      'heating.dhw.temperature.hysteresis',
      { switchOffValue: 2, switchOnValue: 5, value: 5 },
      'setHysteresisSwitchOffValue',
      { hysteresis: 1 },
      { switchOffValue: 1 },
    ],
    [
      'heating.dhw.temperature.hysteresis',
      { switchOffValue: 2, switchOnValue: 5, value: 5 },
      'setHysteresis',
      { hysteresis: 1 },
      { value: 1 },
    ],
    ['trv.temperature', { value: 20 }, 'setTargetTemperature', { temperature: 21 }, { value: 21 }],
    [
      'heating.operating.programs.holiday',
      { active: true, end: 'b', start: 'a' },
      'schedule',
      { start: 'c', end: 'd' },
      { start: 'c', end: 'd' },
    ],
    ['heating.operating.programs.holiday', { active: true, end: 'b', start: 'a' }, 'unschedule', {}, { active: false, start: '', end: '' }],
    ['rooms.0.childLock', { status: 'inactive', active: false }, 'setActive', { active: true }, { status: 'active', active: true }],
    ['rooms.0.childLock', { status: 'active', active: true }, 'deactivate', {}, { status: 'inactive', active: false }],
    ['rooms.status', { active: true, variant: 'x' }, 'setActive', { active: false }, { active: false }],
    ['heating.compressors.0', { active: true, phase: 'off' }, 'setPhase', { value: 'ready' }, { phase: 'ready' }],
    [
      'ventilation.quickmodes.silent',
      { active: false, defaultRuntime: 30, isCommandExecutable: true },
      'activate',
      { timeout: 5 },
      { active: true },
    ],
    ['ventilation.quickmodes.silent', { active: false, defaultRuntime: 30, isCommandExecutable: true }, 'setTimeout', { timeout: 5 }, {}],
    ['ventilation.operating.modes.permanent', { active: false }, 'setLevel', { level: 'levelTwo' }, {}],
    ['rooms.0.quickmodes.manualTillNextSchedule', { active: true }, 'setTemperature', { targetTemperature: 21 }, {}],
    ['heating.dhw.hygiene', { enabled: true }, 'activate', {}, {}],
    ['device.name', { name: 'a' }, 'setName', { name: 'b' }, { name: 'b' }],
    ['rooms.0', { actors: [], name: 'a', type: 'office' }, 'setType', { type: 'kitchen' }, { type: 'kitchen' }],
  ])('%s %o %s(%o)', (feature, values, command, args, written) => {
    const house = houseWith(feature, values);
    const record = house.record('0', feature);
    if (!record) throw new Error('no record');
    house.effect('0', effects(record, command, {}, args), 1000);
    expect(Object.fromEntries(Object.keys(values).map((name) => [name, record.value(name)]))).toEqual({ ...values, ...written });
  });
});

test('effects show in the order in which they were asked for', () => {
  const house = houseWith('trv.temperature', { value: 20 });
  const record = house.record('0', 'trv.temperature');
  if (!record) throw new Error('no record');
  house.effectDelayMs = 100;
  house.effect('0', effects(record, 'setTargetTemperature', {}, { temperature: 21 }), 0);
  house.effect('0', effects(record, 'setTargetTemperature', {}, { temperature: 22 }), 50);
  const shownAt = (now: number) => {
    house.advance(now);
    return record.value('value');
  };
  expect([0, 99, 100, 149, 150].map(shownAt)).toEqual([20, 20, 21, 21, 22]);
});
