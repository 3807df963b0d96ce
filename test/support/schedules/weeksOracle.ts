import { mostWithin } from '../system/virtualSystem.ts';
import type { Post } from './schedulePlatform.ts';
import { S, type ScheduleWorld, type WorldOptions } from './scheduleWorld.ts';
import { DAY_NAMES, type Shown, type ShownWeek } from './weeks.ts';
import { isTerminal } from './writing.ts';

const FRESH_MS = 5000;
/** The last of the confirming reads: what a platform shows later than that nobody waits for. */
const SETTLE_MS = 60_000;
/** Within this time the bridge notices that its database is another file. */
const WATCH_MS = 61_000;
const [TEN_MINUTES_MS, HOUR_MS, DAY_MS] = [600_000, 3_600_000, 86_400_000];

/** What a message asked for, if it was a write of days. */
export type Asked = {
  readonly id: number | string;
  readonly kind: 'write' | 'undo' | 'reset';
  readonly days: readonly string[];
  readonly text: string;
  /** Which run of the bridge heard it, and when. */
  readonly run: number;
  readonly atMs: number;
  /** When its end is due, by the wall's clock as it was. */
  readonly dueMs?: number | undefined;
};

/** Two texts that were sent in parts at once, with one word or two. */
type Pair = {
  readonly ids: readonly string[];
  readonly texts: readonly string[];
  readonly days: readonly string[];
  readonly isOneWord: boolean;
  readonly run: number;
};

/** Messages that nobody can want, without an id; each is refused. */
export const RUBBISH = [
  [`${S}/set`, '{"mon":'],
  [`${S}/set`, 'x'.repeat(500)],
  [`${S}/mon/set`, 'nonsense'],
  [`${S}/profile/set`, 'none'],
  ['heating2mqtt/home/no/such/feature/set', '1'],
  ['heating2mqtt/home/set', '1'],
] as const;

const RUBBISH_TOPICS: ReadonlySet<string> = new Set(RUBBISH.map(([topic]) => topic));

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** A story as it went, and what in it must never be. It knows what the documents promise, and nothing of how the bridge does it. */
export class WeeksOracle {
  readonly world: ScheduleWorld;
  readonly asked: Asked[] = [];
  /** Broken promises, in words. */
  readonly broken: string[] = [];
  readonly #options: WorldOptions;
  readonly #lagMs: number;
  /** What the wall showed at the begin. */
  readonly #beganMs: number;
  /** When the runs of the bridge ended, and whether each was killed. */
  readonly #ends: { readonly atMs: number; readonly killed: boolean }[] = [];
  /** What a write had made, and another command put back unasked. */
  readonly #putBack: { readonly id: Asked['id']; readonly name: string; readonly atMs: number; readonly saidYes: boolean }[] = [];
  readonly #pairs: Pair[] = [];
  /** When, after which run, the bridge was left without what it had kept. */
  readonly #losses: { readonly atMs: number; readonly run: number }[] = [];
  /** When the database was changed under the running bridge. */
  #changedMs = Number.NEGATIVE_INFINITY;
  /** A killed run left a file that another program had changed, beside its own log: nobody can tell what is missing. */
  #isMixed = false;
  #isClockSet = false;
  #rubbish = 0;
  #values = 0;

  constructor(world: ScheduleWorld, options: WorldOptions) {
    this.world = world;
    this.#options = options;
    this.#lagMs = options.lagMs ?? 0;
    this.#beganMs = world.clock.now() - world.clock.elapsedMs();
    world.platform.onPost = (post) => this.#checkPost(post);
  }

