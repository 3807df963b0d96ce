import type * as z from 'zod/mini';
import type { DAY_ROW } from './storedDay.ts';

/** An amount by use. */
export type Amounts = NonNullable<DayRow['heat']>;

/** The data of a device for one local day. */
export type DayRow = Readonly<z.infer<typeof DAY_ROW>>;

/** The minimum known hours of a complete day. */
export const WHOLE_DAY_HOURS = 20;

/** True if enough of the day is known. */
export const isWhole = ({ covered }: DayRow): boolean => covered >= WHOLE_DAY_HOURS;

/** Prices and factors in the settings, with the same names (`energy`, `gas`). No defaults. */
export type Prices = {
  /** Money per kWh of electricity. */
  readonly price?: number | undefined;
  /** Money per kWh of gas if known, else per m³. */
  readonly gas_price?: number | undefined;
  /** g CO₂ per kWh of electricity. */
  readonly co2?: number | undefined;
  /** g CO₂ per kWh of gas if known, else per m³. */
  readonly gas_co2?: number | undefined;
  /** kWh per m³ of gas; `state_number` multiplies the m³ first. */
  readonly calorific_value?: number | undefined;
  readonly state_number?: number | undefined;
};

/** A day with a clock change. */
export const LONGEST_DAY_HOURS = 25;
