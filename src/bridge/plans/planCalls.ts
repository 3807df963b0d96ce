import * as z from 'zod/mini';
import { type Calls, DAY_MS, hasRoom, roomInMs } from '../../schedule/plans/allowance.ts';
import { isPlanner } from '../../schedule/plans/precedence.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Answer } from '../../topics/resultPayload.ts';
import type { KeyedStore } from '../ports.ts';
import type { Ends, Temporary } from '../writes/ends/ends.ts';
import { isSent, type Write } from '../writes/write/write.ts';
import { type Place, placeKey, type WriteLog } from '../writes/write/writeLog.ts';

const TAKEN = z.object({ calls: z.number(), atMs: z.optional(z.number()), charged: z.optional(z.string()) });
const ALL = z.object({ taken: z.array(TAKEN) });
const KEY = 'calls';

/** A read that shows what stands, and the POST. */
const CALLS_BESIDE_CONFIRMING = 2;

/**
 * Calls that were taken. `atMs`: when, by the platform's clock; it is missing until the platform has told that. `sinceMs`: from when they count
 * in this run (`Clock.elapsedMs`). `untilMs`: the return of a write that has no answer yet. `charged`: where hot water was charged.
 */
type Taken = z.infer<typeof TAKEN> & { sinceMs: number; untilMs?: number | undefined };

/** Takes each answer to what the calls were taken for. */
export type Answered = (answer: Pick<Answer, 'status' | 'code'>) => void;

export type PlanCallsParts = {
  /** Seconds after a write at which reads confirm it. */
  readonly confirmS: readonly number[];
  readonly store: KeyedStore;
  readonly quota: { knownMs(): number | undefined; pausedForMs(nowMs: number): number };
  readonly ends: Pick<Ends, 'allRunning'>;
  readonly writes: Pick<WriteLog, 'all' | 'sent' | 'isLeft'>;
};

/**
 * The calls that are spent without a person, in any 24 hours, over restarts and kills (`allowance.ts`). A write takes the most that it may need
 * before it is sent, and gives back what it did not need. Ages are by what elapsed and by the platform's clock: the machine's can be set.
 */
export class PlanCalls {
  readonly #parts: PlanCallsParts;
  readonly #clock: Pick<Clock, 'now' | 'elapsedMs'>;
  readonly #most: number;
  #taken: Taken[];

  constructor(parts: PlanCallsParts, clock: Pick<Clock, 'now' | 'elapsedMs'>) {
    this.#parts = parts;
    this.#clock = clock;
    this.#most = CALLS_BESIDE_CONFIRMING + parts.confirmS.length;
    const { taken } = ALL.safeParse(parts.store.read().get(KEY)).data ?? { taken: [] };
    this.#taken = taken.map((one) => ({ ...one, sinceMs: clock.elapsedMs() }));
    // What became of a write that the run before has left is looked up by reads. Those of people take no calls of this.
    const { writes } = parts;
    const left = writes.all().filter((one) => isSent(one) && one.answer === 'open' && writes.isLeft(one.key) && isUnattended(one));
    if (left.length > 0) this.#take({ calls: left.length * (1 + parts.confirmS.length) });
  }

