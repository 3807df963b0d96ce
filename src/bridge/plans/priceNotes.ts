import * as z from 'zod/mini';
import { PLAN } from '../../schedule/prices/planHotWater.ts';
import { PRICES, type Prices } from '../../schedule/prices/readPrices.ts';
import type { KeyedStore } from '../ports.ts';
import { keptValues } from '../state/keptValues.ts';

const NOTE = z.object({
  mode: z.enum(['daily', 'once', 'off']),
  orderedMs: z.number(),
  onceMs: z.optional(z.number()),
  running: z.optional(PLAN),
  last: z.optional(z.object({ endMs: z.number(), releaseMs: z.number() })),
});

/**
 * The order of a person for a device, and when it came: each day, or once, the plan that begins at `onceMs`.
 * `running`: the present plan, unchanged since its begin. `last`: when the present or last plan ends, and
 * when it last releases hot water.
 */
export type PriceNote = Readonly<z.infer<typeof NOTE>>;

const PRICES_KEY = 'price list';

/** The prices, and the order and running plan of each device, over restarts; in the store of plans. */
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
