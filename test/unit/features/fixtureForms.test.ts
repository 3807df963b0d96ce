import { expect, test, vi } from 'vitest';
import { PARAMETER_RULES } from '../../../src/features/effect.ts';
import type { Feature, Json, Parameter } from '../../../src/features/feature.ts';
import { writingsOf } from '../../../src/features/writings.ts';
import { describeComposites } from '../../../src/homeassistant/entities/composites.ts';
import { describeFeature } from '../../../src/homeassistant/entities/describeFeature.ts';
import { TEXTS } from '../../../src/homeassistant/entities/stateWords.ts';
import { ICONS } from '../../../src/homeassistant/icons.ts';
import { PARTS } from '../../../src/homeassistant/parts.ts';
import { rankOf } from '../../../src/homeassistant/rank.ts';
import { unitOf } from '../../../src/homeassistant/shape.ts';
import { CLASSES, UNITS } from '../../../src/homeassistant/units.ts';
import { KINDS_BY_FEATURE } from '../../../src/language/names/deviceName.ts';
import { nameOf, PHRASES } from '../../../src/language/names/name.ts';
import { readProfile } from '../../../src/schedule/profile.ts';
import { readWeek } from '../../../src/schedule/readWeek.ts';
import { DAYS, type Entry } from '../../../src/schedule/week.ts';
import { isRecord } from '../../../src/shared/json.ts';
import { type Device, ownDevices } from '../../support/devices/deviceFiles.ts';

/**
 * Every form of a record that the core tells apart is in a device of test/fixtures/devices, because the other tests look at no others. A new
 * row of a table needs a record there too.
 */

const DEVICES = ownDevices();
const FEATURES = DEVICES.flatMap(({ features }) => features);
const PROPERTIES = FEATURES.flatMap((feature) => [...feature.properties].map(([name, property]) => ({ feature, name, ...property })));
const COMMANDS = FEATURES.flatMap((feature) => [...feature.commands.values()].map((command) => ({ feature, ...command })));
const PARAMETERS = COMMANDS.flatMap(({ params }) => [...params.values()]);
const VALUES = PROPERTIES.map(({ value }) => value);

/** The rows that no device needs. */
const missing = <T>(rows: Iterable<T>, found: ReadonlySet<unknown>): readonly T[] => [...rows].filter((row) => !found.has(row));
const typesOf = (all: readonly { readonly type: string }[]): readonly string[] => [...new Set(all.map(({ type }) => type))].sort();

test('all types of properties and parameters', () => {
  expect(typesOf(PROPERTIES)).toEqual(['DeviceList', 'Schedule', 'array', 'boolean', 'number', 'object', 'string']);
  expect(typesOf(PARAMETERS)).toEqual(['Schedule', 'boolean', 'number', 'string']);
});

const isNumbers = (value: unknown): value is readonly number[] => Array.isArray(value) && value.length > 0 && typeof value[0] === 'number';
const hasUnit = (feature: Feature): boolean => feature.properties.get('unit')?.value === 'celsius';
const enabledIn = ({ features }: Device): readonly unknown[] => {
  const value = features.find(({ name }) => name === 'heating.circuits')?.properties.get('enabled')?.value;
  return Array.isArray(value) ? value : [];
};
const RECORDS: Readonly<Record<string, boolean>> = {
  'a disabled one': FEATURES.some(({ isEnabled }) => !isEnabled),
  'a folder': FEATURES.some(({ isEnabled, properties, commands }) => isEnabled && properties.size + commands.size === 0),
  'a deprecated one beside its successor': DEVICES.some(({ features }) =>
    features.some(({ deprecated }) => features.some(({ name }) => deprecated?.info?.endsWith(` ${name}`))),
  ),
  'a deprecated one without a word on it': FEATURES.some(({ deprecated }) => deprecated && deprecated.info === undefined),
  'a sensor that is not connected, without its value': PROPERTIES.some(
    ({ feature, name, value }) => name === 'status' && value === 'notConnected' && !feature.properties.has('value'),
  ),
  'a sensor in error': PROPERTIES.some(({ name, value }) => name === 'status' && value === 'error'),
  'a number with its unit': PROPERTIES.some(({ type, unit }) => type === 'number' && unit === 'celsius'),
  'a number with an empty unit': PROPERTIES.some(({ type, unit }) => type === 'number' && unit === ''),
  'a number without a unit': PROPERTIES.some(({ type, unit }) => type === 'number' && unit === undefined),
  'the unit in a property beside the value': FEATURES.some((one) => hasUnit(one) && one.properties.get('value')?.unit === ''),
  'an empty text': VALUES.includes(''),
  'an empty list': VALUES.some((value) => Array.isArray(value) && value.length === 0),
  'a list of texts': VALUES.some((value) => Array.isArray(value) && typeof value[0] === 'string'),
  'a list of objects': VALUES.some((value) => Array.isArray(value) && isRecord(value[0])),
  'amounts with the noise of binary fractions': VALUES.some((value) => isNumbers(value) && value.some((one) => `${one}`.length > 12)),
  'a list over 255 characters': VALUES.some((value) => isNumbers(value) && JSON.stringify(value).length > 255),
  'a text above 2,000 characters': VALUES.some((value) => Array.isArray(value) && JSON.stringify(value).length > 2000),
  'a number with many digits of its own': VALUES.some((value) => typeof value === 'number' && `${value}`.length > 10),
  'amounts of day, week, month and year': FEATURES.some(({ properties }) =>
    ['day', 'week', 'month', 'year'].every((one) => properties.has(one)),
  ),
  'a date of old in the place of none': VALUES.includes('2000-01-01'),
  'two names of one circuit': DEVICES.some(({ features }) =>
    features.some(({ name, properties }) => {
      const own = features.find((one) => one.name === `${name}.name`)?.properties.get('name')?.value;
      return own !== undefined && own !== properties.get('name')?.value;
    }),
  ),
  'a circuit that the list of circuits lacks': DEVICES.some(
    (one) =>
      enabledIn(one).length > 0 &&
      one.features.some(({ name, properties, commands }) => {
        const circuit = /^heating\.circuits\.(\d+)\./.exec(name)?.[1];
        return circuit !== undefined && !enabledIn(one).includes(circuit) && properties.size > 0 && commands.size > 0;
      }),
  ),
  'a name with letters beyond ASCII': PROPERTIES.some(({ name, value }) => name === 'name' && /[^\0-\x7f]/.test(`${value}`)),
};

