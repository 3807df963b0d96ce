import { expect, test } from 'vitest';
import { defaultHome, type Home } from '../../../src/simulator/home/home.ts';
import { House } from '../../../src/simulator/home/house.ts';
import type { Json } from '../../../src/simulator/http/json.ts';
import { live } from '../../../src/simulator/living/live.ts';

const HOUR = 3_600_000;
const MIDNIGHT = Date.UTC(2026, 10, 19); // a Thursday
const HOME: Home = { ...defaultHome, timeZone: 'UTC' };
const PROGRAM = 'heating.circuits.0.operating.programs';

const houseAt = (now: number, home = HOME): House => new House(home, now, 0, live);
const value = (house: House, feature: string, property = 'value'): Json | undefined => house.find(feature)?.value(property);
const stateOf = (house: House) => [undefined, ...house.devices()].flatMap((device) => house.records(device).map((record) => record.show()));

test('over a day circuit 0 follows its schedule to the minute, energy grows, and at midnight the days shift', () => {
  const house = houseAt(MIDNIGHT);
  const total = 'heating.power.consumption.total';
  const days = () => Object.values(Object(value(house, total, 'day')));
  const [before] = days();
  const seen: [string, unknown][] = [];
  for (let at = MIDNIGHT; at < MIDNIGHT + 24 * HOUR; at += 60_000) {
    house.advance(at);
    const program = value(house, `${PROGRAM}.active`);
    expect(value(house, `${PROGRAM}.normal`, 'active')).toBe(program === 'normal');
    if (seen.at(-1)?.[1] !== program) seen.push([new Date(at).toISOString().slice(11, 16), program]);
  }
  expect(seen).toEqual([
    ['00:00', 'reduced'],
    ['05:30', 'normal'],
    ['08:30', 'reduced'],
    ['16:00', 'normal'],
    ['22:00', 'reduced'],
  ]);
  const evening = days();
  expect(evening[0]).toBeGreaterThan(Number(before));
  house.advance(MIDNIGHT + 24 * HOUR);
  expect(days()).toEqual([expect.toSatisfy((today: number) => today < 0.2), ...evening.slice(0, 7)]);
  expect(value(house, 'heating.power.consumption.summary.heating', 'currentDay')).toBeLessThan(0.2);
  // A year away is slept through, and the clock is right afterwards.
  for (const [minute, program] of [[29, 'reduced'] as const, [30, 'normal'] as const]) {
    house.advance(Date.UTC(2027, 10, 18, 5, minute));
    expect(value(house, `${PROGRAM}.active`)).toBe(program);
  }
});

test('a one-time charge heats at once and ends by itself', () => {
  const house = houseAt(MIDNIGHT);
  const charge = house.find('heating.dhw.oneTimeCharge');
  if (!charge) throw new Error('no charge');
  house.put(charge, 'active', true, MIDNIGHT);
  house.advance(MIDNIGHT + 120_000);
  expect(value(house, 'heating.compressors.0', 'phase')).toBe('heating');
  house.advance(MIDNIGHT + HOUR);
  expect(charge.value('active')).toBe(false);
  expect(value(house, 'heating.dhw.sensors.temperature.dhwCylinder')).toBeGreaterThan(49);
});

test('the same clock gives the same house, however often it is looked at; one that does not live stands still', () => {
  const [often, once, still] = [houseAt(MIDNIGHT), houseAt(MIDNIGHT), houseAt(MIDNIGHT, { ...HOME, lives: false })];
  const before = stateOf(still);
  for (let at = MIDNIGHT; at <= MIDNIGHT + 6 * HOUR; at += 7777) often.advance(at);
  for (const house of [often, once, still]) house.advance(MIDNIGHT + 6 * HOUR);
  expect(stateOf(often)).toEqual(stateOf(once));
  expect(stateOf(still)).toEqual(before);
});
