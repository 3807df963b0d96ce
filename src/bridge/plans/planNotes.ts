import * as z from 'zod/mini';
import { BEGUN, LONGEST_RETRY_MS } from '../../schedule/plans/precedence.ts';
import { growingMs } from '../../shared/clock.ts';
import type { Answer } from '../../topics/resultPayload.ts';
import type { KeyedStore } from '../ports.ts';
import { keptValues } from '../state/keptValues.ts';
import { type Place, placeKey } from '../writes/write/writeLog.ts';

/** `askedMs`: when it was last sent (epoch milliseconds). */
const KEPT_BEGUN = z.extend(BEGUN, { askedMs: z.number() });
export type KeptBegun = Readonly<z.infer<typeof KEPT_BEGUN>>;
const NOTE = z.object({
  device: z.string(),
  feature: z.string(),
  handMs: z.optional(z.number()),
  /** The end of the temporary write when a person took over the feature (epoch milliseconds). */
  handUntilMs: z.optional(z.number()),
  begun: z.optional(KEPT_BEGUN),
});
type Noted = Readonly<z.infer<typeof NOTE>>;
type PlanNote = Partial<Omit<Noted, keyof Place>>;

/** What the executor keeps for each feature over restarts: what it began, and when a person acted. */
export const planNotes = (store: KeyedStore) => {
  const notes = keptValues(store, NOTE, 'feature ');
  const of = (place: Place): PlanNote => notes.all.get(placeKey(place)) ?? {};
  return {
    of,
    all: (): readonly Noted[] => [...notes.all.values()],
    put: ({ device, feature }: Place, change: PlanNote): void =>
      notes.put(placeKey({ device, feature }), { device, feature, ...of({ device, feature }), ...change }),
  };
};

export const FAILED: ReadonlySet<Answer['status']> = new Set(['rejected', 'failed']);

/** Wait after the first failure; it doubles up to `LONGEST_RETRY_MS`. */
const RETRY_MS = 30 * 60_000;

/** The note after a failed attempt to begin or to end it. */
export const failedOf = (begun: KeptBegun, nowMs: number): KeptBegun => {
  const retryMs = nowMs + growingMs(RETRY_MS, begun.tries, LONGEST_RETRY_MS);
  return { ...begun, tries: begun.tries + 1, retryMs };
};

/** The note after a write that was not carried out. */
export const notWritten = (begun: KeptBegun): KeptBegun => ({ ...begun, writes: begun.writes - 1, state: 'failed' });

/** The note after an answer to a write. Attempts to end it count from 0 once reads have shown it. */
export const answeredOf = (
  begun: KeptBegun,
  { status, code, until }: Pick<Answer, 'status' | 'code' | 'until'>,
  isInForce: boolean,
  nowMs: number,
): KeptBegun => {
  const { state, command } = begun;
  const isIgnored = code === 'not_shown' && state !== 'ended';
  if (FAILED.has(status) || isIgnored) return notWritten(failedOf(begun, nowMs));
  // In force is an earlier write of it, which seemed lost or ignored.
  if (status === 'unchanged') return { ...begun, state: isInForce ? 'written' : 'unchanged', writes: begun.writes - 1 };
  const tries = status === 'applied' ? 0 : begun.tries;
  const isOwnEnd = command.cancel !== undefined || until === undefined;
  return { ...begun, tries, state: state !== 'asked' ? state : isOwnEnd ? 'deviceEnds' : 'written' };
};

/** Number of accepted cancels of one holiday: some devices show its dates after it too. */
const MOST_CANCELS = 3;

/**
 * The note after an answer to an early end. Acceptance is the only answer to a cancel: reads show whether it
 * was carried out.
 */
export const endAnsweredOf = (begun: KeptBegun, { status }: Pick<Answer, 'status'>, nowMs: number): KeptBegun => {
  const isRepeated = FAILED.has(status) || (begun.state === 'deviceEnds' && begun.tries < MOST_CANCELS - 1);
  return isRepeated ? failedOf(begun, nowMs) : { ...begun, state: 'ended' };
};
