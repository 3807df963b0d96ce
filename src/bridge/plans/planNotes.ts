import * as z from 'zod/mini';
import type { Json } from '../../features/feature.ts';
import type { Begun } from '../../schedule/plans/precedence.ts';
import type { KeyedStore } from '../ports.ts';
import { type Place, placeKey } from '../writes/write/writeLog.ts';

const PLANNER = z.enum(['calendar', 'price']);
const COMMAND = z.object({
  leaf: z.optional(z.string()),
  call: z.optional(z.string()),
  value: z.custom<Json>((value) => value !== undefined),
  cancel: z.optional(z.string()),
});
const BEGUN = z.object({
  owner: PLANNER,
  beginMs: z.number(),
  command: COMMAND,
  reason: z.string(),
  untils: z.readonly(z.array(z.number()).check(z.minLength(1))),
  writes: z.number(),
  tries: z.number(),
  state: z.enum(['asked', 'written', 'deviceEnds', 'unchanged', 'ended', 'failed']),
  retryMs: z.optional(z.number()),
  askedMs: z.number(),
  ending: z.optional(z.object({ tries: z.number(), retryMs: z.number() })),
});
const NOTE = z.object({ device: z.string(), feature: z.string(), handMs: z.optional(z.number()), begun: z.optional(BEGUN) });

/** `askedMs`: when it was sent last (epoch milliseconds). `ending`: tries to move its end that failed; before `retryMs` there is no other one. */
export type KeptBegun = Begun & {
  readonly askedMs: number;
  readonly ending?: { readonly tries: number; readonly retryMs: number } | undefined;
};
export type PlanNote = { readonly handMs?: number | undefined; readonly begun?: KeptBegun | undefined };
type Noted = Place & PlanNote;

const FEATURE = 'feature ';
/** Nothing that was begun before is still wished. */
const KEPT_MS = 400 * 86_400_000;

/** What the executor knows of each feature over restarts: what it has begun there, and when a person acted. */
export class PlanNotes {
  readonly #store: KeyedStore;
  readonly #notes = new Map<string, Noted>();

  constructor(store: KeyedStore, nowMs: number) {
    this.#store = store;
    for (const [key, value] of store.read()) {
      if (!key.startsWith(FEATURE)) continue;
      const note = NOTE.safeParse(value).data as Noted | undefined;
      if (note && isNeeded(note, nowMs)) this.#notes.set(placeKey(note), note);
      else store.write(key, undefined);
    }
  }

  of(place: Place): PlanNote {
    return this.#notes.get(placeKey(place)) ?? {};
  }

  all(): readonly Noted[] {
    return [...this.#notes.values()];
  }

  put({ device, feature }: Place, change: PlanNote): void {
    const note = { device, feature, ...this.of({ device, feature }), ...change };
    this.#notes.set(placeKey(note), note);
    this.#store.write(`${FEATURE}${placeKey(note)}`, note);
  }
}

const isNeeded = ({ handMs = 0, begun }: PlanNote, nowMs: number): boolean => Math.max(handMs, ...(begun?.untils ?? [])) > nowMs - KEPT_MS;
