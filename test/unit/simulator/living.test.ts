import { describe, expect, test } from 'vitest';
import { defaultHome, type Home } from '../../../src/simulator/home/home.ts';
import { House } from '../../../src/simulator/home/house.ts';
import { live } from '../../../src/simulator/living/live.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const MIDNIGHT = Date.UTC(2026, 10, 19); // a Thursday
const HOME: Home = { ...defaultHome, timeZone: 'UTC' };

const houseAt = (now: number, home = HOME): House => new House(home, now, 0, live);
const value = (house: House, feature: string, property = 'value') => house.find(feature)?.value(property);
const set = (house: House, feature: string, property: string, to: string | number | boolean, at: number): void => {
  const record = house.find(feature);
  if (!record) throw new Error(`no ${feature}`);
  house.put(record, property, to, at);
};

const number = (house: House, feature: string, property = 'value'): number => {
  const shown = value(house, feature, property);
  if (typeof shown !== 'number') throw new Error(`${feature} ${property} is no number`);
  return shown;
};

const stateOf = (house: House) => [undefined, ...house.devices()].flatMap((device) => house.records(device).map((record) => record.show()));

const PROGRAM = 'heating.circuits.0.operating.programs';

describe('a day', () => {
  test('circuit 0 follows its schedule to the minute, its programs with it', () => {
    const house = houseAt(MIDNIGHT);
    const seen: [string, unknown][] = [];
    for (let minute = 0; minute < 1440; minute++) {
      house.advance(MIDNIGHT + minute * MINUTE);
      const program = value(house, `${PROGRAM}.active`);
      expect(value(house, `${PROGRAM}.normal`, 'active')).toBe(program === 'normal');
      expect(value(house, `${PROGRAM}.reduced`, 'active')).toBe(program === 'reduced');
      const clock = new Date(MIDNIGHT + minute * MINUTE).toISOString().slice(11, 16);
      if (seen.at(-1)?.[1] !== program) seen.push([clock, program]);
    }
    expect(seen).toEqual([
      ['00:00', 'reduced'],
      ['05:30', 'normal'],
      ['08:30', 'reduced'],
      ['16:00', 'normal'],
      ['22:00', 'reduced'],
    ]);
  });

  test('a one-time charge heats at once and ends by itself', () => {
    const house = houseAt(MIDNIGHT);
    set(house, 'heating.dhw.oneTimeCharge', 'active', true, MIDNIGHT);
    house.advance(MIDNIGHT + 2 * MINUTE);
    expect(value(house, 'heating.compressors.0', 'phase')).toBe('heating');
    expect(number(house, 'heating.compressors.0.speed.current')).toBeGreaterThan(0);
    house.advance(MIDNIGHT + HOUR);
    expect(value(house, 'heating.dhw.oneTimeCharge', 'active')).toBe(false);
    expect(number(house, 'heating.dhw.sensors.temperature.dhwCylinder')).toBeGreaterThan(49);
  });

  test('energy grows, and at midnight the days shift', () => {
    const house = houseAt(MIDNIGHT);
    const total = 'heating.power.consumption.total';
    const days = () => {
      const shown = value(house, total, 'day');
      return Array.isArray(shown) ? shown : [];
    };
    const before = days();
    house.advance(MIDNIGHT + 24 * HOUR - MINUTE);
    const evening = days();
    expect(evening[0]).toBeGreaterThan(Number(before[0]));
    house.advance(MIDNIGHT + 24 * HOUR);
    expect(days()).toHaveLength(8);
    expect(days().slice(1)).toEqual(evening.slice(0, 7));
    expect(days()[0]).toBeLessThan(0.2);
    expect(number(house, 'heating.power.consumption.summary.heating', 'currentDay')).toBeLessThan(0.2);
  });
});

describe('time', () => {
  test('the same clock gives the same house, however often it is looked at', () => {
    const often = houseAt(MIDNIGHT);
    for (let at = MIDNIGHT; at <= MIDNIGHT + 6 * HOUR; at += 7777) often.advance(at);
    const once = houseAt(MIDNIGHT);
    once.advance(MIDNIGHT + 6 * HOUR);
    often.advance(MIDNIGHT + 6 * HOUR);
    expect(stateOf(often)).toEqual(stateOf(once));
  });

  test('a year away is slept through, and the clock is right afterwards', () => {
    const house = houseAt(MIDNIGHT);
    house.advance(Date.UTC(2027, 10, 18, 5, 29));
    expect(value(house, `${PROGRAM}.active`)).toBe('reduced');
    house.advance(Date.UTC(2027, 10, 18, 5, 30));
    expect(value(house, `${PROGRAM}.active`)).toBe('normal');
  });

  test('a home that does not live stands still', () => {
    const house = houseAt(MIDNIGHT, { ...HOME, lives: false });
    const before = stateOf(house);
    house.advance(MIDNIGHT + 24 * HOUR);
    expect(stateOf(house)).toEqual(before);
  });
});
