import fc from 'fast-check';
import { expect } from 'vitest';
import type { Fate, Post } from './schedulePlatform.ts';
import { ScheduleWorld } from './scheduleWorld.ts';
import { DAY_NAMES, daily, type Shown, type ShownWeek } from './weeks.ts';
import { isTerminal } from './writing.ts';

const FRESH_MS = 5000;
/** The last of the confirming reads: what a platform shows later than that nobody waits for. */
const SETTLE_MS = 60_000;

type Step =
  | { readonly do: 'write'; readonly days: readonly string[]; readonly how: 'plain' | 'guarded' | 'wrong' }
  | { readonly do: 'undo' | 'reset' | 'poll' | 'failingRead' | 'stop' | 'kill' }
  | { readonly do: 'app'; readonly days: readonly string[] }
  | { readonly do: 'pass'; readonly ms: number }
  | { readonly do: 'fate'; readonly fate: Fate };

const days = fc.subarray([...DAY_NAMES], { minLength: 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant('write' as const), days, how: fc.constantFrom('plain', 'plain', 'plain', 'guarded', 'wrong') }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('app' as const), days }) },
  {
    weight: 3,
    arbitrary: fc.constantFrom<Step>({ do: 'undo' }, { do: 'undo' }, { do: 'reset' }, { do: 'poll' }, { do: 'failingRead' }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('fate' as const), fate: fc.constantFrom<Fate>('refused', 'lost', 'vanished') }),
  },
  { weight: 2, arbitrary: fc.constantFrom<Step>({ do: 'stop' }, { do: 'kill' }) },
  {
    weight: 9,
    arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.constantFrom(1, 300, 500, 900, 4000, 7000, 20_000, 65_000) }),
  },
);

/** What a message asked for, if it was a write of days. */
type Asked = {
  readonly id: number;
  readonly kind: 'write' | 'undo' | 'reset';
  readonly days: readonly string[];
  readonly text: string;
  /** Which run of the bridge heard it. */
  readonly run: number;
};

/** A story as it went, and what in it must never be. */
class Story {
  readonly world: ScheduleWorld;
  readonly asked: Asked[] = [];
  /** Broken promises, in words. */
  readonly broken: string[] = [];
  readonly #lagMs: number;
  /** When the runs of the bridge ended, and whether each was killed. */
  readonly #ends: { readonly atMs: number; readonly killed: boolean }[] = [];
  /** What a write had made, and another command put back unasked. */
  readonly #putBack: { readonly id: number; readonly name: string; readonly atMs: number; readonly saidYes: boolean }[] = [];
  #values = 0;

  constructor(world: ScheduleWorld, lagMs: number) {
    this.world = world;
    this.#lagMs = lagMs;
    world.platform.onPost = (post) => this.#checkPost(post);
  }

  async take(one: Step): Promise<void> {
    const { world } = this;
    if (one.do === 'pass') await world.clock.pass(one.ms);
    else if (one.do === 'stop' || one.do === 'kill') await this.#restart(one.do);
    else if (one.do === 'poll') world.poll();
    else if (one.do === 'failingRead') world.platform.failingReads += 1;
    else if (one.do === 'fate') world.platform.fates.push(one.fate);
    else if (one.do === 'app') world.platform.app(this.#fresh(one.days));
    else if (one.do === 'undo') this.#note(world.write('undo/set', 'now'), 'undo', DAY_NAMES);
    else if (one.do === 'reset') this.#note(world.write('call/resetSchedule', {}), 'reset', DAY_NAMES);
    else if (one.do === 'write') {
      const week = this.#fresh(one.days);
      const wrong = Object.fromEntries(one.days.map((name) => [name, [{ start: '06:05', end: '07:00', mode: 'normal' }]]));
      const id = world.write('set', one.how === 'wrong' ? wrong : week, one.how === 'guarded' ? { if_rev: world.rev() } : {});
      this.#note(id, 'write', one.days, Object.values(week)[0]);
    }
  }

  async #restart(how: 'stop' | 'kill'): Promise<void> {
    this.#ends.push({ atMs: this.world.clock.elapsedMs(), killed: how === 'kill' });
    await (how === 'kill' ? this.world.kill() : this.world.restart());
  }

