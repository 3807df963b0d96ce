import * as z from 'zod/mini';
import type { Plan } from '../../schedule/prices/planHotWater.ts';
import type { Prices } from '../../schedule/prices/readPrices.ts';
import type { KeyedStore } from '../ports.ts';

const ENTRY = z.object({ start: z.string(), end: z.string(), mode: z.string(), position: z.number() });
const SPAN = { startMs: z.number(), endMs: z.number() };
const PLAN = z.object({
  ...SPAN,
  kind: z.literal('plan'),
  blocks: z.array(z.object({ ...SPAN, price: z.number(), isOwn: z.boolean() })).check(z.minLength(1)),
  windows: z.array(z.object(SPAN)),
  own: z.array(z.object(SPAN)),
  days: z.record(z.string(), z.array(ENTRY)),
  price: z.number(),
  ownPrice: z.number(),
});
const NOTE = z.object({
  mode: z.enum(['daily', 'once', 'off']),
  orderedMs: z.number(),
  onceMs: z.optional(z.number()),
  running: z.optional(PLAN),
  last: z.optional(z.object({ endMs: z.number(), releaseMs: z.number() })),
});
const PRICES = z.object({
  unit: z.enum(['MWh', 'kWh', 'cent']),
  by: z.enum(['setting', 'source', 'guess']),
  stepMinutes: z.number(),
  slots: z.array(z.object({ ...SPAN, price: z.number() })),
});

/**
 * What a person has ordered for a device, and when: each day, or once the plan that begins at `onceMs`. `running`: the plan of now, which
 * stays as it was when it began. `last`: when the plan that runs or has run ends, and when it releases hot water for the last time.
 */
export type PriceNote = {
  readonly mode: 'daily' | 'once' | 'off';
  readonly orderedMs: number;
  readonly onceMs?: number | undefined;
  readonly running?: Plan | undefined;
  readonly last?: { readonly endMs: number; readonly releaseMs: number } | undefined;
};

const PRICES_KEY = 'price list';
const DEVICE = 'price of ';

/** The prices, and what is ordered and running for each device, over restarts; in the store of plans. */
export class PriceNotes {
  readonly #store: KeyedStore;
  readonly #notes = new Map<string, PriceNote>();
  #prices: Prices | undefined;

  constructor(store: KeyedStore) {
    this.#store = store;
    for (const [key, value] of store.read()) {
      if (key === PRICES_KEY) this.#prices = PRICES.safeParse(value).data;
      const note = key.startsWith(DEVICE) ? (NOTE.safeParse(value).data as PriceNote | undefined) : undefined;
      if (note) this.#notes.set(key.slice(DEVICE.length), note);
    }
  }

  get prices(): Prices | undefined {
    return this.#prices;
  }

  keepPrices(prices: Prices): void {
    if (JSON.stringify(prices) === JSON.stringify(this.#prices)) return;
    this.#prices = prices;
    this.#store.write(PRICES_KEY, prices);
  }

  /** By the key of the device. */
  of(device: string): PriceNote {
    return this.#notes.get(device) ?? { mode: 'off', orderedMs: 0 };
  }

  put(device: string, note: PriceNote): void {
    this.#notes.set(device, note);
    const isEmpty = note.mode === 'off' && !note.running && !note.last;
    this.#store.write(`${DEVICE}${device}`, isEmpty ? undefined : note);
  }
}
