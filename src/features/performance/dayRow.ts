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
  readonly gas?: Amounts | undefined;
  /** Of all compressors, or of all burners. */
  readonly starts?: number | undefined;
  readonly hours?: number | undefined;
  /** The mean outside temperature in °C, where at least 20 hours of the day are known. */
  readonly outside?: number | undefined;
  /** Hours of the day in which reads worked, 0 to 25. */
  readonly covered: number;
  /** A rule of frozen data said during the day that amounts stand. */
  readonly stale?: boolean | undefined;
  /** Of the settings of that day: money per kWh and per unit of gas, g CO₂ per kWh and per unit of gas. */
  readonly cost?: number | undefined;
  readonly co2?: number | undefined;
};
