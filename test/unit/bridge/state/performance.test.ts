import { expect, it } from 'vitest';
import { DeviceState, deviceKey } from '../../../../src/bridge/state/deviceState.ts';
import { performanceOf } from '../../../../src/bridge/state/performance/performance.ts';
import type { Stale } from '../../../../src/features/frozen/rules.ts';
import { featureOf } from '../../../support/devices/features.ts';
import { performanceStore } from '../../../support/system/keptInMemory.ts';

const [HOUR, DAY] = [3_600_000, 86_400_000];
const DEVICE = { name: 'home', installation: '1', gateway: '7571381699991111', device: '0', features: ['*'], exclude: [] };
const KEY = deviceKey(DEVICE);
const POWER = 'heating.power.consumption.total';
const unit = 'kilowattHour';

/** A heat pump that uses 0.5 kWh and runs 0.25 h in an hour, and starts every four hours, since an instant. */
const houseIn = (zone: string, startMs: number) => {
  const kept = new Map<string, unknown>();
  let now = startMs;
  let trueNow = startMs;
  let state = new DeviceState(DEVICE);
  const hours = (): number => (trueNow - startMs) / HOUR;
  const waits: boolean[] = [];
  const store = performanceStore(kept);
  const open = (stale?: Pick<Stale, 'rule' | 'since'>) =>
    performanceOf(
      { price: 0.5 },
      {
        ...store,
        write: (rows, mayWait) => {
          waits.push(mayWait);
          store.write(rows, mayWait);
        },
      },
      { of: (_, feature) => (feature === POWER ? hours() / 2 : undefined) },
      () => zone,
      { of: () => stale && { ...stale, features: [], isSlow: false } },
      {
        now: () => now,
      },
    );
  let performance = open();
  return {
    ...{ kept, waits },
    rows: () => performance.rows(KEY),
    named: (name: string) => performance.named(name),
    rename: (name: string) => {
      state = new DeviceState({ ...DEVICE, name });
    },
    restart: (stale?: Pick<Stale, 'rule' | 'since'>) => {
      performance = open(stale);
    },
    /** At this instant, by a clock that is wrong by so much. */
    read: (atMs: number, wrongByMs = 0): boolean => {
      trueNow = atMs;
      now = atMs + wrongByMs;
      const statistics = { starts: { value: Math.floor(hours() / 4) }, hours: { value: hours() / 4 } };
      state.remember(featureOf(POWER, { currentYear: { value: hours() / 2, unit } }));
      state.remember(featureOf('heating.compressors.0.statistics', statistics));
      state.remember(featureOf('heating.sensors.temperature.outside', { value: { value: 4 } }));
      return performance.readWorked(state);
    },
  };
};

const DST: readonly (readonly [zone: string, day: string, hours: number])[] = [
  ['Europe/Berlin', '2026-03-29', 23],
  ['Europe/Berlin', '2026-10-25', 25],
  ['Pacific/Auckland', '2026-09-27', 23],
  ['Pacific/Auckland', '2026-04-05', 25],
  ['UTC', '2026-03-29', 24],
];

it.each(DST)('%s: the day %s has %d hours, from midnight to midnight', (zone, day, hours) => {
  const start = Date.parse(`${day}T00:00:00Z`) - 2 * DAY;
  const house = houseIn(zone, start);
  for (let at = start; at < start + 4 * DAY; at += HOUR / 2) house.read(at);
  const rows = house.rows();
  const row = rows.find((one) => one.day === day);
  expect(row).toMatchObject({ covered: hours, power: { total: hours / 2 }, hours: hours / 4, outside: 4, cost: hours / 4 });
  expect(rows.map((one) => one.day)).toEqual([...new Set(rows.map((one) => one.day))].sort());
});

