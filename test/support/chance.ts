import fc from 'fast-check';

/** The seed of all chance in this run; the configuration sets it, and `reporter.ts` prints it. `TEST_SEED=<seed>` repeats a run. */
export const SEED = Number(process.env['TEST_SEED'] ?? 1);

/** True in `npm run test:long`, where property tests run all their cases. */
export const IS_LONG = process.env['TEST_LONG'] === 'true';

/** The number of cases of a property test: all of them in `npm run test:long`, a twentieth (10 at least) in `npm test`. */
export const runs = (all: number): number => (IS_LONG ? all : Math.min(all, Math.max(10, Math.ceil(all / 20))));

/** Numbers in [0, 1) that follow from the seed of the run and a name (mulberry32). */
export const chance = (name: string): (() => number) => {
  let state = [...name].reduce((sum, letter) => Math.imul(sum, 31) + letter.charCodeAt(0), SEED);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

// Where a property test names no number of cases.
fc.configureGlobal({ seed: SEED, numRuns: IS_LONG ? 100 : 25 });
