import { describe, expect, test } from 'vitest';
import type { Effect } from '../../../../src/bridge/commands/evaluate.ts';
import { type PendingWrite, PendingWrites } from '../../../../src/bridge/devices/pendingWrites.ts';
import type { Feature, Json } from '../../../../src/features/feature.ts';
import { featureOf } from '../../../support/devices/features.ts';
import { scheduleOf } from '../../../support/schedules/commands.ts';
import { daily, day, type ShownWeek } from '../../../support/schedules/weeks.ts';

const SETTLE_MS = 60_000;
const curve = (slope: number, shift = 10): Feature => featureOf('curve', { slope: { value: slope }, shift: { value: shift } });

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
const sent = (...writes: readonly Readonly<Record<string, Json>>[]): Sent =>
  writes.reduce<Sent>((all, one) => all.write(values(one)), new Sent(curve(1)));

describe('accepted values', () => {
  test('lie over the record until a read shows them, the last on top', () => {
    const all = sent({ slope: 2 }, { slope: 3 });
    expect(all.shown).toEqual([3, 10]);
    expect(all.pending.takeSettled()).toEqual([1]);
    expect(all.read(curve(1, 11)).shown).toEqual([3, 11]);
    expect(all.pending.takeSettled()).toEqual([]);
    expect(all.read(curve(3, 11)).shown).toEqual([3, 11]);
    expect(all.pending.takeSettled()).toEqual([2]);
    expect(all.read(curve(1, 11)).shown).toEqual([1, 11]);
  });

  test('give way to a third value at once; only the last confirming read can tell that it was not written before them', () => {
    const all = sent({ slope: 2 });
    expect(all.read(curve(1.4)).shown).toEqual([1.4, 10]);
    expect([all.pending.knownAtMs('curve'), all.pending.knownAtMs('curve', 'values'), all.pending.takeSettled()]).toEqual([
      SETTLE_MS,
      undefined,
      [],
    ]);
    expect(all.read(curve(1.5), SETTLE_MS).shown).toEqual([1.5, 10]);
    expect([all.pending.knownAtMs('curve'), all.pending.takeSettled()]).toEqual([undefined, [1]]);
  });

  test('are not ended by an earlier edit that shows late', () => {
    const all = sent({ slope: 2 }).read(curve(1), 4000).read(curve(1.4), 5000);
    expect([all.shown, all.pending.knownAtMs('curve')]).toEqual([[1.4, 10], SETTLE_MS]);
    expect(all.read(curve(2), 14_000).pending.takeSettled()).toEqual([1]);
    expect(all.pending.knownAtMs('curve')).toBeUndefined();
  });

  test('end one by one', () => {
    const all = sent({ slope: 2, shift: 12 });
    expect(all.read(curve(1.4, 10), 0).shown).toEqual([1.4, 12]);
    expect(all.read(curve(1.4, 12), 5000).shown).toEqual([1.4, 12]);
    expect(all.read(curve(2, 13), 6000).shown).toEqual([2, 13]);
    expect(all.pending.takeSettled()).toEqual([1]);
  });

  test('stay over every value that was there before them, also one that was accepted and not shown yet', () => {
    const all = sent({ slope: 2 }, { slope: 3 }, { slope: 4 });
    for (const slope of [1, 2, 3]) expect(all.read(curve(slope)).shown).toEqual([4, 10]);
    expect(all.read(curve(4)).shown).toEqual([4, 10]);
    expect(all.pending.takeSettled()).toEqual([1, 2, 3]);
  });

  test('are not shown by what was there before, where they go back to it', () => {
    const all = sent({ slope: 2 }, { slope: 1 });
    expect(all.read(curve(1)).pending.takeSettled()).toEqual([1]);
    expect(all.read(curve(2)).shown).toEqual([1, 10]);
  });

  test.each([
    ['before they were accepted shows nothing of them', -1, 1.4, [2, 10], []],
    ['just before the last confirming read', SETTLE_MS - 1, 1, [2, 10], []],
    ['as late as the last confirming read ends them', SETTLE_MS, 1, [1, 10], [1]],
  ])('a read that was begun %s', (_, atMs, slope, shown, settled) => {
    const all = sent({ slope: 2 }).read(curve(slope), atMs);
    expect(all.shown).toEqual(shown);
    expect(all.pending.takeSettled()).toEqual(settled);
  });

  test('that were written unchanged beside others leave them to whoever changes them', () => {
    const all = sent({ slope: 2, shift: 10 });
    expect(all.read(curve(1, 14)).shown).toEqual([2, 14]);
    expect(all.read(curve(2, 14), 7000).shown).toEqual([2, 14]);
    expect(all.read(curve(2, 14), SETTLE_MS).pending.takeSettled()).toEqual([1]);
  });

  test('of a property that is not there are not shown', () => {
    expect(sent({ colour: 5 }).shown).toEqual([1, 10]);
  });

  test('of a property without a value yet are shown until a read shows them', () => {
    const empty = featureOf('curve', { slope: { type: 'number' } });
    const all = new Sent(empty).write(values({ slope: 2 }));
    expect(all.shown).toEqual([2]);
    expect(all.read(empty).shown).toEqual([2]);
    expect(all.read(featureOf('curve', { slope: { value: 2 } })).pending.takeSettled()).toEqual([1]);
  });

  test('are discarded', () => {
    const all = sent({ slope: 2 });
    all.pending.discard(1);
    all.pending.discard(1);
    expect(all.shown).toEqual([1, 10]);
    expect(all.pending.takeSettled()).toEqual([1]);
  });
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

  test('give way to later ones', () => {
    const all = new Sent(week({})).write(days({ mon: MORNING, tue: MORNING })).write(days({ mon: EVENING }));
    expect(entries(all)).toEqual({ ...daily(''), mon: EVENING, tue: MORNING });
    all.read(week({ mon: MORNING }));
    expect(entries(all)).toEqual({ ...daily(''), mon: EVENING, tue: MORNING });
  });
});

describe('what the platform has made of a write is open', () => {
  const known = ({ pending }: Sent): readonly (number | undefined)[] => [pending.knownAtMs('curve'), pending.knownAtMs('curve', 'outcome')];

  test('not of one with a predictable effect', () => {
    expect(known(sent({ slope: 2 }))).toEqual([undefined, undefined]);
  });

  test('of one whose answer was lost, until a read shows it or comes late enough', () => {
    const lost = (): Sent => new Sent(curve(1)).write(values({ slope: 2 }), { outcome: 'unknown' });
    // The platform may still carry it out some seconds later.
    const lateMs = (SETTLE_MS * 7) / 6;
    expect(known(lost())).toEqual([lateMs, lateMs]);
    expect(lost().shown).toEqual([1, 10]);
    expect(known(lost().read(curve(1)))).toEqual([lateMs, lateMs]);
    expect(known(lost().read(curve(1.4), lateMs - 1))).toEqual([lateMs, lateMs]);
    expect(known(lost().read(curve(2)))).toEqual([undefined, undefined]);
    expect(known(lost().read(curve(1), lateMs))).toEqual([undefined, undefined]);
  });

  test('of a command of unpredictable effect, until the last confirming read; what was written before it ends then too', () => {
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
});
