import * as z from 'zod/mini';

const AMOUNT = z.optional(z.number());
/**
 * What the heating does not tell is left out. kWh; gas in m³ where the heating tells it so. `total` is what the heating tells as the total; where
 * it tells none, the sum of what is there.
 */
const AMOUNTS = z.optional(z.object({ heating: AMOUNT, dhw: AMOUNT, cooling: AMOUNT, total: AMOUNT }));
const FLAG = z.optional(z.boolean());

/** A row, kept for ever. A member that cannot be told for this day is left out. */
export const DAY_ROW = z.object({
  /** `2026-11-27`, in the zone of the house. */
  day: z.string(),
  heat: AMOUNTS,
  /** Without the heating rod, as the heating tells it. */
  power: AMOUNTS,
  rod: AMOUNTS,
  /** A heating rod exists, ran or may have run in the day, and its power is not told. */
  rodUntold: FLAG,
  gas: AMOUNTS,
  gasUnit: z.optional(z.enum(['m3', 'kWh'])),
  /** The total of gas in kWh: as the heating tells it, or by the two factors of the settings of that day. */
  gasKwh: AMOUNT,
  /**
   * Of all compressors, or of all burners where there is no compressor: which of them `by` says. Left out where one has more than a day can have,
   * as after counters that stood still.
   */
  ...{ starts: AMOUNT, hours: AMOUNT, by: z.optional(z.enum(['compressors', 'burners'])) },
  /** The mean outside temperature in °C, where at least 20 hours of the day are known. */
  outside: AMOUNT,
  /** Hours of the day in which reads worked, 0 to 25. */
  covered: z.number(),
  /** Amounts stood in the day, by a rule of frozen data other than that of two counters of which one stands. */
  stale: FLAG,
  /** Of the settings of that day, for what has a price there: money per kWh and per unit of gas, g CO₂ per kWh and per unit of gas. */
  ...{ cost: AMOUNT, co2: AMOUNT },
});
