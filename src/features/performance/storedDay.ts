import * as z from 'zod/mini';

const AMOUNT = z.optional(z.number());
/**
 * Unreported amounts are absent. kWh; gas in m³ if reported so. `total`: the heating's total, else the sum of
 * the uses.
 */
const AMOUNTS = z.optional(z.object({ heating: AMOUNT, dhw: AMOUNT, cooling: AMOUNT, total: AMOUNT }));
const FLAG = z.optional(z.boolean());

/** A day row, stored forever. Unknown members are absent. */
export const DAY_ROW = z.object({
  /** `2026-11-27`, in the local zone of the house. */
  day: z.string(),
  heat: AMOUNTS,
  /** Without the heating rod, as reported. */
  power: AMOUNTS,
  rod: AMOUNTS,
  /** A heating rod exists, ran or may have run that day, and its power is not reported. */
  rodUntold: FLAG,
  gas: AMOUNTS,
  gasUnit: z.optional(z.enum(['m3', 'kWh'])),
  /** The total gas in kWh: as reported, or from the two factors of that day's settings. */
  gasKwh: AMOUNT,
  /**
   * For all compressors, else for all burners (see `by`). Absent if a value exceeds the daily maximum, for
   * example after counters that stood still.
   */
  ...{ starts: AMOUNT, hours: AMOUNT, by: z.optional(z.enum(['compressors', 'burners'])) },
  /** The mean outside temperature in °C, if at least 20 hours of the day are known. */
  outside: AMOUNT,
  /** The hours of the day with successful reads, 0 to 25. */
  covered: z.number(),
  /** The amounts were frozen that day by a rule other than `tellers`. */
  stale: FLAG,
  /** With that day's settings, if a price exists: money and g CO₂, per kWh and per unit of gas. */
  ...{ cost: AMOUNT, co2: AMOUNT },
});
