import { expect, test } from 'vitest';
import { effects } from '../../../src/simulator/home/effects.ts';
import type { Home } from '../../../src/simulator/home/home.ts';
import { House } from '../../../src/simulator/home/house.ts';
import type { Json, JsonObject } from '../../../src/simulator/http/json.ts';
import { live } from '../../../src/simulator/living/live.ts';
import { expectTable } from '../../support/golden.ts';

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
test('a command writes by names alone', () =>
  expectTable(
    'simulatorEffects',
    12,
    (feature: string, values: Readonly<Record<string, Json>>, command: string, args: Readonly<Record<string, Json>>) => {
      const house = houseWith(feature, values);
      const record = house.record('0', feature);
      if (!record) throw new Error('no record');
      house.effect('0', effects(record, command, {}, args), 1000);
      return Object.fromEntries(Object.keys(values).map((name) => [name, record.value(name)]));
    },
  ));

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