  /**
   * Takes the calls of a write, where there is room for it and for the return at its end (`untilMs`); undefined where there is none. `ends`: it
   * ends the temporary write there before its end.
   */
  write({ untilMs, ends }: { readonly untilMs?: number; readonly ends?: Place } = {}): Answered | undefined {
    const now = { inMs: 0, calls: this.#most };
    const all = [...this.#made(), ...this.#returns(ends)];
    const end = untilMs === undefined ? undefined : { inMs: untilMs - this.#clock.now(), calls: this.#most };
    if (!hasRoom(all, now) || (end && !hasRoom([...all, now], end))) return undefined;
    return this.#answered(this.#take({ calls: this.#most, untilMs }));
  }

  /** Takes the calls of a return whose time has come, where it is one of a plan; undefined where it has to wait. */
  forReturn({ key }: Pick<Temporary, 'key'>): Answered | undefined {
    if (!this.#isPlanned(key)) return () => undefined;
    if (this.#parts.quota.pausedForMs(this.#clock.elapsedMs()) > 0) return undefined;
    if (!hasRoom(this.#made(), { inMs: 0, calls: this.#most })) return undefined;
    return this.#answered(this.#take({ calls: this.#most }));
  }

  /** A charge of hot water is sent. Those of people take no calls of this. */
  charged(place: Place, isSurplus: boolean): void {
    this.#take({ calls: isSurplus ? this.#most : 0, charged: placeKey(place) });
  }

  /** In how many milliseconds a charge may be sent, and how long ago those of a day were (milliseconds, the newest first). */
  charges(place: Place): { readonly roomInMs: number | undefined; readonly agesMs: readonly number[] } {
    const made = this.#made();
    const ages = this.#taken.filter(({ charged }) => charged === placeKey(place)).map((one) => this.#ageMs(one));
    return { roomInMs: roomInMs([...made, ...this.#returns()], this.#most), agesMs: ages.sort((a, b) => a - b) };
  }

  #take(one: Omit<Taken, 'sinceMs' | 'atMs'>): Taken {
    const taken = { ...one, sinceMs: this.#clock.elapsedMs() };
    this.#taken.push(taken);
    this.#place();
    this.#keep();
    return taken;
  }

  #answered(taken: Taken): Answered {
    return ({ status, code }) => {
      taken.untilMs = undefined;
      const since = this.#clock.elapsedMs() - taken.sinceMs;
      const confirmed = this.#parts.confirmS.filter((s) => s * 1000 <= since).length;
      const isNotSent = status === 'unchanged' || status === 'rejected' || (status === 'failed' && code !== 'unknown_outcome');
      if (status === 'applied') taken.calls = Math.min(this.#most, CALLS_BESIDE_CONFIRMING + Math.max(1, confirmed));
      else if (isNotSent) taken.calls = code === 'no_quota' || code === 'stopping' ? 0 : CALLS_BESIDE_CONFIRMING;
      this.#keep();
    };
  }

  #ageMs({ atMs, sinceMs }: Taken): number {
    const known = this.#parts.quota.knownMs();
    // Until the platform has told the time, none has passed since the run before.
    return known === undefined || atMs === undefined ? this.#clock.elapsedMs() - sinceMs : known - atMs;
  }

  /** What was made within a day. */
  #made(): readonly Calls[] {
    if (this.#place()) this.#keep();
    this.#taken = this.#taken.filter((one) => this.#ageMs(one) < DAY_MS);
    return this.#taken.map((one) => ({ inMs: -this.#ageMs(one), calls: one.calls }));
  }

  /** Gives each its moment, once that is known; true where one is another than before. What seems to be ahead was written by a wrong clock. */
  #place(): boolean {
    const known = this.#parts.quota.knownMs();
    const wrong = known === undefined ? [] : this.#taken.filter(({ atMs }) => atMs === undefined || atMs > known);
    for (const one of wrong) one.atMs = Number(known) - (one.atMs === undefined ? this.#clock.elapsedMs() - one.sinceMs : 0);
    return wrong.length > 0;
  }

  #keep(): void {
    const taken = this.#taken.map(({ sinceMs: _, untilMs: __, ...kept }) => kept);
    this.#parts.store.write(KEY, { taken });
  }

  #isPlanned(key: number): boolean {
    return isPlanner(this.#parts.writes.sent(key)?.by?.kind);
  }

  /** The returns that plans have before them. */
  #returns(without?: Place): readonly Calls[] {
    const running = this.#parts.ends.allRunning().filter((one) => !(without && placeKey(one) === placeKey(without)));
    const untils = [...running.filter(({ key }) => this.#isPlanned(key)), ...this.#taken].flatMap(({ untilMs }) => untilMs ?? []);
    return untils.map((untilMs) => ({ inMs: Math.max(0, untilMs - this.#clock.now()), calls: this.#most }));
  }
}

/** Nobody pressed it. */
const isUnattended = ({ by, topic }: Write): boolean =>
  isPlanner(by?.kind) || by?.kind === 'season' || by?.kind === 'end' || topic.endsWith('/surplus/set');
