import { describe, expect, test } from 'vitest';
import { type PendingWrite, PendingWrites } from '../../../../src/bridge/state/pendingWrites.ts';
import type { Effect } from '../../../../src/bridge/state/valueParts.ts';
import type { Feature, Json } from '../../../../src/features/feature.ts';
import { featureOf } from '../../../support/devices/features.ts';
import { commandOf, scheduleOf } from '../../../support/schedules/commands.ts';
import { daily, day, type ShownWeek } from '../../../support/schedules/weeks.ts';
import { msOf, storiesIn, tellBy } from '../../../support/story.ts';

const SETTLE_MS = 60_000;
const COMMANDS = new Map([commandOf('setCurve', { slope: ['number'], shift: ['number'] })]);
const curve = (slope: number, shift = 10): Feature =>
  featureOf('curve', { slope: { value: slope }, shift: { value: shift } }, { commands: COMMANDS });

/** Writes to one feature at 0 ms, in their order; `truth` was read before them. */
class Sent {
  readonly pending = new PendingWrites(SETTLE_MS);
  #truth: Feature;
  #key = 0;

  constructor(truth: Feature) {
    this.#truth = truth;
  }

  write(effect: Effect | undefined, more: Partial<PendingWrite> = {}): this {
    this.#key += 1;
    const feature = this.#truth.name;
    const before = effect ? this.pending.before(feature, effect, this.#truth) : [];
    this.pending.add({
      key: this.#key,
      feature,
      outcome: 'accepted',
      effect,
      before,
      revsBefore: this.pending.revsBefore(this.#truth),
      sinceMs: 0,
      ...more,
    });
    return this;
  }

  read(truth: Feature, atMs = 1000): this {
    this.#truth = truth;
    this.pending.read(truth, atMs);
    return this;
  }

  /** What is shown of the properties, in their order. */
  get shown(): readonly (Json | undefined)[] {
    return [...this.pending.withPending(this.#truth).properties.values()].map(({ value }) => value);
  }
}

const values = (some: Readonly<Record<string, Json>>): Effect => ({ values: new Map(Object.entries(some)) });
const SLOPE_AND_SHIFT = /^([\d.]+)(?:\/(\d+))?$/;
/** `1.4/12`: slope and shift, or the slope alone. */
const numbers = (text = ''): readonly number[] => (SLOPE_AND_SHIFT.exec(text) ?? []).slice(1).flatMap((one) => (one ? [Number(one)] : []));
const effectOf = (text: string): Effect =>
  values(Object.fromEntries(numbers(text).map((value, i) => [i === 0 ? 'slope' : 'shift', value])));

/** A story of writes to the curve (slope 1, shift 10) and of reads, both as `slope/shift`; a read has begun after a second. */
const tellStory = async (...parts: readonly string[]): Promise<void> => {
  const world = { all: new Sent(curve(1)) };
  const timeOf = (span?: string): number | undefined => (span === '-' ? undefined : msOf(span ?? '1s'));
  await tellBy(
    {
      anew: () => Object.assign(world, { all: new Sent(curve(1)) }),
      write: ([effect = '']) => world.all.write(effectOf(effect)),
      // A command whose effect cannot be predicted.
      blind: () => world.all.write(undefined),
      lost: ([effect = '']) => world.all.write(effectOf(effect), { outcome: 'unknown' }),
      discard: ([key]) => world.all.pending.discard(Number(key)),
      read: ([shows, at]) => {
        const [slope = 0, shift] = numbers(shows);
        world.all.read(curve(slope, shift), timeOf(at));
      },
      shows: ([shows]) => expect(world.all.shown).toEqual(numbers(shows)),
      settled: (keys) => expect(world.all.pending.takeSettled()).toEqual(keys.map(Number)),
      // When the truth, the values and the outcome are known at the latest.
      open: (spans) => {
        const known = ([undefined, 'values', 'outcome'] as const).map((needs) => world.all.pending.knownAtMs('curve', needs));
        expect(known).toEqual(spans.map(timeOf));
      },
      // Whether an earlier read may tell that, where the truth or the values are asked for.
      sooner: (words) => {
        const may = (['truth', 'values'] as const).map((needs) => world.all.pending.mayShowSooner('curve', needs));
        expect(may.map((one) => (one ? 'yes' : 'no'))).toEqual(words);
      },
    },
    parts,
  );
};

test.each(
  storiesIn(`
    lie over the record until a read shows them, the last on top
      write 2; write 3; shows 3/10; settled 1; read 1/11; shows 3/11; settled; read 3/11; shows 3/11; settled 2; read 1/11; shows 1/11
    give way to a third value at once; only the last confirming read can tell that it was not written before them
      write 2; read 1.4; shows 1.4/10; open 60s - -; settled; read 1.5 60s; shows 1.5/10; open - - -; settled 1
    are not ended by an earlier edit that shows late
      write 2; read 1 4s; read 1.4 5s; shows 1.4/10; open 60s - -; read 2 14s; settled 1; open - - -
    end one by one :: write 2/12; read 1.4 0s; shows 1.4/12; read 1.4/12 5s; shows 1.4/12; read 2/13 6s; shows 2/13; settled 1
    stay over every value that was there before them, also one that was accepted and not shown yet
      write 2; write 3; write 4; read 1; shows 4/10; read 2; shows 4/10; read 3; shows 4/10; read 4; shows 4/10; settled 1 2 3
    are not shown by what was there before, where they go back to it :: write 2; write 1; read 1; settled 1; read 2; shows 1/10
    are not shown by a read that was begun before they were accepted :: write 2; read 1.4 -1ms; shows 2/10; settled
    stay until just before the last confirming read :: write 2; read 1 59999ms; shows 2/10; settled
    are ended by a read as late as the last confirming one :: write 2; read 1 60s; shows 1/10; settled 1
    that were written unchanged beside others leave them to whoever changes them
      write 2/10; read 1/14; shows 2/14; read 2/14 7s; shows 2/14; read 2/14 60s; settled 1
    are discarded :: write 2; discard 1; discard 1; shows 1/10; settled 1
    lie over the same record as soon as they are accepted, and no longer :: write 2; shows 2/10; write 3; shows 3/10; discard 2; shows 1/10
    of several properties give way to later ones of all of them :: write 2/12; write 3/13; settled 1; shows 3/13
    are shown by a value that another property had before :: write 2/10; write 10; read 10/10; settled 2; shows 10/10
    of which somebody changes one are open for the truth :: write 2/12; read 1.4/10; shows 1.4/12; open 60s - -; sooner yes no
    are open as long as the last of them :: write 2; read 1.4; lost 3; open 70s 70s 70s; sooner yes yes
    stay beside one of which the answer was lost :: write 2; lost 3; settled; shows 2/10; anew; lost 2; write 3; settled; open 70s 70s 70s
    leave nothing open where their effect is predictable :: write 2; open - - -
    # The platform may still carry it out some seconds later.
    of which the answer was lost are open until a read shows them or comes late enough
      lost 2; open 70s 70s 70s; shows 1/10; read 1; open 70s 70s 70s; anew; lost 2; read 1.4 69999ms; open 70s 70s 70s
      sooner yes yes; anew; lost 2/12; read 2/10; read 1/12; open 70s 70s 70s; read 2/12; open - - -; sooner no no
      anew; lost 2; read 2; open - - -; anew; lost 2; read 1 70s; open - - -
    stay beside a command whose effect cannot be predicted, which takes the place of what was sent before it when it ends
      blind; write 2; settled; shows 2/10; sooner no yes; read 1/10; open 60s 60s -; read 1.4; open 60s - -; sooner yes no
      anew; write 2; blind; read 2; settled 1; open 60s 60s -; anew; lost 2; blind; read 1 60s; settled 1 2
      anew; blind; lost 2; read 1 60s; settled 1
  `),
)('accepted values %s', (_, ...story) => tellStory(...story));

const left = (key: number, feature: string, some: Readonly<Record<string, Json>>): PendingWrite => ({
  ...{ key, feature, outcome: 'accepted', effect: values(some), before: [], revsBefore: [], sinceMs: 0 },
});
const valuesOf = (feature: Feature): readonly unknown[] => [...feature.properties.values()].map(({ value }) => value);

test('what an earlier run has left lies over what is read, also beside what is written since', () => {
  const pending = new PendingWrites(SETTLE_MS, [left(1, 'curve', { slope: 2 })]);
  const truth = curve(1);
  expect([valuesOf(pending.withPending(truth)), pending.knownAtMs('curve')]).toEqual([[2, 10], undefined]);
  pending.add(left(2, 'curve', { shift: 12 }));
  expect(valuesOf(pending.withPending(truth))).toEqual([2, 12]);
});

test('what is pending on one feature is nothing to another', () => {
  const pending = new PendingWrites(SETTLE_MS, [left(1, 'curve', { slope: 2, shift: 12 }), left(2, 'other', { slope: 3 })]);
  const changes = () =>
    ['curve', 'other', 'none'].map((feature) => ['slope', 'shift'].map((property) => pending.mayChange(feature, { property })).join());
  expect([changes(), valuesOf(pending.withPending(curve(1)))]).toEqual([
    ['true,true', 'true,false', 'false,false'],
    [2, 12],
  ]);
  pending.forget('other');
  expect([pending.takeSettled(), pending.has('curve'), pending.has('other')]).toEqual([[2], true, false]);
  pending.add({ ...left(3, 'other', {}), effect: undefined });
  expect(changes()).toEqual(['true,true', 'true,true', 'false,false']);
});

test('the values from before are as few as there are, however many writes are pending', () => {
  const all = new Sent(curve(1));
  for (let count = 0; count < 20; count += 1) all.write(values({ slope: 2 + (count % 2) }), { outcome: 'unknown' });
  expect(all.pending.before('curve', effectOf('4'), curve(1))).toEqual([{ property: 'slope', values: expect.arrayContaining([1, 2, 3]) }]);
  expect(all.pending.before('curve', effectOf('4'), curve(1))[0]?.values).toHaveLength(3);
});

test('accepted values of a property that is not there are not shown, of one without a value yet until a read shows them', () => {
  expect(new Sent(curve(1)).write(values({ colour: 5 })).shown).toEqual([1, 10]);
  const empty = featureOf('curve', { slope: { type: 'number' } });
  const all = new Sent(empty).write(values({ slope: 2 }));
  expect(all.shown).toEqual([2]);
  expect(all.read(empty).shown).toEqual([2]);
  expect(all.read(featureOf('curve', { slope: { value: 2 } })).pending.takeSettled()).toEqual([1]);
});

describe('accepted days of a week', () => {
  const MORNING = day('06:00-07:00 comfort');
  const EVENING = day('18:00-19:00 comfort');
  const week = (days: ShownWeek): Feature => scheduleOf({ ...daily(''), ...days });
  const entries = (all: Sent): unknown => all.shown.find((value) => typeof value === 'object');
  const days = (written: ShownWeek): Effect => ({
    values: new Map([['entries', { ...daily(''), ...written }]]),
    days: Object.keys(written) as readonly ('mon' | 'tue')[],
  });

  test('lie over these days alone, each until it is shown or somebody changes it', () => {
    const all = new Sent(week({})).write(days({ mon: MORNING, tue: MORNING }));
    all.read(week({ sun: EVENING }));
    expect(entries(all)).toEqual({ ...daily(''), mon: MORNING, tue: MORNING, sun: EVENING });
    all.read(week({ mon: MORNING, tue: EVENING }), 1000).read(week({ mon: MORNING, tue: EVENING }), SETTLE_MS);
    expect(entries(all)).toEqual({ ...daily(''), mon: MORNING, tue: EVENING });
    expect(all.pending.takeSettled()).toEqual([1]);
  });

  test('leave it open whether another day was changed before them, until a read shows them', () => {
    const all = new Sent(week({})).write(days({ mon: MORNING }));
    all.read(week({ sun: EVENING }));
    expect([entries(all), all.pending.knownAtMs('heating.schedule')]).toEqual([{ ...daily(''), mon: MORNING, sun: EVENING }, SETTLE_MS]);
    all.read(week({ mon: MORNING, sun: EVENING }));
    expect([all.pending.knownAtMs('heating.schedule'), all.pending.takeSettled()]).toEqual([undefined, [1]]);
  });

  test('come with the other days as their command sent them, where a read showed another value before it was accepted', () => {
    const all = new Sent(week({})).write(days({ mon: MORNING }));
    all.read(week({ sun: EVENING }), -1);
    expect(entries(all)).toEqual({ ...daily(''), mon: MORNING });
  });

  test('give way to later ones', () => {
    const all = new Sent(week({})).write(days({ mon: MORNING, tue: MORNING })).write(days({ mon: EVENING }));
    expect(entries(all)).toEqual({ ...daily(''), mon: EVENING, tue: MORNING });
    all.read(week({ mon: MORNING }));
    expect(entries(all)).toEqual({ ...daily(''), mon: EVENING, tue: MORNING });
  });
});

test('what the platform has made of a command of unpredictable effect is open until the last confirming read; what was written before it ends then too', () => {
  const before = scheduleOf(daily(''));
  const monday = { ...daily(''), mon: day('06:00-07:00 comfort') };
  const all = new Sent(before).write({ values: new Map([['entries', monday]]), days: ['mon'] }).write(undefined);
  const { pending } = all;
  expect([pending.knownAtMs(before.name, 'values'), pending.knownAtMs(before.name, 'outcome')]).toEqual([SETTLE_MS, undefined]);
  // What was written before it may show first.
  all.read(scheduleOf(monday), 1000);
  expect(pending.knownAtMs(before.name, 'values')).toBe(SETTLE_MS);
  const made = scheduleOf(daily('10:00-11:00 normal'));
  all.read(made, 2000);
  expect([pending.knownAtMs(before.name, 'values'), pending.knownAtMs(before.name)]).toEqual([undefined, SETTLE_MS]);
  expect(pending.mayShowSooner(before.name, 'truth')).toBe(false);
  all.read(made, SETTLE_MS);
  expect(pending.knownAtMs(before.name)).toBeUndefined();
  expect(pending.takeSettled()).toEqual([1, 2]);
});
