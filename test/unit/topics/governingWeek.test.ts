import { expect, test } from 'vitest';
import type { Feature, Json } from '../../../src/features/feature.ts';
import { governingWeek } from '../../../src/topics/governingWeek.ts';
import { allDevices } from '../../support/devices/deviceFiles.ts';

/** One feature of each name that any device has. */
const FEATURES: ReadonlyMap<string, Feature> = new Map(allDevices().flatMap(({ features }) => features.map((one) => [one.name, one])));

test.each([
  ['heating.circuits.0.operating.programs.comfort', 'heating.circuits.0.heating.schedule'],
  ['heating.circuits.0.climate', 'heating.circuits.0.heating.schedule'],
  ['heating.circuits.0.heating.schedule', 'heating.circuits.0.heating.schedule'],
  ['heating.dhw.temperature.main', 'heating.dhw.schedule'],
  ['heating.dhw.pumps.circulation', 'heating.dhw.pumps.circulation.schedule'],
  ['rooms.0.temperature.levels.normal.heating', 'rooms.0.schedule'],
  ['ventilation.quickmodes.comfort', 'ventilation.schedule'],
  ['heating.operating.programs.holiday', undefined],
  ['heating.boiler.temperature', undefined],
])('%s follows %s', (name, schedule) => {
  const week = governingWeek(name, (other) => FEATURES.get(other));
  expect('name' in week ? week.name : undefined).toBe(schedule);
});

test('a schedule that is not active, or whose week cannot be read, gives no week', () => {
  const name = 'heating.dhw.schedule';
  const shown = (property: string, value: Json) => (other: string) => {
    const feature = other === name ? FEATURES.get(name) : undefined;
    const known = feature?.properties.get(property);
    return feature && known && { ...feature, properties: new Map([...feature.properties, [property, { ...known, value }]]) };
  };
  expect(governingWeek(name, shown('active', false))).toEqual({ kind: 'not_followed', name });
  expect(governingWeek(name, shown('entries', 'none'))).toEqual({ kind: 'unknown' });
  expect(governingWeek(name, shown('active', true))).toMatchObject({ kind: 'followed', name, stepMinutes: 10 });
});
