import * as z from 'zod/mini';
import { type Calls, hasRoom, roomInMs } from '../../schedule/plans/allowance.ts';
import { isPlanner } from '../../schedule/plans/precedence.ts';
import { type Clock, DAY_MS } from '../../shared/clock.ts';
import type { Answer } from '../../topics/resultPayload.ts';
import type { KeyedStore } from '../ports.ts';
import type { Quota } from '../state/readTarget.ts';
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

type PlanCallsParts = {
  /** Seconds after a write at which reads confirm it. */
  readonly confirmS: readonly number[];
  readonly store: KeyedStore;
  readonly quota: Pick<Quota, 'knownMs' | 'pausedForMs'>;
  readonly ends: Pick<Ends, 'allRunning'>;
  readonly writes: Pick<WriteLog, 'all' | 'sent' | 'isLeft'>;
};

/**
 * The calls that are spent without a person, in any 24 hours, over restarts and kills (`allowance.ts`). A write takes the most that it may need
 * before it is sent, and gives back what it did not need. Ages are by what elapsed and by the platform's clock: the machine's can be set.
 */
export const planCalls = ({ confirmS, store, quota, ends, writes }: PlanCallsParts, clock: Pick<Clock, 'now' | 'elapsedMs'>) => {
  const most = CALLS_BESIDE_CONFIRMING + confirmS.length;
  const kept = ALL.safeParse(store.read().get(KEY)).data?.taken ?? [];
  let all: Taken[] = kept.map((one) => ({ ...one, sinceMs: clock.elapsedMs() }));

  /**
   * Takes the calls of a write, where there is room for it and for the return at its end (`untilMs`); undefined where there is none. `ends`: it
   * ends the temporary write there before its end.
   */
  const write = ({ untilMs, ends: place }: { readonly untilMs?: number; readonly ends?: Place } = {}): Answered | undefined => {
    const now = { inMs: 0, calls: most };
    const others = [...made(), ...returns(place)];
    const end = untilMs === undefined ? undefined : { inMs: untilMs - clock.now(), calls: most };
    if (!hasRoom(others, now) || (end && !hasRoom([...others, now], end))) return undefined;
    return answered(take({ calls: most, untilMs }));
  };

  /** Takes the calls of a return whose time has come, where it is one of a plan; undefined where it has to wait. */
  const forReturn = ({ key }: Pick<Temporary, 'key'>): Answered | undefined => {
    if (!isPlanned(key)) return () => undefined;
    if (quota.pausedForMs() > 0) return undefined;
    if (!hasRoom(made(), { inMs: 0, calls: most })) return undefined;
    return answered(take({ calls: most }));
  };

  /** A charge of hot water is sent. Those of people take no calls of this. */
  const charged = (place: Place, isSurplus: boolean): void => {
    take({ calls: isSurplus ? most : 0, charged: placeKey(place) });
  };

  /** In how many milliseconds a charge may be sent, and how long ago those of a day were (milliseconds, the newest first). */
  const charges = (place: Place): { readonly roomInMs: number | undefined; readonly agesMs: readonly number[] } => {
    const room = roomInMs([...made(), ...returns()], most);
    const ages = all.filter(({ charged }) => charged === placeKey(place)).map((one) => ageMs(one));
    return { roomInMs: room, agesMs: ages.sort((a, b) => a - b) };
  };

  const take = (one: Omit<Taken, 'sinceMs' | 'atMs'>): Taken => {
    const taken = { ...one, sinceMs: clock.elapsedMs() };
    all.push(taken);
    setMoments();
    keep();
    return taken;
  };

  const answered =
    (taken: Taken): Answered =>
    ({ status, code }) => {
      taken.untilMs = undefined;
      const since = clock.elapsedMs() - taken.sinceMs;
      const confirmed = confirmS.filter((s) => s * 1000 <= since).length;
      const isNotSent = status === 'unchanged' || status === 'rejected' || (status === 'failed' && code !== 'unknown_outcome');
      if (status === 'applied') taken.calls = Math.min(most, CALLS_BESIDE_CONFIRMING + Math.max(1, confirmed));
      else if (isNotSent) taken.calls = code === 'no_quota' || code === 'stopping' ? 0 : CALLS_BESIDE_CONFIRMING;
      keep();
    };

  const ageMs = ({ atMs, sinceMs }: Taken): number => {
    const known = quota.knownMs();
    // Until the platform has told the time, none has passed since the run before.
    return known === undefined || atMs === undefined ? clock.elapsedMs() - sinceMs : known - atMs;
  };

  /** What was made within a day. */
  const made = (): readonly Calls[] => {
    if (setMoments()) keep();
    all = all.filter((one) => ageMs(one) < DAY_MS);
    return all.map((one) => ({ inMs: -ageMs(one), calls: one.calls }));
  };

  /** Gives each its moment, once that is known; true where one is another than before. What seems to be ahead was written by a wrong clock. */
  const setMoments = (): boolean => {
    const known = quota.knownMs();
    const wrong = known === undefined ? [] : all.filter(({ atMs }) => atMs === undefined || atMs > known);
    for (const one of wrong) one.atMs = Number(known) - (one.atMs === undefined ? clock.elapsedMs() - one.sinceMs : 0);
    return wrong.length > 0;
  };

  const keep = (): void => {
    store.write(KEY, { taken: all.map(({ sinceMs: _, untilMs: __, ...one }) => one) });
  };

  const isPlanned = (key: number): boolean => isPlanner(writes.sent(key)?.by?.kind);

  /** The returns that plans have before them. */
  const returns = (without?: Place): readonly Calls[] => {
    const running = ends.allRunning().filter((one) => !(without && placeKey(one) === placeKey(without)));
    const untils = [...running.filter(({ key }) => isPlanned(key)), ...all].flatMap(({ untilMs }) => untilMs ?? []);
    return untils.map((untilMs) => ({ inMs: Math.max(0, untilMs - clock.now()), calls: most }));
  };

  // What became of a write that the run before has left is looked up by reads. Those of people take no calls of this.
  const left = writes.all().filter((one) => isSent(one) && one.answer === 'open' && writes.isLeft(one.key) && isUnattended(one));
  if (left.length > 0) take({ calls: left.length * (1 + confirmS.length) });
  return { write, forReturn, charged, charges };
};

export type PlanCalls = ReturnType<typeof planCalls>;

/** Nobody pressed it. */
const isUnattended = ({ by, topic }: Write): boolean =>
  isPlanner(by?.kind) || by?.kind === 'season' || by?.kind === 'end' || topic.endsWith('/surplus/set');
