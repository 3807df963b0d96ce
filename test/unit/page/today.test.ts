import { describe, expect, test } from 'vitest';
import type { Feature, Json } from '../../../src/features/feature.ts';
import { devicesOf } from '../../../src/page/model/device.ts';
import { type Today, todaysOf } from '../../../src/page/today/model.ts';
import { allDevices, fixtureDevice } from '../../support/devices/deviceFiles.ts';
import { retainedOf } from '../../support/page/retainedOf.ts';

const BASE = 'heating2mqtt';
/** The day on which the fixtures were read. */
const NOON = Date.parse('2026-10-05T10:00:00Z');

/** The cards of these devices, by name, and what their topics say besides. */
const todays = (devices: Readonly<Record<string, readonly Feature[]>>, more: Readonly<Record<string, string>> = {}): readonly Today[] => {
  const zones = Object.keys(devices).map((name) => ({ name, time_zone: 'Europe/Berlin' }));
  const topics = new Map(Object.entries(devices).flatMap(([name, features]) => [...retainedOf(name, features)]));
  topics.set(`${BASE}/bridge/info`, JSON.stringify({ devices: zones }));
  for (const [topic, payload] of Object.entries(more)) topics.set(`${BASE}/${topic}`, payload);
  return todaysOf(topics, BASE, devicesOf(topics, BASE), NOON);
};

/** A card in one line. */
const line = ({ outside, inside, water, isWaterHeated, doing, used, faults }: Today) => ({
  outside: outside?.value,
  inside: inside.map(({ value }) => value),
  water: water?.value,
  ...{ isWaterHeated, doing, faults },
  used: used.map(({ kind, value, unit }) => `${kind} ${Number(value.toFixed(3))} ${unit}`),
});

/** A feature with these values. */
const feature = (name: string, values: Readonly<Record<string, Json>>): Feature => ({
  ...{ name, gateway: '1', isEnabled: true, isReady: true, commands: new Map() },
  properties: new Map(
    Object.entries(values).map(([property, value]) => [property, { type: Array.isArray(value) ? 'array' : typeof value, value }]),
  ),
});

