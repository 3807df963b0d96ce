import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SharedTotal } from '../../../../src/features/energy/sharedTotal.ts';
import { type FrozenFacts, factsOf } from '../../../../src/features/frozen/facts.ts';
import { type FrozenState, look, type Stale } from '../../../../src/features/frozen/rules.ts';
import { featureOf } from '../../../support/devices/features.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MIDNIGHT = Date.UTC(2027, 0, 10);

const count = (total: number, owed = 0, day = 5): SharedTotal => ({
  ...{ unit: 'kilowattHour', total, owed, sure: total, ahead: 0 },
  long: { period: 'year', amounts: [900 + total, 1500] },
  short: { period: 'day', amounts: [day, 4] },
});

type Said = { readonly hours?: number; readonly total?: number; readonly heat?: number; readonly list?: number; readonly owed?: number } & {
  /** The summary, and what it has counted beyond the list. */
  readonly summary?: number;
  readonly behind?: number;
};

/** A heat pump with a total of its power, its heat, its hours, and the hot water as summary and list. */
const pump = ({ hours = 100, total = 0, heat = 0, list = 0, owed = 0, summary = 0, behind = 0 }: Said, newest = MIDNIGHT): FrozenFacts =>
  factsOf(
    [
      { ...featureOf('heating.sensors.temperature.outside', { value: { value: 3 } }), timestamp: new Date(newest).toISOString() },
      featureOf('heating.compressors.0.statistics', { hours: { value: hours } }),
      ...['power.consumption.total', 'heat.production.summary.heating', 'power.consumption.dhw', 'power.consumption.summary.dhw'].map(
        (name) => featureOf(`heating.${name}`, {}),
      ),
    ],
    new Map([
      ['heating.power.consumption.total', count(total)],
      ['heating.heat.production.summary.heating', count(heat)],
      ['heating.power.consumption.dhw', count(list, behind)],
      ['heating.power.consumption.summary.dhw', count(summary, owed)],
    ]),
    newest,
  );

/** Each entry is a read at this hour after midnight, whose newest record is of that moment. */
const told = (reads: readonly (readonly [hour: number, said: Said])[]): Stale | undefined => {
  let state: FrozenState | undefined;
  let stale: Stale | undefined;
  for (const [hour, said] of reads) {
    const now = MIDNIGHT + hour * HOUR_MS;
    const found = look(state, pump(said, now), { now, midnight: () => now - (now % DAY_MS) });
    // As the database gives it back.
    state = JSON.parse(JSON.stringify(found.state));
    stale = found.stale;
  }
  return stale;
};

it('a summary that tells no last year owes nothing at New Year, until it grows', () => {
  const name = 'heating.power.consumption.summary.dhw';
  const owedOf = (long: SharedTotal['long'], now = MIDNIGHT): readonly number[] =>
    factsOf([featureOf(name, {})], new Map([[name, { ...count(0, 3), long }]]), now).tellers.map(({ owed }) => owed);
  expect(owedOf({ period: 'year', amounts: [900], fallen: [1] })).toEqual([0]);
  expect(owedOf({ period: 'year', amounts: [2] })).toEqual([3]);
  expect(owedOf({ period: 'day', amounts: [9], fallen: [1] })).toEqual([3]);
  expect(owedOf({ period: 'year', amounts: [900], fallen: [1] }, Date.UTC(2026, 11, 31, 23))).toEqual([0]);
  // One that stands at 0 in another month is told.
  expect(owedOf({ period: 'year', amounts: [900], fallen: [0] }, Date.UTC(2026, 6, 10))).toEqual([3]);
});