  /** The run of the bridge at that moment. A stop takes some seconds, in which what is under way goes on. */
  #runAt(ms: number): number {
    return this.#ends.filter(({ atMs, killed }) => atMs + (killed ? 0 : 5000) < ms).length;
  }

  /** The week with a value on these days that there never was before. */
  #fresh(names: readonly string[]): ShownWeek {
    const two = (n: number): string => String(n).padStart(2, '0');
    this.#values += 1;
    const [from, long] = [this.#values % 60, 1 + Math.floor(this.#values / 60)];
    const time = (tens: number): string => `${two(Math.floor(tens / 6))}:${two((tens % 6) * 10)}`;
    const entries: Shown[] = [{ start: time(from), end: time(from + long), mode: 'comfort', position: 0 }];
    return Object.fromEntries(names.map((name) => [name, entries]));
  }

  #note(id: number, kind: Asked['kind'], names: readonly string[], entries: readonly Shown[] = []): void {
    this.asked.push({ id, kind, days: names, text: JSON.stringify(entries), run: this.#ends.length });
  }

  #ended(id: number): string | undefined {
    return this.world.answers(id).find(isTerminal)?.status;
  }

  #saidYes(id: number): boolean {
    return this.world.answers(id).some(({ status }) => status === 'accepted' || status === 'applied');
  }

  /** No command puts back, on a day that nobody named, what a write has changed that was said to be applied, or the app before the record. */
  #checkPost({ startMs, week, before }: Post): void {
    const run = this.#runAt(startMs);
    const open = this.asked.filter((one) => one.run === run && (this.#ended(one.id) === undefined || this.#ends.length > run));
    if (!week || open.some(({ kind }) => kind !== 'write')) return;
    for (const name of DAY_NAMES) {
      const [was, becomes] = [JSON.stringify(before[name]), JSON.stringify(week[name])];
      if (was === becomes || open.some(({ days: named, text }) => named.includes(name) && text === becomes)) continue;
      const writer = this.asked.find(({ kind, days: named, text }) => kind === 'write' && named.includes(name) && text === was);
      const era = this.world.platform.eras.findLast(
        (one, index, all) => JSON.stringify(all[index - 1]?.week[name]) !== JSON.stringify(one.week[name]),
      );
      // What a command put back unasked itself, within the time for which a record counts as fresh, nobody wrote.
      const isFirst = era === this.world.platform.eras.find((one) => JSON.stringify(one.week[name]) === was);
      if (writer && isFirst && era?.by === 'post')
        this.#putBack.push({ id: writer.id, name, atMs: this.world.clock.now(), saidYes: this.#saidYes(writer.id) });
      if (era?.by === 'app' && era.atMs < startMs - FRESH_MS - this.#lagMs) {
        this.broken.push(`${name} as the app made it at ${era.atMs} was put back at ${startMs}`);
      }
      if (era?.by === 'reset' && this.#lagMs <= SETTLE_MS) this.broken.push(`${name} as a reset made it was put back`);
    }
  }

  async checkEnd(): Promise<void> {
    const { world } = this;
    world.platform.failingReads = 0;
    await world.clock.pass(300_000);
    world.poll();
    await world.clock.pass(this.#lagMs + 100_000);
    world.poll();
    await world.clock.pass(1000);
    for (const { id, run } of this.asked) {
      const statuses = world.answers(id).map(({ status }) => status);
      const accepted = statuses.filter((status) => status === 'accepted').length;
      // What a killed bridge had not sent yet is lost with it.
      if (statuses.length === 0 && this.#ends[run]?.killed) continue;
      if (statuses.length - accepted !== 1 || accepted > 1 || (accepted === 1 && statuses[0] !== 'accepted')) {
        this.broken.push(`message ${id} was answered ${statuses.join(', ')}`);
      }
    }
    if (world.platform.most > 1) this.broken.push(`${world.platform.most} commands were under way at once`);
    for (const { id, name, atMs, saidYes } of this.#putBack) {
      const end = world.answers(id).find(isTerminal);
      const isStopped = end?.code === 'stopping' && this.#lagMs <= SETTLE_MS;
      const isGivenUp = end?.status === 'unconfirmed' && Date.parse(end.at) <= atMs && !isStopped;
      if ((saidYes || end?.status === 'applied') && !isGivenUp)
        this.broken.push(`${name} of write ${id}, which was said to be carried out, was put back by another command`);
    }
    this.#checkShown();
    this.#checkApplied();
    if (JSON.stringify(world.week()) !== JSON.stringify(world.platform.week))
      this.broken.push('in the end another week is shown than there is');
  }

  /** No day was ever shown as the platform never had it. */
  #checkShown(): void {
    const had = new Set(this.world.platform.eras.flatMap(({ week }) => DAY_NAMES.map((name) => `${name} ${JSON.stringify(week[name])}`)));
    for (const payload of this.world.shown('entries')) {
      const week: ShownWeek = JSON.parse(payload);
      for (const name of DAY_NAMES) {
        const text = `${name} ${JSON.stringify(week[name])}`;
        if (!had.has(text)) this.broken.push(`shown, but never there: ${text}`);
      }
    }
  }

  /** What was said to be applied, or kept, was there. */
  #checkApplied(): void {
    for (const { id, kind, text } of this.asked) {
      const said = this.world.answers(id).find(isTerminal);
      if (kind !== 'write' || !said) continue;
      const parts = said.status === 'applied' ? said.changed : said.status === 'superseded' ? said.kept : [];
      for (const name of parts ?? []) {
        const isThere = this.world.platform.eras.some(({ week }) => JSON.stringify(week[name]) === text);
        if (!isThere) this.broken.push(`${name} of write ${id}, ${said.status}, was never there`);
      }
    }
  }
}

const told = async (steps: readonly Step[], lagMs: number, postMs: number, settle_ms: number): Promise<Story> => {
  const world = await ScheduleWorld.begin({ week: daily('06:00-22:00 normal'), lagMs, postMs, settle_ms });
  const story = new Story(world, lagMs);
  for (const one of steps) await story.take(one);
  await story.checkEnd();
  return story;
};

/**
 * Writers, the app, polls, stops, kills, lags and failures in any order: no update that was applied is lost, each message is answered once,
 * and only what was there is shown. fast-check prints the seed of a story that goes wrong.
 */
export const everyStoryEndsWell = (numRuns: number, seed?: number): Promise<void> =>
  fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 5, maxLength: 40 }),
      fc.oneof(fc.constantFrom(0, 60_000, 100_000), fc.integer({ min: 0, max: SETTLE_MS })),
      fc.constantFrom(0, 200, 8000),
      fc.constantFrom(0, 500, 500),
      async (steps, lagMs, postMs, settleMs) => {
        const { broken } = await told(steps, lagMs, postMs, settleMs);
        expect(broken).toEqual([]);
      },
    ),
    { numRuns, ...(seed === undefined ? {} : { seed }) },
  );