  get #nowMs(): number {
    return this.world.clock.elapsedMs();
  }

  /** The week with a value on these days that there never was before. */
  fresh(names: readonly string[]): ShownWeek {
    const two = (n: number): string => String(n).padStart(2, '0');
    this.#values += 1;
    const [from, long] = [this.#values % 60, 1 + Math.floor(this.#values / 60)];
    const time = (tens: number): string => `${two(Math.floor(tens / 6))}:${two((tens % 6) * 10)}`;
    const entries: Shown[] = [{ start: time(from), end: time(from + long), mode: 'comfort', position: 0 }];
    return Object.fromEntries(names.map((name) => [name, entries]));
  }

  note(id: Asked['id'], kind: Asked['kind'], days: readonly string[], entries: readonly Shown[] = [], forMs?: number): void {
    const dueMs = forMs === undefined ? undefined : this.world.clock.now() + forMs;
    this.asked.push({ id, kind, days, text: JSON.stringify(entries), run: this.#ends.length, atMs: this.#nowMs, dueMs });
  }

  notePair(pair: Omit<Pair, 'run'>): void {
    this.#pairs.push({ ...pair, run: this.#ends.length });
  }

  noteRubbish(count: number): void {
    this.#rubbish += count;
  }

  setClock(byMs: number): void {
    this.world.clock.setWall(byMs);
    this.#isClockSet ||= byMs !== 0;
  }

  noteChange(): void {
    this.#changedMs = this.#nowMs;
  }

  /** Gives the number of the run that ends. */
  noteEnd(how: 'stop' | 'kill'): number {
    // A stop and a minute are enough to write the database anew.
    if (how === 'kill' && this.#nowMs - this.#changedMs < WATCH_MS) {
      this.noteLoss();
      this.#isMixed = true;
    }
    this.#changedMs = Number.NEGATIVE_INFINITY;
    this.#ends.push({ atMs: this.#nowMs, killed: how === 'kill' });
    return this.#ends.length - 1;
  }

  /** After this run the database was lost, or became an older one. */
  noteLoss(run = this.#ends.length): void {
    this.#losses.push({ atMs: this.#nowMs, run });
  }

  /** True where the bridge may have lost what it knew of the time before. */
  #isForgotten(run: number): boolean {
    return this.#losses.some((loss) => loss.run >= run);
  }

  /** The run of the bridge at that moment. A stop takes some seconds, in which what is under way goes on. */
  #runAt(ms: number): number {
    return this.#ends.filter(({ atMs, killed }) => atMs + (killed ? 0 : 5000) < ms).length;
  }

  /** Of two texts with one word nobody can tell whose an answer is. */
  #isOneWord(id: Asked['id']): boolean {
    return this.#pairs.some(({ ids, isOneWord }) => isOneWord && ids.includes(String(id)));
  }

  #ended(id: Asked['id']): string | undefined {
    return this.world.answers(id).find(isTerminal)?.status;
  }

  #saidYes(id: Asked['id']): boolean {
    return this.world.answers(id).some(({ status }) => status === 'accepted' || status === 'applied');
  }

  /** When its end is due: a duration begins when the write has its turn, by the clock of then. */
  #dueMs({ id, dueMs = 0 }: Asked): number {
    const until = this.world.answers(id).find((said) => said.until !== undefined)?.until;
    return until === undefined ? dueMs : Date.parse(until);
  }

  /** No command puts back, on a day that nobody named, what a write has changed that was said to be applied, or the app before the record. */
  #checkPost({ startMs, wallMs, week, before }: Post): void {
    const run = this.#runAt(startMs);
    const isOpen = ({ id }: Asked): boolean => this.#ended(id) === undefined || this.#ends.length > run || this.#isOneWord(id);
    const open = this.asked.filter((one) => one.run === run && isOpen(one));
    if (!week || open.some(({ kind }) => kind === 'reset')) return;
    const { eras } = this.world.platform;
    for (const name of DAY_NAMES) {
      const [was, becomes] = [JSON.stringify(before[name]), JSON.stringify(week[name])];
      if (was === becomes || open.some(({ days: named, text }) => named.includes(name) && text === becomes)) continue;
      const isFormer = eras.some((one) => JSON.stringify(one.week[name]) === becomes);
      const writer = this.asked.find(({ kind, days: named, text }) => kind === 'write' && named.includes(name) && text === was);
      if (isFormer && open.some(({ kind }) => kind === 'undo')) continue;
      const era = eras.findLast((one, index, all) => !same(all[index - 1]?.week[name], one.week[name]));
      // Without its database the bridge does not know what the platform will show, nor what is under way.
      const isRecent = era !== undefined && era.atMs > startMs - FRESH_MS - this.#lagMs;
      const isUnknown = (isRecent && this.#isForgotten(writer?.run ?? 0)) || this.#losses.some(({ atMs }) => atMs >= startMs);
      if (isFormer && writer?.dueMs !== undefined) {
        // What the app made since is not what the temporary write replaced.
        if (eras.some(({ by, atMs, week: made }) => by === 'app' && atMs >= writer.atMs && JSON.stringify(made[name]) === becomes))
          continue;
        // The newest temporary write sets the end of all.
        if (!isUnknown && this.asked.every((one) => one.dueMs === undefined || one.atMs < writer.atMs || this.#dueMs(one) > wallMs + 1000))
          this.broken.push(`${name} of temporary write ${writer.id} ended ${this.#dueMs(writer) - wallMs} ms early`);
        continue;
      }
      // What a command put back unasked itself, within the time for which a record counts as fresh, nobody wrote.
      const isFirst = era === eras.find((one) => JSON.stringify(one.week[name]) === was);
      if (writer && isFirst && era?.by === 'post' && !isUnknown)
        this.#putBack.push({ id: writer.id, name, atMs: this.#nowMs, saidYes: this.#saidYes(writer.id) });
      if (era?.by === 'app' && era.atMs < startMs - FRESH_MS - this.#lagMs) {
        this.broken.push(`${name} as the app made it at ${era.atMs} was put back at ${startMs}`);
      }
      if (era?.by === 'reset' && this.#lagMs <= SETTLE_MS && !isUnknown) this.broken.push(`${name} as a reset made it was put back`);
    }
  }

  async checkEnd(): Promise<void> {
    const { world } = this;
    world.platform.failingReads = 0;
    world.platform.fates.length = 0;
    world.clock.setWall(this.#beganMs + this.#nowMs - world.clock.now());
    // A write waits ten minutes for a call.
    await world.clock.pass(900_000);
    await this.#passEnds();
    world.poll();
    await world.clock.pass(this.#lagMs + 100_000);
    world.poll();
    await world.clock.pass(1000);
    // Where no call is left, it takes until one is.
    const isOver = (): boolean => this.#leftOfEnds().length === 0 && same(world.week(), world.platform.week);
    for (let hour = 0; hour < 26 && !isOver(); hour += 1) await world.clock.pass(HOUR_MS);
    this.broken.push(...this.#leftOfEnds());
    this.#checkAnswers();
    if (world.platform.most > 1 && this.#losses.length === 0) this.broken.push(`${world.platform.most} commands were under way at once`);
    for (const { id, name, atMs, saidYes } of this.#putBack) {
      const end = world.answers(id).find(isTerminal);
      const isStopped = end?.code === 'stopping' && this.#lagMs <= SETTLE_MS;
      const isGivenUp = end?.status === 'unconfirmed' && end.atMs <= atMs && !isStopped;
      if ((saidYes || end?.status === 'applied') && !isGivenUp)
        this.broken.push(`${name} of write ${id}, which was said to be carried out, was put back by another command`);
    }
    this.#checkShown();
    this.#checkApplied();
    this.#checkPairs();
    this.#checkCalls();
    if (!same(world.week(), world.platform.week)) this.broken.push('in the end another week is shown than there is');
  }

  /** Lets each end come that the bridge shows. */
  async #passEnds(): Promise<void> {
    const { world } = this;
    const untilMs = (): number => Date.parse(world.shown('until').at(-1) ?? '');
    for (let hour = 0; hour < 60 && untilMs() > 0; hour += 1) {
      const aheadMs = untilMs() - world.clock.now();
      // An end that was given by a clock that was ahead.
      if (aheadMs > HOUR_MS) world.clock.setWall(aheadMs);
      await world.clock.pass(hour === 0 ? Math.min(HOUR_MS, Math.max(300_000, aheadMs)) : HOUR_MS);
    }
    if (untilMs() > 0 && !this.#isMixed) this.broken.push('an end did not come');
  }

  /** A day of a temporary write is left only where the app had changed another one, or the end was lost. */
  #leftOfEnds(): readonly string[] {
    const { world } = this;
    const conflicts = world.results.filter(({ topic, code }) => topic === `${S}/until` && code === 'conflict');
    return this.asked.flatMap(({ id, days, text, dueMs, run, atMs }) => {
      const left = days.filter((name) => JSON.stringify(world.platform.week[name]) === text);
      const isKnown = dueMs !== undefined && !this.#isForgotten(run) && !conflicts.some((one) => one.atMs > atMs);
      return isKnown && left.length > 0 ? [`${left} of temporary write ${id} (${this.#ended(id)}) is there for good`] : [];
    });
  }

  /** Exactly one final answer for each message. */
  #checkAnswers(): void {
    for (const { id, run } of this.asked) {
      if (this.#isForgotten(run) || this.#isOneWord(id)) continue;
      const statuses = this.world.answers(id).map(({ status }) => status);
      const accepted = statuses.filter((status) => status === 'accepted').length;
      if (statuses.length - accepted !== 1 || accepted > 1 || (accepted === 1 && statuses[0] !== 'accepted'))
        this.broken.push(`message ${id} was answered ${statuses.join(', ')}`);
    }
    const refused = this.world.results.filter((one) => one.id === undefined && isTerminal(one) && RUBBISH_TOPICS.has(one.topic)).length;
    // What waited for the first read is forgotten with the database, or answered again by an older one.
    if (refused !== this.#rubbish && this.#losses.length === 0)
      this.broken.push(`${this.#rubbish} messages of rubbish had ${refused} answers`);
  }

  /** Texts in parts are never mixed; those with one word cannot be told apart, and each has an answer at least. */
  #checkPairs(): void {
    for (const { ids, texts, days, run, isOneWord } of this.#pairs) {
      const isOf = (week: ShownWeek, text: string | undefined): boolean => days.some((name) => JSON.stringify(week[name]) === text);
      const { eras } = this.world.platform;
      if (eras.some(({ week }) => isOf(week, texts[0]) && isOf(week, texts[1]))) this.broken.push(`texts ${ids} were mixed`);
      const ended = ids.flatMap((id) => this.world.answers(id)).filter(isTerminal).length;
      if (isOneWord && ended < 2 && !this.#isForgotten(run)) this.broken.push(`the texts ${ids} with one word had ${ended} answers`);
    }
  }

  /**
   * The platform was never called more often than it allows, but for what a lost database had counted, and one call of each start after a
   * clock was set: only the platform's answer says what time it is.
   */
  #checkCalls(): void {
    const { per_10_minutes = Number.POSITIVE_INFINITY, per_day = Number.POSITIVE_INFINITY } = this.#options;
    const more = this.#isClockSet ? this.#ends.length : 0;
    for (const [most, windowMs] of [[per_10_minutes, TEN_MINUTES_MS] as const, [per_day, DAY_MS] as const]) {
      const calls = mostWithin(this.world.platform.calledMs, windowMs);
      if (calls > most * (1 + this.#losses.length) + more) this.broken.push(`${calls} calls in ${windowMs} ms`);
    }
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
