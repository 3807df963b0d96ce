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

  test('it is coldest outside at 05:00 and warmest at 17:00, and the supply answers the weather', () => {
    const house = houseAt(MIDNIGHT);
    const outside = new Map<number, number>();
    const supply = new Map<number, number>();
    for (let hour = 0; hour < 24; hour++) {
      house.advance(MIDNIGHT + hour * HOUR);
      outside.set(hour, number(house, 'heating.sensors.temperature.outside'));
      supply.set(hour, number(house, 'heating.circuits.0.sensors.temperature.supply'));
    }
    expect([Math.min(...outside.values()), Math.max(...outside.values())]).toEqual([outside.get(5), outside.get(17)]);
    expect(supply.get(5)).toBeGreaterThan(supply.get(17) ?? Number.POSITIVE_INFINITY);
  });

  test('the hot water sinks to its lower limit, is charged while the schedule allows, and the compressor counts it', () => {
    const house = houseAt(MIDNIGHT);
    const cylinder = 'heating.dhw.sensors.temperature.dhwCylinder';
    const starts = number(house, 'heating.compressors.0.statistics', 'starts');
    house.advance(MIDNIGHT + 15 * HOUR + 59 * MINUTE);
    const before = number(house, cylinder);
    expect(before).toBeLessThan(45);
    house.advance(MIDNIGHT + 17 * HOUR);
    expect(number(house, cylinder)).toBeGreaterThan(49);
    expect(value(house, 'heating.dhw.sensors.temperature.hotWaterStorage')).toBe(value(house, cylinder));
    expect(number(house, 'heating.compressors.0.statistics', 'starts')).toBeGreaterThan(starts);
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

  test('the weeks shift on Mondays, the months on the first, the years in January', () => {
    const house = houseAt(Date.UTC(2027, 0, 1) - MINUTE);
    const lengths = { day: 8, week: 9, month: 13, year: 2 };
    const shown = (period: string) => value(house, 'heating.power.consumption.dhw', period);
    const before = Object.fromEntries(Object.keys(lengths).map((period) => [period, shown(period)]));
    house.advance(Date.UTC(2027, 0, 1));
    for (const period of ['day', 'month', 'year']) expect(shown(period)).not.toEqual(before[period]);
    expect(shown('week')).toEqual(before.week);
    house.advance(Date.UTC(2027, 0, 4));
    expect(shown('week')).not.toEqual(before.week);
    for (const [period, length] of Object.entries(lengths)) expect(shown(period)).toHaveLength(length);
  });

  test('circulation runs in its cycles, ventilation in its levels, rooms in their programs', () => {
    const house = houseAt(MIDNIGHT);
    const at = (hour: number, minute: number) => {
      house.advance(MIDNIGHT + hour * HOUR + minute * MINUTE);
      const levels = ['ventilation.operating.state', 'rooms.0.operating.state', 'rooms.1.operating.state'];
      return [value(house, 'heating.dhw.pumps.circulation', 'status'), ...levels.map((feature) => value(house, feature, 'level'))];
    };
    expect(at(5, 59)).toEqual(['off', 'levelTwo', 'reduced', 'reduced']);
    expect(at(6, 4)).toEqual(['on', 'levelTwo', 'normal', 'normal']);
    expect(at(6, 5)).toEqual(['off', 'levelTwo', 'normal', 'normal']);
    expect(at(8, 30)).toEqual(['off', 'levelThree', 'normal', 'reduced']);
    expect(at(17, 30)).toEqual(['on', 'levelThree', 'normal', 'comfort']);
    expect(at(23, 0)).toEqual(['off', 'levelTwo', 'reduced', 'reduced']);
  });
});

describe('what a person does', () => {
  test('standing by wins over comfort, comfort over eco, eco over the schedule', () => {
    const house = houseAt(MIDNIGHT);
    let now = MIDNIGHT;
    const programAfter = (feature: string, property: string, to: string | boolean) => {
      set(house, feature, property, to, now);
      now += MINUTE;
      house.advance(now);
      return value(house, `${PROGRAM}.active`);
    };
    expect(programAfter(`${PROGRAM}.eco`, 'active', true)).toBe('eco');
    expect(programAfter(`${PROGRAM}.comfort`, 'active', true)).toBe('comfort');
    expect(programAfter('heating.circuits.0.operating.modes.active', 'value', 'standby')).toBe('standby');
    expect(value(house, 'heating.circuits.0.heating.schedule', 'active')).toBe(false);
  });

  test('a quick mode of the ventilation ends after its run time', () => {
    const house = houseAt(MIDNIGHT);
    set(house, 'ventilation.quickmodes.forcedLevelFour', 'active', true, MIDNIGHT);
    house.advance(MIDNIGHT + 29 * MINUTE);
    expect(value(house, 'ventilation.operating.state', 'level')).toBe('levelFour');
    house.advance(MIDNIGHT + 30 * MINUTE);
    expect(value(house, 'ventilation.quickmodes.forcedLevelFour', 'active')).toBe(false);
    expect(value(house, 'ventilation.operating.state', 'level')).toBe('levelTwo');
  });

  test('a room’s temperature by hand ends when the schedule changes its mode', () => {
    const house = houseAt(MIDNIGHT);
    set(house, 'rooms.0.quickmodes.manualTillNextSchedule', 'active', true, MIDNIGHT);
    house.advance(MIDNIGHT + 6 * HOUR - MINUTE);
    expect(value(house, 'rooms.0.operating.state', 'level')).toBe('manual');
    house.advance(MIDNIGHT + 6 * HOUR);
    expect(value(house, 'rooms.0.operating.state', 'level')).toBe('normal');
    expect(value(house, 'rooms.0.quickmodes.manualTillNextSchedule', 'active')).toBe(false);
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

  test('only what changed gets a new timestamp', () => {
    const house = houseAt(MIDNIGHT);
    let before = new Map(stateOf(house).map((record) => [record.feature, record]));
    for (let at = MIDNIGHT; at <= MIDNIGHT + 3 * HOUR; at += MINUTE) {
      house.advance(at);
      const now = new Map(stateOf(house).map((record) => [record.feature, record]));
      for (const [feature, record] of now) {
        const old = before.get(feature);
        const same = JSON.stringify(old?.properties) === JSON.stringify(record.properties);
        expect([feature, old?.timestamp === record.timestamp]).toEqual([feature, same]);
      }
      before = now;
    }
  });

  test('a clock that stands still or goes back changes nothing', () => {
    const house = houseAt(MIDNIGHT + HOUR);
    const before = stateOf(house);
    house.advance(MIDNIGHT + HOUR);
    house.advance(MIDNIGHT);
    expect(stateOf(house)).toEqual(before);
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

test('the home is as varied as the field: 92 records with values, ten folders, half as many disabled as enabled', () => {
  const records = stateOf(houseAt(MIDNIGHT));
  const enabled = records.filter((record) => record.isEnabled === true);
  const folders = enabled.filter((record) => Object.keys(Object(record.properties)).length === 0);
  expect([enabled.length - folders.length, folders.length, records.length - enabled.length]).toEqual([92, 10, 62]);
  expect(JSON.stringify(records)).not.toContain('null');
});
