import { rounded } from './counters.ts';
import { type Amounts, type DayRow, isWhole } from './dayRow.ts';

/** Why a figure is unknown (docs/performance.md). */
export type Why =
  /** The heating does not report the inputs, or not for the complete period. */
  | 'not_told'
  | 'too_little'
  /** Too many hours or days of the period are unknown. */
  | 'incomplete'
  /** The amounts did not change (frozen data). */
  | 'frozen'
  /** A heating rod ran, or may have run, and its power is not reported. */
  | 'no_rod'
  /** A burner produced heat, which is not measured. */
  | 'burner'
  /** Outside 0.8 to 9. */
  | 'implausible'
  /** Amounts in several units, for example if the gas factors were set during the period. */
  | 'mixed_units'
  | 'no_price'
  /** Some days of the period have no price. */
  | 'partly_priced';

/** A figure, or why it is unknown. */
export type Told = { readonly value: number } | { readonly why: Why };

/** With less electricity, the steps of 0.1 kWh distort the result. */
const LEAST_KWH = { day: 2, longer: 10 };
const [LEAST, GREATEST] = [0.8, 9];
/** The minimum known share of a period. */
export const KNOWN_SHARE = 0.9;

type Use = 'heating' | 'dhw';
const USES: readonly Use[] = ['heating', 'dhw'];

/** The sum over the rows with a value; undefined if fewer than `share` of them have one. */
export const sumOf = (
  rows: readonly DayRow[],
  amount: (row: DayRow) => number | undefined,
  share: number = KNOWN_SHARE,
): number | undefined => {
  const told = rows.flatMap((row) => amount(row) ?? []);
  return told.length > 0 && told.length >= share * rows.length ? told.reduce((a, b) => a + b, 0) : undefined;
};

/** Why the amounts of these days allow no figure; undefined if they do. `days`: the expected number. */
const whyNotKnown = (rows: readonly DayRow[], days: number): Why | undefined => {
  if (rows.at(-1)?.stale) return 'frozen';
  const whole = rows.filter(isWhole);
  if (whole.length < KNOWN_SHARE * days) return 'incomplete';
  return whole.filter(({ stale }) => !stale).length < KNOWN_SHARE * days ? 'frozen' : undefined;
};

type HeatAndPower = { readonly heat: number; readonly power: number };

/** The tolerance between a total and its uses: amounts come in steps of 0.1 kWh. */
const STEPS_KWH = 0.25;

const restOf = ({ heating = 0, dhw = 0, cooling = 0, total = 0 }: Amounts): number => total - heating - dhw - cooling;

/** The electricity of the rod for one use; undefined if a part of it has no use. */
const rodOf = ({ rod }: DayRow, use: Use): number | undefined => (rod && restOf(rod) > STEPS_KWH ? undefined : (rod?.[use] ?? 0));

const ofUse = (row: DayRow, use: Use): HeatAndPower | undefined => {
  const [heat, power, rod] = [row.heat?.[use], row.power?.[use], rodOf(row, use)];
  return heat === undefined || power === undefined || rod === undefined ? undefined : { heat, power: power + rod };
};

/** Heat and electricity of a day with the rod; undefined if the uses differ. Cooling is not heat. */
const ofDay = (row: DayRow, use: Use | 'total'): HeatAndPower | undefined => {
  if (use !== 'total') return ofUse(row, use);
  const { heat, power, rod } = row;
  const uses = USES.filter((one) => heat?.[one] !== undefined || power?.[one] !== undefined);
  if (heat?.total === undefined || power?.total === undefined) return undefined;
  if (uses.length === 0) return { heat: heat.total, power: power.total + (rod?.total ?? 0) };
  const hasBoth = uses.every((one) => heat[one] !== undefined && power[one] !== undefined);
  // The rest of the power has no reported heat.
  if (!hasBoth || (uses.length < USES.length && restOf(power) > STEPS_KWH)) return undefined;
  const sum = (of: Amounts): number => uses.reduce((all, one) => all + (of[one] ?? 0), 0);
  return { heat: sum(heat), power: sum(power) + (rod?.total ?? 0) };
};

/**
 * Heat per electricity, as reported, with the heating rod: over all days that report both. Needs nine of ten
 * days and enough energy. `days`: the days of the period.
 */
export const factorOf = (rows: readonly DayRow[], days: number, use: Use | 'total' = 'total'): Told => {
  if (rows.some(({ gas }) => (gas?.total ?? 0) > 0)) return { why: 'burner' };
  const told = rows.flatMap((row) => ofDay(row, use) ?? []);
  if (told.length === 0 || told.length < KNOWN_SHARE * rows.length) return { why: 'not_told' };
  const why = whyNotKnown(rows, days);
  if (why) return { why };
  if (rows.some(({ rodUntold }) => rodUntold)) return { why: 'no_rod' };
  const [heat, power] = told.reduce(([heats, powers], one) => [heats + one.heat, powers + one.power], [0, 0]);
  if (power < (days === 1 ? LEAST_KWH.day : LEAST_KWH.longer)) return { why: 'too_little' };
  const value = heat / power;
  return value >= LEAST && value <= GREATEST ? { value: rounded(value, 2) } : { why: 'implausible' };
};
