import type { Body, CallFailure, Platform } from '../../../src/bridge/ports.ts';
import type { Json } from '../../../src/features/feature.ts';
import type { Clock } from '../../../src/shared/clock.ts';
import { bodyOf } from '../devices/bodyOf.ts';
import { CONSTRAINTS } from './commands.ts';
import type { ShownWeek } from './weeks.ts';

export const WEEKLY = 'heating.circuits.0.heating.schedule';

/** What becomes of a command: carried out or not, and whether its answer comes. `ignored`: the answer is yes, and nothing happens. */
export type Fate = 'yes' | 'adapted' | 'refused' | 'lost' | 'vanished' | 'ignored';

/** One state of the schedule, and who made it. */
export type Era = { readonly atMs: number; readonly week: ShownWeek; readonly by: 'start' | 'app' | 'post' | 'reset' };

/** `wallMs`: what the bridge's machine took the time for. */
export type Post = { readonly startMs: number; readonly wallMs: number; readonly week: ShownWeek | undefined; readonly before: ShownWeek };

/** A platform with one schedule, in virtual time: it shows what it has some time later, and may refuse, lose or adapt. */
export class SchedulePlatform implements Platform {
  readonly eras: Era[];
  readonly posts: Post[] = [];
  readonly fates: Fate[] = [];
  /** Told right before a command is carried out, with what it will make. */
  onPost: (post: Post) => void = () => undefined;
  /** So many of the next reads fail. */
  failingReads = 0;
  reads = 0;
  /** When it was called. */
  readonly calledMs: number[] = [];
  most = 0;
  readonly #defaults: ShownWeek;
  readonly #clock: Clock;
  readonly #lagMs: number;
  readonly #postMs: number;
  #open = 0;

  constructor(clock: Clock, week: ShownWeek, lagMs = 0, postMs = 0) {
    this.#clock = clock;
    this.#defaults = week;
    this.#lagMs = lagMs;
    this.#postMs = postMs;
    this.eras = [{ atMs: Number.NEGATIVE_INFINITY, week, by: 'start' }];
  }

  get week(): ShownWeek {
    return this.eras.at(-1)?.week ?? {};
  }

  /** Somebody changes days in the vendor's app. */
  app(days: ShownWeek): void {
    this.#make({ ...this.week, ...days }, 'app');
  }

  fetchFeatures = async (): Promise<Body> => {
    this.reads += 1;
    this.calledMs.push(this.#clock.elapsedMs());
    if (this.failingReads > 0) {
      this.failingReads -= 1;
      throw failure('server_error', 'no');
    }
    const shownMs = this.#clock.elapsedMs() - this.#lagMs;
    const { week } = this.eras.findLast(({ atMs }) => atMs <= shownMs) ?? { week: this.#defaults };
    return bodyOf(recordOf(week));
  };

  execute: Platform['execute'] = (_, command, args, signal) => {
    const aborted = new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(failure('aborted', 'unknown'))));
    return Promise.race([this.#carryOut(command, args), aborted]);
  };

  /** Goes on where nobody waits for its answer any more. */
  async #carryOut(command: string, args: Readonly<Record<string, Json>>): ReturnType<Platform['execute']> {
    this.#open += 1;
    this.most = Math.max(this.most, this.#open);
    const fate = this.fates.shift() ?? 'yes';
    const week = command === 'setSchedule' ? asWeek(args['newSchedule']) : undefined;
    const post = { startMs: this.#clock.elapsedMs(), wallMs: this.#clock.now(), week, before: this.week };
    this.calledMs.push(post.startMs);
    this.posts.push(post);
    if (this.#postMs > 0) await this.#clock.sleep(this.#postMs);
    this.#open -= 1;
    if (fate === 'refused') throw failure('validation', 'no');
    if (fate !== 'vanished' && fate !== 'ignored') {
      this.onPost({ ...post, before: this.week });
      if (!week) this.#make(this.#defaults, 'reset');
      else this.#make(fate === 'adapted' ? { ...week, sun: [] } : week, 'post');
    }
    if (fate === 'lost' || fate === 'vanished') throw failure('connection_lost', 'unknown');
    return { adapted: fate === 'adapted' };
  }

  #make(week: ShownWeek, by: Era['by']): void {
    this.eras.push({ atMs: this.#clock.elapsedMs(), week, by });
  }
}

const failure = (code: string, executed: 'no' | 'unknown'): CallFailure => Object.assign(new Error(`it is ${code}`), { code, executed });

const asWeek = (json: Json | undefined): ShownWeek => JSON.parse(JSON.stringify(json ?? {}));

const recordOf = (week: ShownWeek): unknown => ({
  feature: WEEKLY,
  gatewayId: '757',
  deviceId: '0',
  isEnabled: true,
  isReady: true,
  properties: { active: { type: 'boolean', value: true }, entries: { type: 'Schedule', value: week } },
  commands: {
    setSchedule: {
      uri: '',
      name: 'setSchedule',
      isExecutable: true,
      params: { newSchedule: { type: 'Schedule', required: true, constraints: CONSTRAINTS } },
    },
    resetSchedule: { uri: '', name: 'resetSchedule', isExecutable: true, params: {} },
  },
});
