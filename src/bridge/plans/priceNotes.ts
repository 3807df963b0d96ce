import * as z from 'zod/mini';
import { PLAN } from '../../schedule/prices/planHotWater.ts';
import type { Prices } from '../../schedule/prices/readPrices.ts';
import type { KeyedStore } from '../ports.ts';
import { keptValues } from '../state/keptValues.ts';

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
  slots: z.readonly(z.array(z.object({ startMs: z.number(), endMs: z.number(), price: z.number() }))),
});

/**
 * What a person has ordered for a device, and when: each day, or once the plan that begins at `onceMs`. `running`: the plan of now, which
 * stays as it was when it began. `last`: when the plan that runs or has run ends, and when it releases hot water for the last time.
 */
export type PriceNote = Readonly<z.infer<typeof NOTE>>;

const PRICES_KEY = 'price list';

/** The prices, and what is ordered and running for each device, over restarts; in the store of plans. */
export const priceNotes = (store: KeyedStore) => {
  const notes = keptValues(store, NOTE, 'price of ');
  const list = keptValues(store, PRICES, PRICES_KEY);
  return {
    prices: (): Prices | undefined => list.all.get(''),
    keepPrices: (came: Prices): void => list.put('', came),
    /** By the key of the device. */
    of: (device: string): PriceNote => notes.all.get(device) ?? { mode: 'off', orderedMs: 0 },
    put: (device: string, note: PriceNote): void =>
      notes.put(device, note.mode === 'off' && !note.running && !note.last ? undefined : note),
  };
};
