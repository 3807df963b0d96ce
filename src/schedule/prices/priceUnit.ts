import * as z from 'zod/mini';

/** The units of prices; `cent` is a hundredth of the currency (cent, penny, öre) per kWh. */
export const PRICE_UNITS = ['MWh', 'kWh', 'cent'] as const;

export type PriceUnit = (typeof PRICE_UNITS)[number];

/** A unit and its source: the setting, the text of the source, or a guess by the size of the numbers. */
export const KNOWN_UNIT = z.object({ unit: z.enum(PRICE_UNITS), by: z.enum(['setting', 'source', 'guess']) });
export type KnownUnit = Readonly<z.infer<typeof KNOWN_UNIT>>;

/** The factor from a number in this unit to a price per kWh in the currency. */
export const PER_KWH: Readonly<Record<PriceUnit, number>> = { MWh: 0.001, kWh: 1, cent: 0.01 };

/** Value names with a fixed unit: aWATTar, the exchange, Energi Data Service, EPEX Spot, Amber, Tibber. */
const BY_KEY: Readonly<Record<string, PriceUnit>> = {
  marketprice: 'MWh',
  entryPerArea: 'MWh',
  DayAheadPriceEUR: 'MWh',
  DayAheadPriceDKK: 'MWh',
  price_eur_per_mwh: 'MWh',
  price_per_kwh: 'kWh',
  price_ct_per_kwh: 'cent',
  perKwh: 'cent',
  per_kwh: 'kWh',
  total: 'kWh',
};

/** A price per MWh is rarely below this, and one per kWh never above it. Octopus has a cap of one pound. */
const GREATEST_PER_KWH = 10;
const GREATEST_OF_OCTOPUS = 1;

/** The unit of values with this name; a source may also name its unit (`EUR / MWh`). */
export const unitOf = (key: string, written: unknown, values: readonly number[]): KnownUnit => {
  const named = BY_KEY[key] ?? (typeof written === 'string' ? wordUnit(written) : undefined);
  if (named !== undefined) return { unit: named, by: 'source' };
  const middle = values.map(Math.abs).toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
  // Octopus itself gives pence, Home Assistant pounds.
  if (key === 'value_inc_vat') return { unit: middle <= GREATEST_OF_OCTOPUS ? 'kWh' : 'cent', by: 'guess' };
  return { unit: middle <= GREATEST_PER_KWH ? 'kWh' : 'MWh', by: 'guess' };
};

/** `ct/kWh`, `Eurocent/kWh`, `€ct/kWh`, `¢/kWh`, `Rp./kWh`; not `CHF/kWh`. */
const HUNDREDTHS = /¢|^\s*(?:(?:€|euro?)[\s-]*)?(?:ct|cents?|c|snt|rp|p|pence|öre|øre)(?!\p{L})/iu;

const wordUnit = (text: string): PriceUnit | undefined => {
  if (/mwh/iu.test(text)) return 'MWh';
  if (!/kwh/iu.test(text)) return undefined;
  return HUNDREDTHS.test(text) ? 'cent' : 'kWh';
};
