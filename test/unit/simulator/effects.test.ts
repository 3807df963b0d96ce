import { expect, test } from 'vitest';
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
test.each<[feature: string, values: Record<string, Json>, command: string, args: Record<string, Json>, written: Record<string, Json>]>([
  ['circuit.schedule', { active: true, entries: {} }, 'setSchedule', { newSchedule: { mon: [1] } }, { entries: { mon: [1] } }],
  ['ventilation.levels.levelFour', { volumeFlow: 200 }, 'setValue', { value: 250 }, { volumeFlow: 250 }],
  ['programs.normal', { active: true, temperature: 20 }, 'setTemperature', { targetTemperature: 21 }, { temperature: 21 }],
  ['programs.comfort', { active: false, temperature: 20 }, 'activate', { temperature: 23 }, { active: true, temperature: 23 }],
  ['temperature.levels', { max: 60, min: 20 }, 'setLevels', { maxTemperature: 55, minTemperature: 25 }, { max: 55, min: 25 }],
  ['temperature.levels', { max: 60, min: 20 }, 'setMin', { temperature: 22 }, { min: 22 }],
  ['dhw.hysteresis', { switchOffValue: 2, value: 5 }, 'setHysteresisSwitchOffValue', { hysteresis: 1 }, { switchOffValue: 1 }],
  ['dhw.hysteresis', { switchOffValue: 2, value: 5 }, 'setHysteresis', { hysteresis: 1 }, { value: 1 }],
  ['programs.holiday', { active: true, end: 'b', start: 'a' }, 'unschedule', {}, { active: false, start: '', end: '' }],
  ['rooms.0.childLock', { status: 'active', active: true }, 'deactivate', {}, { status: 'inactive', active: false }],
  ['ventilation.modes.permanent', { active: false }, 'setLevel', { level: 'levelTwo' }, {}],
  ['rooms.0', { actors: [], name: 'a', type: 'office' }, 'setType', { type: 'kitchen' }, { type: 'kitchen' }],
])('a command writes by names alone: %s %o %s(%o)', (feature, values, command, args, written) => {
  const house = houseWith(feature, values);
  const record = house.record('0', feature);
  if (!record) throw new Error('no record');
  house.effect('0', effects(record, command, {}, args), 1000);
  expect(Object.fromEntries(Object.keys(values).map((name) => [name, record.value(name)]))).toEqual({ ...values, ...written });
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