describe('what matters today', () => {
  test.each([
    ['boiler', { outside: 4.4, water: 50.3, doing: 'heating', used: ['gas 4.1 cubicMeter'] }],
    ['heatPump', { outside: 6.7, water: 46.8, isWaterHeated: false, doing: 'heating', used: ['power 9.8 kilowattHour'] }],
    ['hybrid', { outside: 3.9, water: 47.3, isWaterHeated: true, doing: 'water' }],
    ['fuelCell', { outside: 1.1, water: 49.2, used: ['gas 13.3 cubicMeter'] }],
    ['oldController', { outside: 4.4, water: 53.1, used: ['power 1 kilowattHour', 'gas 47.9 kilowattHour'] }],
  ])('%s of the fixtures', (name, expected) => {
    const [first, ...others] = todays({ [name]: fixtureDevice(name) });
    expect(others).toEqual([]);
    expect(first && line(first)).toMatchObject(expected);
  });

  test.each(allDevices())('$name: says nothing that is not a number or a word', ({ name, features }) => {
    for (const { outside, inside, water, used } of todays({ [name]: features }))
      for (const one of [outside, water, ...inside, ...used]) expect(one === undefined || Number.isFinite(one.value)).toBe(true);
  });

  const compressor = (values: Readonly<Record<string, Json>>): Feature => feature('heating.compressors.0', values);
  const mode = (value: string): Feature => feature('heating.circuits.0.operating.modes.active', { value });
  const rests = compressor({ active: false, phase: 'ready' });
  const heats = compressor({ active: true, phase: 'heating' });
  const holiday = feature('heating.operating.programs.holiday', { active: true });
  const charges = feature('heating.dhw.charging', { active: true });
  test.each<[Today['doing'], readonly Feature[]]>([
    ['heating', [heats]],
    ['heating', [heats, holiday]],
    ['running', [heats, feature('heating.dhw.sensors.temperature.dhwCylinder', { value: 50 })]],
    ['water', [heats, charges]],
    ['water', [heats, feature('heating.dhw.oneTimeCharge', { active: true })]],
    ['cooling', [compressor({ active: true, phase: 'cooling' })]],
    ['defrost', [compressor({ active: true, phase: 'defrost' }), charges]],
    ['defrost', [heats, feature('heating.outdoor.defrosting', { active: true })]],
    ['holiday', [rests, holiday]],
    ['standby', [rests]],
    ['standby', [rests, feature('heating.dhw.oneTimeCharge', { active: true })]],
    [undefined, [feature('heating.sensors.temperature.outside', { value: 3 })]],
    [undefined, [mode('heating'), feature('heating.sensors.temperature.outside', { value: 3 })]],
  ])('it does: %s', (doing, features) => {
    expect(todays({ home: features })[0]?.doing).toBe(doing);
  });

  test('a heating whose circuits are off is off, and makes heat where none of them gets it', () => {
    const boiler = fixtureDevice('boiler').map((one) =>
      one.name.endsWith('modes.active') ? { ...one, properties: new Map([['value', { type: 'string', value: 'standby' }]]) } : one,
    );
    const burner = (active: boolean) => boiler.map((one) => (one.name === 'heating.burners.0' ? feature(one.name, { active }) : one));
    expect([false, true].map((active) => todays({ home: burner(active) })[0]?.doing)).toEqual(['off', 'running']);
  });

  test('a heating whose own read is refused tells what is now: its features or its gateway are read, else it is offline', () => {
    const plan = { 'bridge/plan': '{"refused":[{"gateway":"1","device":"home"}]}' };
    expect(todays({ home: fixtureDevice('hybrid') }, plan)[0]?.doing).toBe('water');
  });

  test('an offline heating tells its temperatures, and nothing of now', () => {
    const [card] = todays({ home: fixtureDevice('hybrid') }, { 'home/availability': 'offline' });
    expect(card && line(card)).toMatchObject({ outside: 3.9, water: 47.3, isWaterHeated: undefined, doing: undefined, used: [] });
  });

  test.each([
    ['tellers', { doing: 'water', used: ['power 9 kilowattHour'] }],
    ['hours', { doing: 'water', used: [] }],
    ['pulse', { doing: undefined, isWaterHeated: undefined, used: [] }],
  ])('a heating whose data are frozen (%s) tells nothing of now that stands', (rule, expected) => {
    const power = feature('heating.power.consumption.total', { day: [9, 7], unit: 'kilowattHour' });
    const water = feature('heating.dhw.sensors.temperature.dhwCylinder', { value: 50 });
    const problems = JSON.stringify({ stale: { rule, since: '2026-10-05T01:00:00Z' } });
    const [card] = todays({ home: [heats, charges, power, water] }, { 'home/problems': problems });
    expect(card && line(card)).toMatchObject({ water: 50, ...expected });
  });

  const [TODAY, BEFORE] = ['2026-10-04T22:00:00Z', '2026-10-04T21:59:00Z'];
  const gas = (what: string, amount: number, dayValueReadAt = TODAY): Feature =>
    feature(`heating.gas.consumption.${what}`, { day: [amount, 7], unit: 'cubicMeter', dayValueReadAt });
  test.each<[string, readonly Feature[], readonly string[]]>([
    ['the total', [gas('total', 5), gas('dhw', 1)], ['gas 5 cubicMeter']],
    ['the total of the day before', [gas('total', 5, BEFORE)], []],
    ['the parts, one of which did not run', [gas('total', 5, BEFORE), gas('heating', 0, BEFORE), gas('dhw', 1)], ['gas 1 cubicMeter']],
    ['a part of the day before', [gas('heating', 3, BEFORE), gas('dhw', 1)], []],
  ])('used today: %s', (_, features, expected) => {
    const [card] = todays({ home: [...features, feature('heating.sensors.temperature.outside', { value: 3 })] });
    expect(card && line(card).used).toEqual(expected);
  });

  test.each<[string, string | undefined, Today['faults']]>([
    ['none is told', '{"active":[],"tells":true}', []],
    ['one lasts', '{"active":[{"code":"F.454","kind":"fault","since":"2026-11-27T08:00:00Z"}],"tells":true}', ['F.454']],
    ['maintenance is due', '{"active":[{"code":"P.8","kind":"service","since":"2026-11-27T08:00:00Z"}],"tells":true}', []],
    ['it tells none', '{"active":[],"tells":false}', 'untold'],
    ['none is told, and the events cannot be read', '{"active":[],"read_at":null}', 'unread'],
    ['it tells none, and the events cannot be read', '{"active":[],"tells":false,"read_at":null}', 'untold'],
    ['nothing is known', undefined, undefined],
  ])('faults: %s', (_, payload, expected) => {
    const [card] = todays({ home: fixtureDevice('boiler') }, payload === undefined ? {} : { 'home/faults': payload });
    expect(card?.faults).toEqual(expected);
  });

  test('a thermostat that tells no fault says nothing of its heating, and an offline heating nothing of now', () => {
    const devices = { home: fixtureDevice('boiler'), room: [feature('device.sensors.temperature', { value: 20 })] };
    const none = { 'room/faults': '{"active":[]}', 'room/info': '{"gateway":"a"}', 'home/info': '{"gateway":"a"}' };
    const faults = (more: object) => todays(devices, { ...none, ...more }).map((card) => card.faults);
    expect(faults({ 'home/faults': '{"active":[],"tells":false}' })).toEqual(['untold']);
    expect(faults({ 'home/faults': '{"active":[]}', 'home/availability': 'offline' })).toEqual([undefined]);
  });

  test('each heating has a card, with what else is at its gateway or in its installation', () => {
    const rooms = [feature('rooms.0', {}), ...fixtureDevice('rooms')];
    const info = (installation: string, gateway: string): string => JSON.stringify({ installation, gateway });
    const cards = todays(
      { city: fixtureDevice('boiler'), farm: fixtureDevice('heatPump'), air: fixtureDevice('ventilation'), lone: rooms },
      { 'city/info': info('1', 'a'), 'farm/info': info('1', 'b'), 'air/info': info('1', 'b'), 'lone/info': info('2', 'c') },
    );
    expect(cards.map(({ device }) => device.name)).toEqual(['city', 'farm', ...(cards.length > 2 ? ['lone'] : [])]);
    const inside = (all: readonly Today[]): number => all.find(({ device }) => device.name === 'city')?.inside.length ?? -1;
    const near = todays({ city: fixtureDevice('boiler'), lone: rooms }, { 'city/info': info('1', 'a'), 'lone/info': info('1', 'z') });
    expect(inside(near)).toBeGreaterThan(inside(cards));
  });
});
