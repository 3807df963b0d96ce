import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { counted } from '../../../../src/features/energy/runningTotal.ts';
import { type SharedTotal, shared, shownTotal } from '../../../../src/features/energy/sharedTotal.ts';
import { runs } from '../../../support/chance.ts';

const TELLERS = ['list', 'summary'] as const;
type Teller = (typeof TELLERS)[number];

/** A meter that two features tell, each of which may stand, and what is counted of both. Amounts in tenths. */
class Pair {
  used = 0;
  readonly #year = { running: 5000, last: 9000 };
  readonly #told = new Map<Teller, readonly [number, number]>();
  readonly #missing = new Map<Teller, number>();
  readonly #share = new Map<Teller, number>();
  readonly #totals = new Map<Teller, SharedTotal>();
  standing: Teller | undefined;

  constructor(share = 1) {
    this.#share.set('list', share);
    this.read();
  }

  read(): void {
    for (const teller of TELLERS) {
      const told = this.#told.get(teller);
      const share = this.#share.get(teller) ?? 1;
      const missing = this.#missing.get(teller) ?? 0;
      const now = teller === this.standing && told ? told : ([this.#year.running * share - missing, this.#year.last * share] as const);
      this.#told.set(teller, now);
      const before = this.#totals.get(teller);
      const other = TELLERS.find((one) => one !== teller) ?? 'list';
      const record = { unit: 'kilowattHour', long: { period: 'year' as const, amounts: now.map((tenths) => tenths / 10) } };
      const [one, next] = shared(before, counted(before, record), this.#totals.get(other));
      // As the database gives it back.
      this.#totals.set(teller, JSON.parse(JSON.stringify(one)));
      if (next) this.#totals.set(other, JSON.parse(JSON.stringify(next)));
    }
  }

  use(tenths: number): void {
    this.used += tenths;
    this.#year.running += tenths;
    this.read();
  }

  newYear(): void {
    this.#year.last = this.#year.running;
    this.#year.running = 0;
    this.#missing.clear();
    this.read();
  }

  /** I.92: everything is 0. After as little as was used since the last one it would look like a fault of the platform. */
  reset(): void {
    if (this.#year.running < 500) return;
    Object.assign(this.#year, { running: 0, last: 0 });
    this.#missing.clear();
    this.standing = undefined;
    this.read();
  }

  /** What stands goes on; `catchesUp`: with what it has missed. */
  goOn(catchesUp: boolean): void {
    const teller = this.standing;
    const [told] = (teller && this.#told.get(teller)) ?? [0];
    if (teller && !catchesUp) this.#missing.set(teller, this.#year.running - told);
    this.standing = undefined;
    this.read();
  }

  /** Of both features, in kWh. */
  get totals(): readonly number[] {
    return TELLERS.map((teller) => {
      const total = this.#totals.get(teller);
      return total ? shownTotal(total) : 0;
    });
  }
}

type Happening =
  | { readonly kind: 'use'; readonly tenths: number }
  | { readonly kind: 'stand'; readonly teller: Teller }
  | { readonly kind: 'goOn'; readonly catchesUp: boolean }
  | { readonly kind: 'reset' | 'newYear' };

const event: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('use' as const), tenths: fc.integer({ min: 0, max: 60 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('stand' as const), teller: fc.constantFrom(...TELLERS) }) },
  { weight: 2, arbitrary: fc.constant<Happening>({ kind: 'goOn', catchesUp: true }) },
  { weight: 1, arbitrary: fc.constant<Happening>({ kind: 'reset' }) },
);

const happen = (pair: Pair, happening: Happening): void => {
  if (happening.kind === 'use') pair.use(happening.tenths);
  else if (happening.kind === 'stand') pair.standing ??= happening.teller;
  else if (happening.kind === 'goOn') pair.goOn(happening.catchesUp);
  else pair[happening.kind]();
};

const falls = (before: readonly number[], after: readonly number[]): boolean => after.some((total, at) => total < (before[at] ?? 0) - 1e-9);

describe('the total of an amount that a list and a summary tell', () => {
  it('is what was used, whichever of them stands and catches up, also over a reset of the balance', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 120 }), (events) => {
        const pair = new Pair();
        for (const one of events) {
          const before = pair.totals;
          // What a reset takes away is not told late any more.
          if (one.kind === 'reset') pair.goOn(true);
          happen(pair, one);
          expect(falls(before, pair.totals)).toBe(false);
          for (const total of pair.totals) expect(total).toBeCloseTo(pair.used / 10, 6);
        }
      }),
      { numRuns: runs(400) },
    );
  });

  it('never falls and counts nothing twice, also where one goes on without what it missed, and over new years', () => {
    const more = fc.oneof(
      { weight: 9, arbitrary: event },
      { weight: 1, arbitrary: fc.constantFrom<Happening>({ kind: 'goOn', catchesUp: false }, { kind: 'newYear' }) },
    );
    fc.assert(
      fc.property(fc.array(more, { maxLength: 120 }), (events) => {
        const pair = new Pair();
        for (const one of events) {
          const before = pair.totals;
          happen(pair, one);
          expect(falls(before, pair.totals)).toBe(false);
          for (const total of pair.totals) expect(total).toBeLessThanOrEqual(pair.used / 10 + 1e-6);
        }
      }),
      { numRuns: runs(400) },
    );
  });

  it.each([1, 1.03, 0.97])('goes on with the other one at once, after a year in which the list told %d of the summary', (share) => {
    const pair = new Pair(share);
    for (let day = 0; day < 300; day += 1) pair.use(100);
    const [before = 0] = pair.totals;
    for (const standing of ['summary', 'list'] as const) {
      pair.standing = standing;
      for (let day = 0; day < 20; day += 1) pair.use(100);
      pair.goOn(true);
    }
    const [after = 0] = pair.totals;
    expect(before).toBeGreaterThanOrEqual(3000 * Math.max(1, share) * 0.98);
    expect(after - before).toBeGreaterThan(390);
    expect(after - before).toBeLessThan(400 * 1.05);
  });

  it('counts with the one that goes on in the next year, where the other one never told what it had missed', () => {
    const pair = new Pair();
    pair.standing = 'list';
    for (let day = 0; day < 30; day += 1) pair.use(100);
    pair.goOn(false);
    pair.newYear();
    pair.use(50);
    pair.standing = 'summary';
    for (let day = 0; day < 3; day += 1) pair.use(100);
    expect(pair.totals).toEqual([expect.closeTo(335, 6), expect.closeTo(335, 6)]);
  });

  it('owes what one stood behind when both were first seen, and nothing for a difference of old', () => {
    const read = (year: number, day: number) => ({
      unit: 'kilowattHour',
      long: { period: 'year' as const, amounts: [year, 4000] },
      short: { period: 'day' as const, amounts: [day, 9] },
    });
    const joined = (listYear: number, listDay: number): number => {
      const [list] = shared(undefined, counted(undefined, read(listYear, listDay)), undefined);
      const [summary, linkedList] = shared(undefined, counted(undefined, read(1000, 8)), list);
      // The list catches up, whatever it has told before.
      return shownTotal(shared(linkedList, counted(linkedList, read(1000, 8)), summary)[0]);
    };
    expect(joined(970, 0.9)).toBe(0);
    expect(joined(970, 8)).toBe(30);
  });
});
