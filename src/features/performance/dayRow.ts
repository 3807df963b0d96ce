import type * as z from 'zod/mini';
import type { DAY_ROW } from './storedDay.ts';

/** An amount by what it was used for. */
export type Amounts = NonNullable<DayRow['heat']>;

/** What a device did in one day of its house. */
export type DayRow = Readonly<z.infer<typeof DAY_ROW>>;

/** So many hours of a day must be known. */
export const WHOLE_DAY_HOURS = 20;

/** True where enough of the day is known. */
export const isWhole = ({ covered }: DayRow): boolean => covered >= WHOLE_DAY_HOURS;

/** Prices and factors of the settings, named as there (`energy`, `gas`); none is there by default. */
export type Prices = {
  /** Money per kWh of electricity. */
  readonly price?: number | undefined;
  /** Money per kWh of gas where that is known, else per m³. */
  readonly gas_price?: number | undefined;
  /** g CO₂ per kWh of electricity. */
  readonly co2?: number | undefined;
  /** g CO₂ per kWh of gas where that is known, else per m³. */
  readonly gas_co2?: number | undefined;
  /** kWh per m³ of gas, and by what the m³ are multiplied before. */
  readonly calorific_value?: number | undefined;
  readonly state_number?: number | undefined;
};

/** With the change of the clock. */
export const LONGEST_DAY_HOURS = 25;
