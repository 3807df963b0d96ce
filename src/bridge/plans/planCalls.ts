import * as z from 'zod/mini';
import { type Calls, hasRoom, roomInMs } from '../../schedule/plans/allowance.ts';
import { isPlanner, LONGEST_RETRY_MS } from '../../schedule/plans/precedence.ts';
import { type Clock, DAY_MS, growingMs, HOUR_MS } from '../../shared/clock.ts';
import type { Answer } from '../../topics/resultPayload.ts';
import type { KeyedStore } from '../ports.ts';
import type { Quota } from '../state/readTarget.ts';
import type { Ends, Temporary } from '../writes/ends/ends.ts';
import { isSent, type Write } from '../writes/write/write.ts';
import { type Place, placeKey, type WriteLog } from '../writes/write/writeLog.ts';

const TAKEN = z.object({ calls: z.number(), atMs: z.optional(z.number()), charged: z.optional(z.string()) });
const ALL = z.object({ taken: z.array(TAKEN) });
const KEY = 'calls';

/** One read of the present state, and the POST. */
const CALLS_BESIDE_CONFIRMING = 2;

/**
 * Calls that were taken. `atMs`: when, by the platform's clock; missing until that is known. `sinceMs`: when
 * they began to count in this run (`Clock.elapsedMs`). `untilMs`: when the revert of a write without an
 * answer is due. `charged`: where hot water was charged.
 */
type Taken = z.infer<typeof TAKEN> & { sinceMs: number; untilMs?: number | undefined };

/** Receives each answer to the write that the calls were taken for. */
export type OnAnswer = (answer: Pick<Answer, 'status' | 'code'>) => void;

type PlanCallsParts = {
  /** Seconds after a write at which reads confirm it. */
  readonly confirmS: readonly number[];
  readonly store: KeyedStore;
  readonly quota: Pick<Quota, 'knownMs' | 'pausedForMs'>;
  readonly ends: Pick<Ends, 'allRunning'>;
  readonly writes: Pick<WriteLog, 'all' | 'sent' | 'isLeft'>;
};

/**
 * Limits the calls that no person asks for, per 24 hours, over restarts and kills (`allowance.ts`). A write
 * reserves its maximum before it is sent, and returns what it did not need. Ages count by elapsed time and
 * the platform's clock, as the machine's clock can be set.
 */
export const planCalls = ({ confirmS, store, quota, ends, writes }: PlanCallsParts, clock: Pick<Clock, 'now' | 'elapsedMs'>) => {
  const most = CALLS_BESIDE_CONFIRMING + confirmS.length;
  const kept = ALL.safeParse(store.read().get(KEY)).data?.taken ?? [];
  /**
   * By write: its reverts that the device ignored, and when the next one may be tried (`Clock.elapsedMs`).
   * Each takes the most calls, so tries in a row would use up those of the day.
   */
  const ignored = new Map<number, { readonly tries: number; readonly againMs: number }>();
  let all: Taken[] = kept.map((one) => ({ ...one, sinceMs: clock.elapsedMs() }));

  /**
   * Takes the calls of a write where there is room for it and for the revert at its end (`untilMs`); else
   * undefined. `ends`: the place whose temporary write it ends early.
   */
  const write = ({ untilMs, ends: place }: { readonly untilMs?: number; readonly ends?: Place } = {}): OnAnswer | undefined => {
    const now = { inMs: 0, calls: most };
    const others = [...made(), ...returns(place)];
    const end = untilMs === undefined ? undefined : { inMs: untilMs - clock.now(), calls: most };
    if (!hasRoom(others, now) || (end && !hasRoom([...others, now], end))) return undefined;
    return answered(take({ calls: most, untilMs }));
  };

  /** Takes the calls of a revert that is due, where a plan wrote it; undefined where it has to wait. */
  const forReturn = ({ key }: Pick<Temporary, 'key'>): OnAnswer | undefined => {
    if (!isPlanned(key)) return () => undefined;
    const before = ignored.get(key);
    if (!mayReturn() || (before && clock.elapsedMs() < before.againMs)) return undefined;
    const answer = answered(take({ calls: most }));
    return (result) => {
      answer(result);
      if (result.code !== 'not_shown') return;
      const tries = (before?.tries ?? 0) + 1;
      ignored.set(key, { tries, againMs: clock.elapsedMs() + growingMs(HOUR_MS, tries - 1, LONGEST_RETRY_MS) });
    };
  };

  /** True where there is room now for the revert of a plan's write. */
  const mayReturn = (): boolean => quota.pausedForMs() <= 0 && hasRoom(made(), { inMs: 0, calls: most });

  /** Counts a charge of hot water that was sent. Only surplus charges take calls. */
  const charged = (place: Place, isSurplus: boolean): void => {
    take({ calls: isSurplus ? most : 0, charged: placeKey(place) });
  };

  /** When a charge may be sent (in ms), and the ages of the last day's charges (ms, newest first). */
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
    (taken: Taken): OnAnswer =>
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
    // Until the platform's time is known, the time between the runs does not count.
    return known === undefined || atMs === undefined ? clock.elapsedMs() - sinceMs : known - atMs;
  };

  /** The calls of the last 24 hours. */
  const made = (): readonly Calls[] => {
    if (setMoments()) keep();
    all = all.filter((one) => ageMs(one) < DAY_MS);
    return all.map((one) => ({ inMs: -ageMs(one), calls: one.calls }));
  };

  /** Sets moments that are missing, or future (by a wrong clock), once the time is known; true if any. */
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

  /** The reverts that plans still have to make. */
  const returns = (without?: Place): readonly Calls[] => {
    const running = ends.allRunning().filter((one) => !(without && placeKey(one) === placeKey(without)));
    const untils = [...running.filter(({ key }) => isPlanned(key)), ...all].flatMap(({ untilMs }) => untilMs ?? []);
    return untils.map((untilMs) => ({ inMs: Math.max(0, untilMs - clock.now()), calls: most }));
  };

  // Reads look up open writes of an earlier run. They take calls only where no person asked for the write.
  const left = writes.all().filter((one) => isSent(one) && one.answer === 'open' && writes.isLeft(one.key) && isUnattended(one));
  if (left.length > 0) take({ calls: left.length * (1 + confirmS.length) });
  return { write, forReturn, mayReturn, charged, charges };
};

export type PlanCalls = ReturnType<typeof planCalls>;

/** True for a write that no person asked for. */
const isUnattended = ({ by, topic }: Write): boolean =>
  isPlanner(by?.kind) || by?.kind === 'season' || by?.kind === 'end' || topic.endsWith('/surplus/set');
