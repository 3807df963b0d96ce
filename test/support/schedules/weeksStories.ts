import fc from 'fast-check';
import { expect } from 'vitest';
import { FILE_CHANGES, type FileChange } from './keptOnDisk.ts';
import type { Fate } from './schedulePlatform.ts';
import { S, ScheduleWorld, type WorldOptions } from './scheduleWorld.ts';
import { DAY_NAMES, daily } from './weeks.ts';
import { RUBBISH, WeeksOracle } from './weeksOracle.ts';

/** What happens between the end of a run and the next one. */
type Away = { readonly ms: number; readonly clockMs: number; readonly file: FileChange | undefined };

type Step =
  | { readonly do: 'write'; readonly days: readonly string[]; readonly how: 'plain' | 'guarded' | 'wrong' }
  | { readonly do: 'temporary'; readonly days: readonly string[]; readonly seconds: number }
  | {
      readonly do: 'parts';
      readonly days: readonly string[];
      /** Which of the two writers sends its next part. */
      readonly order: readonly (0 | 1)[];
      readonly how: 'two words' | 'one word' | 'cut';
      readonly pauseMs: number;
      readonly rubbish: number;
    }
  | { readonly do: 'undo' | 'reset' | 'poll' | 'failingRead' | 'copy' }
  | { readonly do: 'stop' | 'kill'; readonly away: Away }
  | { readonly do: 'app'; readonly days: readonly string[] }
  | { readonly do: 'pass'; readonly ms: number }
  | { readonly do: 'clock'; readonly ms: number }
  | { readonly do: 'file'; readonly change: FileChange; readonly afterMs: number; readonly end: 'stop' | 'kill' | undefined }
  | { readonly do: 'rubbish'; readonly count: number }
  | { readonly do: 'fate'; readonly fate: Fate };

const days = fc.subarray([...DAY_NAMES], { minLength: 1 });
const kind = <T extends Step['do']>(name: T): fc.Arbitrary<T> => fc.constant(name);
const end = kind('stop').chain((stop) => fc.constantFrom<'stop' | 'kill'>(stop, 'kill'));
const USUAL: readonly fc.WeightedArbitrary<Step>[] = [
  { weight: 8, arbitrary: fc.record({ do: kind('write'), days, how: fc.constantFrom('plain', 'plain', 'plain', 'guarded', 'wrong') }) },
  { weight: 2, arbitrary: fc.record({ do: kind('app'), days }) },
  { weight: 3, arbitrary: fc.constantFrom<Step>({ do: 'undo' }, { do: 'undo' }, { do: 'reset' }, { do: 'poll' }, { do: 'failingRead' }) },
  { weight: 1, arbitrary: fc.record({ do: kind('fate'), fate: fc.constantFrom<Fate>('refused', 'lost', 'vanished') }) },
  { weight: 9, arbitrary: fc.record({ do: kind('pass'), ms: fc.constantFrom(1, 300, 500, 900, 4000, 7000, 20_000, 65_000) }) },
];
const SHORT: Away = { ms: 0, clockMs: 0, file: undefined };
const RESTART = fc.record({ do: end, away: fc.constant(SHORT) });

const jump = fc.constantFrom(11, 60, 24 * 60).chain((minutes) => fc.constantFrom(minutes * 60_000, -minutes * 60_000));
const change = fc.constantFrom(...(Object.keys(FILE_CHANGES) as FileChange[]));
const away = fc.record({
  ms: fc.constantFrom(0, 0, 20_000, 900_000),
  clockMs: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, jump),
  file: fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, change),
});
/** What comes from beside: clocks, other programs, other clients. */
const NEIGHBOURS: readonly fc.WeightedArbitrary<Step>[] = [
  { weight: 2, arbitrary: fc.record({ do: end, away }) },
  { weight: 2, arbitrary: fc.record({ do: kind('temporary'), days, seconds: fc.constantFrom(20, 70, 400, 4000) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: kind('parts'),
      days: fc.subarray([...DAY_NAMES], { minLength: 3 }),
      order: fc.shuffledSubarray([0, 0, 0, 1, 1, 1] as const, { minLength: 6 }),
      how: fc.constantFrom('two words', 'two words', 'one word', 'cut'),
      pauseMs: fc.constantFrom(0, 0, 200),
      rubbish: fc.constantFrom(0, 0, 60),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: kind('clock'), ms: jump }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: kind('file'),
      change,
      afterMs: fc.constantFrom(0, 65_000),
      end: fc.constantFrom('stop', 'kill', undefined),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: kind('copy') }) },
  { weight: 1, arbitrary: fc.record({ do: kind('rubbish'), count: fc.constantFrom(10, 120) }) },
  { weight: 1, arbitrary: fc.record({ do: kind('pass'), ms: fc.constant(600_000) }) },
];

