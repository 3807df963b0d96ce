/** An amount by what it was used for. What the heating does not tell is left out. kWh; gas in m³ where the heating tells it so. */
export type Amounts = {
  readonly heating?: number | undefined;
  readonly dhw?: number | undefined;
  readonly cooling?: number | undefined;
  /** What the heating tells as the total; where it tells none, the sum of what is there. */
  readonly total?: number | undefined;
};

/** What a device did in one day of its house. Rows are kept for ever. A member that cannot be told for this day is left out. */
export type DayRow = {
  /** `2026-11-27`, in the zone of the house. */
  readonly day: string;
  readonly heat?: Amounts | undefined;
  /** Without the heating rod, as the heating tells it. */
  readonly power?: Amounts | undefined;
  readonly rod?: Amounts | undefined;
  /** A heating rod exists, ran or may have run in the day, and its power is not told. */
  readonly rodUntold?: boolean | undefined;
  readonly gas?: Amounts | undefined;
  readonly gasUnit?: 'm3' | 'kWh' | undefined;
  /** The total of gas in kWh: as the heating tells it, or by the two factors of the settings of that day. */
  readonly gasKwh?: number | undefined;
  /**
   * Of all compressors, or of all burners where there is no compressor: which of them `by` says. Left out where one has more than a day can have,
   * as after counters that stood still.
   */
  readonly starts?: number | undefined;
  readonly hours?: number | undefined;
  readonly by?: 'compressors' | 'burners' | undefined;
  /** The mean outside temperature in °C, where at least 20 hours of the day are known. */
  readonly outside?: number | undefined;
  /** Hours of the day in which reads worked, 0 to 25. */
  readonly covered: number;
  /** Amounts stood in the day, by a rule of frozen data other than that of two counters of which one stands. */
  readonly stale?: boolean | undefined;
  /** Of the settings of that day, for what has a price there: money per kWh and per unit of gas, g CO₂ per kWh and per unit of gas. */
  readonly cost?: number | undefined;
  readonly co2?: number | undefined;
};

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