test('all forms of records', () => expect(Object.entries(RECORDS).filter(([, is]) => !is)).toEqual([]));

test('all kinds of ids', () => {
  const ids = [...new Set(FEATURES.map(({ device }) => device))];
  expect(ids).toEqual(expect.arrayContaining(['0', 'RoomControl-1', 'gateway', undefined]));
  for (const form of [/^zigbee-[\da-f]+$/, /#/]) expect(ids).toContainEqual(expect.stringMatching(form));
});

const has = (key: string, is: (value: Json, parameter: Parameter) => boolean): boolean =>
  PARAMETERS.some((parameter) => parameter.constraints[key] !== undefined && is(parameter.constraints[key], parameter));
const CONSTRAINTS: Readonly<Record<string, boolean>> = {
  'none at all': PARAMETERS.some(({ constraints }) => Object.keys(constraints).length === 0),
  ...Object.fromEntries(
    ['min', 'max', 'stepping', 'minLength', 'maxLength', 'maxEntries', 'resolution', 'efficientLowerBorder', 'efficientUpperBorder'].map(
      (key) => [key, has(key, (value) => typeof value === 'number')],
    ),
  ),
  'a broken step': has('stepping', (value) => value === 0.1),
  'a least value below zero': has('min', (value) => typeof value === 'number' && value < 0),
  'numbers to choose from': has('enum', (_, { type }) => type === 'number'),
  'texts to choose from': has('enum', (_, { type }) => type === 'string'),
  'a form of dates': has('regEx', (value) => String(value).includes('{4}-')),
  'a form that needs the flag u': has('regEx', (value) => String(value).includes('\\p{L}')),
  'an end on the day of its start, and not': [true, false].every((is) => has('sameDayAllowed', (value) => value === is)),
  'schedules with overlap, and without': [true, false].every((is) => has('overlapAllowed', (value) => value === is)),
  'a mode between the entries': has('defaultMode', (value) => value === 'standby'),
  'modes with odd signs': ['/', '-'].every((sign) =>
    has('modes', (value) => Array.isArray(value) && value.some((one) => `${one}`.includes(sign))),
  ),
  'a grid of five minutes': has('resolution', (value) => value === 5),
};

test('all constraints', () => expect(Object.entries(CONSTRAINTS).filter(([, is]) => !is)).toEqual([]));

test('all forms of commands', () => {
  const sizes = new Set(COMMANDS.map(({ params }) => params.size));
  expect([...sizes].sort()).toEqual([0, 1, 2, 3]);
  expect(COMMANDS.filter(({ isExecutable }) => !isExecutable).length).toBeGreaterThan(10);
  expect(PARAMETERS.some(({ required }) => !required)).toBe(true);
  const rules = new Set(FEATURES.flatMap((feature) => writingsOf(feature).map(({ rule }) => rule)));
  expect(missing(['switch', ...PARAMETER_RULES.map(({ rule }) => rule)], rules)).toEqual([]);
  const writers = FEATURES.flatMap((feature) => [...Map.groupBy(writingsOf(feature), ({ property }) => property).values()]);
  expect(writers.some((all) => all.length > 1 && new Set(all.map(({ command }) => command.isExecutable)).size === 2)).toBe(true);
  expect(writers.some((all) => new Set(all.map(({ command }) => command.params.size)).size > 1)).toBe(true);
});

const WEEKS = PROPERTIES.flatMap(({ feature, type, value }) => {
  const week = type === 'Schedule' ? readWeek(value) : undefined;
  return week?.ok
    ? [{ feature, days: DAYS.map((day) => week.value[day]), text: JSON.stringify(value), keys: Object.keys(Object(value)) }]
    : [];
});
const touches = (entries: readonly Entry[]): boolean => entries.some(({ end }) => entries.some(({ start }) => start === end));
const overlaps = (a: Entry, b: Entry): boolean => a !== b && a.start < b.end && b.start < a.end;
const anyDay = (is: (entries: readonly Entry[]) => boolean): boolean => WEEKS.some(({ days }) => days.some(is));
const SCHEDULES: Readonly<Record<string, boolean>> = {
  'a hole in the positions': anyDay((entries) => entries.some(({ position }) => position >= entries.length)),
  'entries that are not in the order of time': anyDay(
    ([first, second]) => first !== undefined && second !== undefined && second.start < first.start,
  ),
  'entries that overlap': anyDay((entries) => entries.some((one) => entries.some((other) => overlaps(one, other)))),
  'entries that touch': anyDay(touches),
  'the same entry twice': anyDay(([first, second]) => first !== undefined && first.start === second?.start && first.end === second.end),
  'an end off the grid': anyDay((entries) => entries.some(({ end }) => end === '23:59')),
  'a whole day': anyDay((entries) => entries.some(({ start, end }) => start === '00:00' && end === '24:00')),
  'an empty day': WEEKS.some(({ days }) => days.some((one) => one.length === 0) && days.some((one) => one.length > 0)),
  'an empty week': WEEKS.some(({ days }) => days.every((one) => one.length === 0)),
  'a week of over 1,300 characters': WEEKS.some(({ text }) => text.length > 1300),
  'an inactive one': WEEKS.some(({ feature }) => feature.properties.get('active')?.value === false),
  'a reset': WEEKS.some(({ feature }) => feature.commands.has('resetSchedule')),
  'days in the order of the alphabet, and of the week': ['fri', 'mon'].every((first) => WEEKS.some(({ keys }) => keys[0] === first)),
  'three of one circuit': WEEKS.some(({ feature }) => /circuits\.\d\.dhw\.pumps/.test(feature.name)),
};

test('all forms of schedules', () => expect(Object.entries(SCHEDULES).filter(([, is]) => !is)).toEqual([]));

test('all units, and the classes that need the name too', () => {
  const shown = FEATURES.flatMap((feature) =>
    [...feature.properties].map(([name, one]) => ({ feature, unit: unitOf(feature, name, one) })),
  );
  expect(missing(Object.keys(UNITS), new Set(shown.map(({ unit }) => unit)))).toEqual([]);
  const found = shown.map(({ feature, unit }) => CLASSES.find((row) => row.unit === unit && row.feature.test(feature.name)));
  expect(missing(CLASSES, new Set(found))).toEqual([]);
});

test('all rows of the tables of parts, kinds of devices and texts', () => {
  const firstRow = <T extends readonly [RegExp, ...unknown[]]>(rows: readonly T[]) =>
    new Set(FEATURES.map(({ name }) => rows.find(([pattern]) => pattern.test(name))));
  expect(missing(PARTS, firstRow(PARTS))).toEqual([]);
  expect(missing(KINDS_BY_FEATURE, firstRow(KINDS_BY_FEATURE))).toEqual([]);
  const texts = PROPERTIES.filter(({ type }) => type === 'string').map(({ feature, name }) =>
    TEXTS.find(([features, property]) => features.test(feature.name) && property.test(name)),
  );
  expect(missing(TEXTS, new Set(texts))).toEqual([]);
});

const ENTITIES = DEVICES.flatMap(({ features }) => {
  const offering = { language: 'en', profiles: [readProfile('summer', 'daily none')], isAllowed: () => true } as const;
  const context = { base: 'b', device: 'home', named: new Map(), ...offering };
  const composites = describeComposites(context, new Map(features.map((feature) => [feature.name, feature])));
  return [
    ...features.flatMap((feature) => describeFeature(context, feature).map((entity) => ({ feature: feature.name, ...entity }))),
    ...composites.map((entity) => ({ feature: '', ...entity })),
  ];
});

test('all rows of the tables of ranks and icons', () => {
  const rows = Array.from({ length: rankOf('sensor', 'no.such', 'thing').order }, (_, row) => row);
  expect(missing(rows, new Set(ENTITIES.map(({ rank }) => rank?.order)))).toEqual([]);
  expect(missing(new Set(ICONS.map(([, icon]) => icon)), new Set(ENTITIES.map(({ config }) => config['icon'])))).toEqual([]);
});

test('all names', () => {
  const found = new Set<string>();
  const get = PHRASES.get.bind(PHRASES);
  const spy = vi.spyOn(PHRASES as Map<string, readonly [string, string]>, 'get').mockImplementation((key) => {
    const row = get(key);
    if (row) found.add(key);
    return row && [...row];
  });
  for (const { name, properties, commands } of FEATURES)
    for (const of of [undefined, ...properties.keys(), ...commands.keys()]) nameOf(name, of, 'en');
  // The rules of features that no fixture has: those in the fixtures have rows of their own.
  for (const name of ['heating.sensors.pressure.other', 'device.messages.other', 'heating.circuits.0.pumps.other'])
    for (const of of [undefined, 'status']) nameOf(name, of, 'en');
  spy.mockRestore();
  expect(missing(PHRASES.keys(), found)).toEqual([]);
});