/** A story as it is told to a world. */
class Teller {
  readonly oracle: WeeksOracle;
  readonly #world: ScheduleWorld;
  #texts = 0;

  constructor(world: ScheduleWorld, options: WorldOptions) {
    this.#world = world;
    this.oracle = new WeeksOracle(world, options);
  }

  async take(one: Step): Promise<void> {
    const [world, oracle] = [this.#world, this.oracle];
    switch (one.do) {
      case 'pass':
        return world.clock.pass(one.ms);
      case 'clock':
        return oracle.setClock(one.ms);
      case 'stop':
      case 'kill':
        return this.#restart(one.do, one.away);
      case 'poll':
        return world.poll();
      case 'failingRead':
        world.platform.failingReads += 1;
        return;
      case 'fate':
        return void world.platform.fates.push(one.fate);
      case 'app':
        return world.platform.app(oracle.fresh(one.days));
      case 'undo':
        return oracle.note(world.write('undo/set', 'now'), 'undo', DAY_NAMES);
      case 'reset':
        return oracle.note(world.write('call/resetSchedule', {}), 'reset', DAY_NAMES);
      case 'copy':
        return world.files?.copy();
      case 'file':
        if (world.files?.change(one.change)) oracle.noteChange();
        await world.clock.pass(one.afterMs);
        return one.end && this.#restart(one.end, SHORT);
      case 'rubbish':
        this.#rubbish(one.count);
        return world.clock.pass(0);
      case 'parts':
        return this.#parts(one);
      case 'temporary': {
        const week = oracle.fresh(one.days);
        const id = world.write('set', week, { for: `PT${one.seconds}S` });
        return oracle.note(id, 'write', one.days, Object.values(week)[0], one.seconds * 1000);
      }
      case 'write': {
        const week = oracle.fresh(one.days);
        const wrong = Object.fromEntries(one.days.map((name) => [name, [{ start: '06:05', end: '07:00', mode: 'normal' }]]));
        const id = world.write('set', one.how === 'wrong' ? wrong : week, one.how === 'guarded' ? { if_rev: world.rev() } : {});
        return oracle.note(id, 'write', one.days, Object.values(week)[0]);
      }
      default:
        return one satisfies never;
    }
  }

  async #restart(how: 'stop' | 'kill', { ms, clockMs, file }: Away): Promise<void> {
    const [world, oracle] = [this.#world, this.oracle];
    // What was received is acknowledged a turn later.
    await world.clock.pass(0);
    const run = oracle.noteEnd(how);
    const meanwhile = async (): Promise<void> => {
      if (file && world.files?.change(file)) oracle.noteLoss(run);
      oracle.setClock(clockMs);
      await world.clock.pass(ms);
    };
    await (how === 'kill' ? world.kill(meanwhile) : world.restart(meanwhile));
  }

  #rubbish(count: number): void {
    for (let sent = 0; sent < count; sent += 1) {
      const [topic, text] = RUBBISH[sent % RUBBISH.length] ?? RUBBISH[0];
      this.#world.receive(topic, `${text}${sent}`);
    }
    this.oracle.noteRubbish(count);
  }