it('a year has a row for each day, which add up to what was counted, with a restart each week and days without a bridge', () => {
  const start = Date.parse('2026-01-01T05:00:00Z');
  const end = start + 365 * DAY;
  const house = houseIn('Europe/Berlin', start);
  let ends = 0;
  for (let at = start; at <= end; at += HOUR) {
    // Ten days in June, and a night in each month.
    const isAway = (at > start + 160 * DAY && at < start + 170 * DAY) || at % (30 * DAY) < 9 * HOUR;
    if (isAway && at < end) continue;
    if (at % (7 * DAY) < HOUR) house.restart();
    if (house.read(at)) ends += 1;
  }
  const { rows, open } = house.named('home');
  expect(rows.map(({ day }) => day)).toEqual(
    Array.from({ length: 365 }, (_, i) => new Date(Date.UTC(2026, 0, 1 + i)).toISOString().slice(0, 10)),
  );
  const all = [...rows, ...(open ? [open] : [])];
  expect(all.reduce((sum, { power }) => sum + (power?.total ?? 0), 0)).toBeCloseTo(365 * 12, 0);
  expect(all.reduce((sum, { starts }) => sum + (starts ?? 0), 0)).toBe(365 * 6);
  expect(rows.filter(({ covered }) => covered === 0)).toHaveLength(9);
  expect(ends).toBeLessThan(365);
});

it('rows outlive another name of the device, and are found by it', () => {
  const start = Date.parse('2026-11-01T00:00:00Z');
  const house = houseIn('UTC', start);
  for (let at = start; at <= start + 2 * DAY; at += HOUR) house.read(at);
  house.rename('Haus');
  house.read(start + 2 * DAY + HOUR);
  expect(house.named('Haus').rows.map(({ day }) => day)).toEqual(['2026-11-01', '2026-11-02']);
  expect(house.named('home')).toEqual({ rows: [] });
});

it('of two devices with one name the one that was read last is shown, also after a restart', () => {
  const house = houseIn('UTC', 0);
  house.read(HOUR);
  for (const key of ['0/0', '9/0']) house.kept.set(`open ${key}`, { ...Object(house.kept.get(`open ${KEY}`)), at: 0, day: '1969-01-01' });
  house.restart();
  expect(house.named('home').open?.day).toBe('1970-01-01');
});

const CLOCKS: readonly (readonly [what: string, wrongByMs: number])[] = [
  ['three days behind', -3 * DAY],
  ['three hours behind', -3 * HOUR],
  ['at its beginning', -Date.parse('2026-11-04T00:00:00Z')],
  ['three days ahead', 3 * DAY],
  ['years ahead', 4000 * DAY],
];

it.each(CLOCKS)('a clock that is %s for five hours counts nothing twice, and loses a part of a day at most', (_, wrongByMs) => {
  const start = Date.parse('2026-11-01T00:00:00Z');
  const house = houseIn('UTC', start);
  const days = 12;
  for (let at = start; at <= start + days * DAY; at += HOUR) {
    const isWrong = at > start + 4 * DAY && at <= start + 4 * DAY + 5 * HOUR;
    house.read(at, isWrong ? wrongByMs : 0);
  }
  const { rows } = house.named('home');
  expect(rows.map(({ day }) => day).filter((day) => day >= '2026-11-01')).toEqual(
    Array.from({ length: days }, (__, i) => `2026-11-${String(i + 1).padStart(2, '0')}`),
  );
  expect(rows.length).toBeLessThan(days + 3);
  const power = rows.reduce((sum, row) => sum + (row.power?.total ?? 0), 0);
  const starts = rows.reduce((sum, row) => sum + (row.starts ?? 0), 0);
  expect([power < days * 12 + 0.1, power > (days - 1) * 12]).toEqual([true, true]);
  expect([starts <= days * 6, starts >= (days - 1) * 6]).toEqual([true, true]);
});

it('after a clock that was ten days ahead, a later pause is shared between its days', () => {
  const start = Date.parse('2026-11-01T00:00:00Z');
  const house = houseIn('UTC', start);
  for (let at = start; at <= start + 12 * DAY; at += HOUR) {
    const isAhead = at > start + 2.5 * DAY && at <= start + 2.7 * DAY;
    const isPaused = at > start + 5 * DAY && at < start + 9 * DAY;
    if (!isPaused) house.read(at, isAhead ? 10 * DAY : 0);
  }
  const rows = house.rows().map(({ day, power }) => [day, power?.total]);
  expect(rows.slice(3)).toEqual(Array.from({ length: 9 }, (_, i) => [`2026-11-${String(i + 4).padStart(2, '0')}`, 12]));
});

