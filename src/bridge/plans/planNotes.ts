import * as z from 'zod/mini';
import { BEGUN, LONGEST_RETRY_MS } from '../../schedule/plans/precedence.ts';
import { growingMs } from '../../shared/clock.ts';
import type { KeyedStore } from '../ports.ts';
import { keptValues } from '../state/keptValues.ts';
import { type Place, placeKey } from '../writes/write/writeLog.ts';

/** `askedMs`: when it was sent last (epoch milliseconds). */
const KEPT_BEGUN = z.extend(BEGUN, { askedMs: z.number() });
export type KeptBegun = Readonly<z.infer<typeof KEPT_BEGUN>>;
const NOTE = z.object({
  device: z.string(),
  feature: z.string(),
  handMs: z.optional(z.number()),
  /** The end that a person has given to what was in force. */
  handUntilMs: z.optional(z.number()),
  begun: z.optional(KEPT_BEGUN),
});
type Noted = Readonly<z.infer<typeof NOTE>>;
type PlanNote = Partial<Omit<Noted, keyof Place>>;

/** What the executor knows of each feature over restarts: what it has begun there, and when a person acted. */
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

/** After a failure it is tried again after this time, then after twice as long, up to `LONGEST_RETRY_MS`. */
const RETRY_MS = 30 * 60_000;

/** After a try that failed, to begin it or to end it. */
export const failedOf = (begun: KeptBegun, nowMs: number): KeptBegun => {
  const retryMs = nowMs + growingMs(RETRY_MS, begun.tries, LONGEST_RETRY_MS);
  return { ...begun, tries: begun.tries + 1, retryMs };
};

/** A write that was not carried out. */
export const notWritten = (begun: KeptBegun): KeptBegun => ({ ...begun, writes: begun.writes - 1, state: 'failed' });