  /** Texts of which one part comes. */
  #beginTexts(count: number): void {
    for (let n = 0; n < count; n += 1) {
      const word = `r${this.#texts}-${n}`;
      this.oracle.note(word, 'write', []);
      this.#world.receive(`${S}/text/set`, `part 1/2 ${word}: x`);
    }
  }

  /** Two writers send three parts each, in some order; `cut`: the second one's last part never comes. */
  async #parts({ days: named, order, how, pauseMs, rubbish }: Extract<Step, { do: 'parts' }>): Promise<void> {
    this.#texts += 1;
    const ids = [`a${this.#texts}`, `b${this.#texts}`];
    const weeks = ids.map(() => this.oracle.fresh(named));
    const queues = ids.map((id, which) => {
      const text = JSON.stringify({ id, value: weeks[which] });
      const size = Math.ceil(text.length / 3);
      const word = how === 'one word' ? ids[0] : id;
      return [1, 2, 3].map((n) => `part ${n}/3 ${word}: ${text.slice((n - 1) * size, n * size)}`);
    });
    for (const [which, id] of ids.entries()) this.oracle.note(id, 'write', named, Object.values(weeks[which] ?? {})[0]);
    if (how === 'cut') queues[1]?.pop();
    for (const [at, which] of order.entries()) {
      const part = queues[which]?.shift();
      if (part !== undefined) this.#world.receive(`${S}/text/set`, part);
      if (at === 0) this.#beginTexts(rubbish);
      if (pauseMs > 0) await this.#world.clock.pass(pauseMs);
    }
    const texts = weeks.map((week) => JSON.stringify(Object.values(week)[0]));
    this.oracle.notePair({ ids, texts, days: named, isOneWord: how === 'one word' });
  }
}

const told = async (steps: readonly Step[], more: Omit<WorldOptions, 'week'>): Promise<readonly string[]> => {
  const options = { week: daily('06:00-22:00 normal'), ...more };
  const world = await ScheduleWorld.begin(options);
  try {
    const teller = new Teller(world, options);
    for (const one of steps) await teller.take(one);
    await teller.oracle.checkEnd();
    return teller.oracle.broken;
  } finally {
    world.close();
  }
};

const platformOptions = {
  lagMs: fc.oneof(fc.constantFrom(0, 60_000, 100_000), fc.integer({ min: 0, max: 60_000 })),
  postMs: fc.constantFrom(0, 200, 8000),
  settle_ms: fc.constantFrom(0, 500, 500),
};

const USUAL_CALLS = { per_10_minutes: 120, per_day: 1450, reserve_for_commands: 50 };
const FEW_CALLS = { per_10_minutes: 8, per_day: 20, reserve_for_commands: 6 };

const check = async <T extends Omit<WorldOptions, 'week'>>(
  step: fc.Arbitrary<Step>,
  options: fc.Arbitrary<T>,
  numRuns: number,
): Promise<void> =>
  fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40, size: 'max' }), options, async (steps, more) => {
      expect(await told(steps, more)).toEqual([]);
    }),
    { numRuns },
  );

/**
 * Writers, the app, polls, stops, kills, lags and failures in any order: no update that was applied is lost, each message is answered once,
 * and only what was there is shown. fast-check prints the seed of a story that goes wrong.
 */
export const everyStoryEndsWell = (numRuns: number): Promise<void> =>
  check(fc.oneof(...USUAL, { weight: 2, arbitrary: RESTART }), fc.record(platformOptions), numRuns);

/**
 * The same with a database on disk, temporary writes, and what comes from beside: clocks that are set, a database that is deleted, emptied or
 * replaced, texts in parts of two writers, floods of rubbish, both versions of MQTT, few calls or many.
 */
export const everyStoryWithNeighboursEndsWell = (numRuns: number): Promise<void> =>
  check(
    fc.oneof(...USUAL, ...NEIGHBOURS),
    fc
      .record({
        ...platformOptions,
        lagMs: fc.oneof(fc.constantFrom(0, 60_000), fc.integer({ min: 0, max: 60_000 })),
        protocol: fc.constantFrom('5' as const, '3.1.1' as const),
        allowance: fc.constantFrom(USUAL_CALLS, USUAL_CALLS, FEW_CALLS),
      })
      .map(({ allowance, ...more }) => ({ ...more, ...allowance, poll_s: 'auto' as const, onDisk: true })),
    numRuns,
  );