it.each([3, 25 * 365])('one read with a clock that is %d days behind loses nothing, and leaves no day of that time', (days) => {
  const start = Date.parse('2026-11-01T00:00:00Z');
  const house = houseIn('UTC', start);
  for (let at = start; at <= start + 6 * DAY; at += HOUR) house.read(at, at === start + 4.5 * DAY ? -days * DAY : 0);
  expect(house.rows().map(({ day, power }) => [day, power?.total])).toEqual(Array.from({ length: 6 }, (_, i) => [`2026-11-0${i + 1}`, 12]));
});

it('what was used in a pause of more than a year is in no day, and the days around it have what was read', () => {
  const start = Date.parse('2026-11-01T00:00:00Z');
  const house = houseIn('UTC', start);
  for (let at = start; at <= start + 2.75 * DAY; at += HOUR) house.read(at);
  for (let at = start + 430.5 * DAY; at <= start + 432 * DAY; at += HOUR) house.read(at);
  expect(house.rows().map(({ day, power, covered }) => [day, power?.total, covered])).toEqual([
    ['2026-11-01', 12, 24],
    ['2026-11-02', 12, 24],
    ['2026-11-03', 9, 18],
    ['2028-01-05', 6, 12],
    ['2028-01-06', 12, 24],
  ]);
});

it('a day in which amounts stand still is marked, and the next one no more', () => {
  const start = Date.parse('2026-11-01T00:00:00Z');
  const house = houseIn('UTC', start);
  for (let at = start; at <= start + 3 * DAY; at += HOUR) {
    if (at === start + DAY + 5 * HOUR) house.restart({ rule: 'hours', since: at });
    if (at === start + DAY + 9 * HOUR) house.restart();
    house.read(at);
  }
  expect(house.rows().map(({ stale }) => stale)).toEqual([undefined, true, undefined]);
});

it('the days since amounts began to stand are marked once a rule says so, and told anew', () => {
  const start = Date.parse('2026-11-01T00:00:00Z');
  const house = houseIn('Europe/Berlin', start);
  for (let at = start; at <= start + 3 * DAY; at += HOUR) house.read(at);
  // At 00:30 of the second day in Berlin.
  house.restart({ rule: 'heat', since: start + 23.5 * HOUR });
  expect(house.read(start + 3 * DAY + 2 * HOUR)).toBe(true);
  expect(house.rows().map(({ stale }) => stale)).toEqual([undefined, true, true]);
  expect(house.waits.at(-1)).toBe(false);
  expect(house.read(start + 3 * DAY + 3 * HOUR)).toBe(false);
});

it('the day that ends with the read by which a rule says that amounts stand is marked', () => {
  const start = Date.parse('2026-11-01T00:00:00Z');
  const house = houseIn('UTC', start);
  for (let at = start; at < start + DAY; at += HOUR) house.read(at);
  house.restart({ rule: 'pulse', since: start + 20 * HOUR });
  house.read(start + DAY + HOUR);
  expect(house.rows().map(({ stale }) => stale)).toEqual([true]);
});

it('one of two counters that stands marks no day, as the other one counts', () => {
  const start = Date.parse('2026-11-01T00:00:00Z');
  const house = houseIn('UTC', start);
  house.restart({ rule: 'tellers', since: start });
  for (let at = start; at <= start + DAY; at += HOUR) house.read(at);
  expect(house.rows().map(({ stale }) => stale)).toEqual([undefined]);
});

it('the first open day is written at once, as the running totals are; what is added to it waits', () => {
  const house = houseIn('UTC', 0);
  house.read(HOUR);
  house.read(2 * HOUR);
  expect(house.waits).toEqual([false, true]);
});

it('what cannot be read on disk is left out', () => {
  const house = houseIn('UTC', 0);
  house.kept
    .set(`day ${KEY} 2026-11-01`, { day: 7 })
    .set(`open ${KEY}`, { name: 'home' })
    .set(`day ${KEY} 2026-11-02`, { day: '2026-11-02', covered: 24 });
  house.restart();
  expect(house.rows()).toEqual([{ day: '2026-11-02', covered: 24 }]);
  expect(house.named('home')).toEqual({ rows: [] });
});