describe('frozen data', () => {
  it('are told of the rule that says most, since the first growth that it did not follow', () => {
    const begin = [[8, {}] as const, [9, { total: 1, list: 1 }] as const];
    const since = MIDNIGHT + 10 * HOUR_MS;
    const rest = { total: 1, list: 1 };
    expect(told([...begin, [10, { ...rest, hours: 101 }], [16, { ...rest, hours: 102 }]])).toMatchObject({ rule: 'hours', since });
    expect(told([...begin, [10, { ...rest, hours: 101 }], [15.9, { ...rest, hours: 106 }]])).toBeUndefined();
    expect(told([...begin, [10, { ...rest, heat: 3 }], [16, { ...rest, heat: 5 }]])).toMatchObject({ rule: 'heat', since });
    expect(told([...begin, [10, { ...rest, heat: 3 }], [16, { ...rest, heat: 4.9 }]])).toBeUndefined();
    expect(told([...begin, [10, { total: 2, list: 2, owed: 1 }], [16, { total: 4, list: 3, owed: 2 }]])).toMatchObject({
      rule: 'tellers',
      features: ['heating.power.consumption.summary.dhw'],
    });
  });

  it('are told as soon where the list has grown a little meanwhile: only a list that catches up has a delay', () => {
    const begin = [[0, {}] as const, [1, { list: 1, summary: 1 }] as const, [2, { list: 1, summary: 2, behind: 1 }] as const];
    const stands = (list: number, behind: number) =>
      told([
        ...begin,
        [20, { list, summary: 20, behind }],
        ...[21, 28].map((hour) => [hour, { list, summary: hour, behind: hour - list }] as const),
      ]);
    expect(stands(1.1, 18.9)).toMatchObject({ rule: 'tellers', since: MIDNIGHT + 21 * HOUR_MS });
    expect(stands(20, 0)).toBeUndefined();
  });

  it('are nothing where heat or hours that stood come in one burst, until they go on', () => {
    const begin = [[8, {}] as const, [9, { total: 1 }] as const];
    expect(told([...begin, [10, { total: 1, heat: 40, hours: 112 }], [20, { total: 1, heat: 40, hours: 112 }]])).toBeUndefined();
    expect(told([...begin, [10, { total: 1, heat: 40 }], [20, { total: 1, heat: 41 }]])).toMatchObject({ rule: 'heat' });
    expect(told([...begin, [10, { total: 1, hours: 112 }], [20, { total: 1, hours: 113 }]])).toMatchObject({ rule: 'hours' });
  });

  it('of one of two counters are told for a month, as long as a restart may help', () => {
    const read = (day: number) => [24 * day + 9, { total: day, list: 3 * day + 3, owed: 3 * day + 2 }] as const;
    const month = [[8, {}] as const, ...Array.from({ length: 32 }, (_, day) => read(day))];
    expect(told(month.slice(0, 30))?.rule).toBe('tellers');
    expect(told(month)).toBeUndefined();
  });

  it('are nothing where the rod heats alone, and where the power of the rod alone is told', () => {
    const RODS = ['heating', 'dhw'].map((use) => `heating.heatingRod.power.consumption.summary.${use}`);
    const rods = (isWhole: boolean, rodGrows: boolean): Stale | undefined => {
      let found: ReturnType<typeof look> | undefined;
      for (let hour = 0; hour < 12; hour += 1) {
        const counts = new Map([
          ...RODS.map((name) => [name, count(rodGrows ? hour : 0)] as const),
          ['heating.heat.production.summary.heating', count(hour)] as const,
          ...(isWhole ? [['heating.power.consumption.total', count(0)] as const] : []),
        ]);
        const features = [...counts.keys()].map((name) => featureOf(name, {}));
        const runs = featureOf('heating.compressors.0.statistics', { hours: { value: rodGrows ? 5 : hour } });
        const now = MIDNIGHT + hour * HOUR_MS;
        found = look(found?.state, factsOf([...features, runs], counts, now), { now, midnight: () => MIDNIGHT });
      }
      return found?.stale;
    };
    expect(rods(true, true)).toBeUndefined();
    expect(rods(false, false)).toBeUndefined();
    expect(rods(true, false)?.rule).toBe('hours');
  });

  it('count heat once that is told as list and summary, in all and by use, and none that a boiler computes of its gas', () => {
    const HEATS = ['total', 'heating', 'dhw'].flatMap((use) => [`heat.production.${use}`, `heat.production.summary.${use}`]);
    const heats = (perHour: number, runs: 'compressors' | 'burners'): Stale | undefined => {
      let found: ReturnType<typeof look> | undefined;
      for (let hour = 0; hour <= 10; hour += 1) {
        const told = HEATS.map(
          (name) => [`heating.${name}`, count(name.endsWith('total') ? perHour * hour : (perHour * hour) / 2)] as const,
        );
        const counts = new Map([...told, ['heating.power.consumption.total', count(0)] as const]);
        const features = [...counts.keys()].map((name) => featureOf(name, {}));
        const now = MIDNIGHT + hour * HOUR_MS;
        const statistics = featureOf(`heating.${runs}.0.statistics`, { hours: { value: 100 } });
        found = look(found?.state, factsOf([...features, statistics], counts, now), { now, midnight: () => MIDNIGHT });
      }
      return found?.stale;
    };
    expect(heats(0.49, 'compressors')).toBeUndefined();
    expect(heats(0.51, 'compressors')?.rule).toBe('heat');
    expect(heats(5, 'burners')).toBeUndefined();
  });

  it('end with the first growth, and one read alone never says so', () => {
    const stands = [
      [1, {}],
      [2, { hours: 101 }],
      [9, { hours: 104 }],
    ] as const;
    expect(told(stands)?.rule).toBe('hours');
    expect(told([...stands, [10, { hours: 105, total: 0.1 }]])).toBeUndefined();
    expect(
      told([
        [1, {}],
        [200, { hours: 180, heat: 90 }],
      ]),
    ).toBeUndefined();
  });

  it('are told three hours earlier where the day did not begin anew at midnight, and not for that alone', () => {
    const evening = [
      [20, {}],
      [21, { total: 1 }],
      [23.9, { total: 1, hours: 101 }],
    ] as const;
    expect(told([...evening, [26.8, { total: 1, hours: 103 }]])).toBeUndefined();
    expect(told([...evening, [27, { total: 1, hours: 103 }]])?.rule).toBe('hours');
    expect(told([...evening.slice(0, 2), [27, { total: 1 }], [40, { total: 1 }]])).toBeUndefined();
  });

  it('are nothing where nothing runs, whenever it is read', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 2000 }), { maxLength: 40 }), (pauses) => {
        let hour = 0;
        const advance = (pause: number): number => {
          hour += pause;
          return hour;
        };
        const reads = pauses.map((pause) => [advance(pause), { hours: 100, total: 7, heat: 9 }] as const);
        expect(told(reads)).toBeUndefined();
      }),
    );
  });

  it('of a whole device are told after six hours, 48 of a battery device, and only of a steady one with a sensor', () => {
    const silent = (name: string, steadyH: number, silentH: number): Stale | undefined => {
      let found: ReturnType<typeof look> | undefined;
      for (let hour = 0; hour <= steadyH + silentH; hour += 0.5) {
        const timestamp = new Date(MIDNIGHT + Math.min(hour, steadyH) * HOUR_MS).toISOString();
        const now = MIDNIGHT + hour * HOUR_MS;
        // A wrong time of one record hides nothing.
        const ahead = { ...featureOf('heating.boiler.serial', {}), timestamp: '2037-01-01T00:00:00.000Z' };
        const facts = factsOf([{ ...featureOf(name, {}), timestamp }, ahead], new Map(), now);
        found = look(found?.state, facts, { now, midnight: () => MIDNIGHT });
      }
      return found?.stale;
    };
    const [sensor, battery] = ['heating.sensors.temperature.outside', 'device.zigbee.lqi'];
    expect(silent(sensor, 12, 7)).toMatchObject({ rule: 'pulse', since: MIDNIGHT + 12 * HOUR_MS, isSlow: false });
    expect(silent(sensor, 12, 6.5)).toBeUndefined();
    // By fits and starts; a silence of a day says something of any, also of one that stood before it was first read.
    expect(silent(sensor, 11.5, 20)).toBeUndefined();
    expect(silent(sensor, 11.5, 24.5)?.rule).toBe('pulse');
    expect(silent(sensor, -30, 31)).toMatchObject({ rule: 'pulse', since: MIDNIGHT - 30 * HOUR_MS });
    expect(silent(battery, 96, 49)).toMatchObject({ rule: 'pulse', isSlow: true });
    expect(silent(battery, 96, 48)).toBeUndefined();
    expect(silent('gateway.wifi', 96, 100)).toBeUndefined();
    expect(silent('device.zigbee.status', 96, 100)).toBeUndefined();
  });
});
