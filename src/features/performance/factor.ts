import { rounded } from './counters.ts';
import { type Amounts, type DayRow, isWhole } from './dayRow.ts';

/** Why a figure cannot be told (docs/performance.md). */
export type Why =
  /** The heating does not tell what it is made of, or not for all of the period. */
  | 'not_told'
  | 'too_little'
  /** Too many hours or days of the period are not known. */
  | 'incomplete'
  /** The amounts stood still. */
  | 'frozen'
  /** A heating rod ran, or may have, and its power is not told. */
  | 'no_rod'
  /** A burner made heat, which is not measured. */
  | 'burner'
  /** Outside 0.8 to 9. */
  | 'implausible'
  | 'no_price'
  /** Days of the period have no price. */
  | 'partly_priced';

/** A figure, or why it cannot be told. */
export type Told = { readonly value: number } | { readonly why: Why };

/** Less electricity makes too much of steps of 0.1 kWh. */
const LEAST_KWH = { day: 2, longer: 10 };
const [LEAST, GREATEST] = [0.8, 9];
/** So much of a period must be known. */
export const KNOWN_SHARE = 0.9;

type Use = 'heating' | 'dhw';
const USES: readonly Use[] = ['heating', 'dhw'];

/** The sum over all rows; undefined where one of them does not tell it. */
export const sumOfAll = (rows: readonly DayRow[], amount: (row: DayRow) => number | undefined): number | undefined => {
  let sum = 0;
  for (const row of rows) {
    const one = amount(row);
    if (one === undefined) return undefined;
    sum += one;
  }
  return rows.length > 0 ? sum : undefined;
};

/** Why the amounts of these days make no figure, where they make none. `days`: so many there should be. */
const whyNotKnown = (rows: readonly DayRow[], days: number): Why | undefined => {
  if (rows.at(-1)?.stale) return 'frozen';
  if (rows.filter(isWhole).length >= KNOWN_SHARE * days) return undefined;
  return rows.filter((row) => isWhole({ ...row, stale: false })).length >= KNOWN_SHARE * days ? 'frozen' : 'incomplete';
};

/** Heat and electricity, the rod with it, of one use or of both; undefined where not every row tells them. */
const amountsOf = (rows: readonly DayRow[], use: Use | 'total'): { readonly heat: number; readonly power: number } | undefined => {
  const sum = (of: (row: DayRow) => Amounts | undefined, one: Use | 'total') => sumOfAll(rows, (row) => of(row)?.[one]);
  const rod = (one: Use | 'total'): number => rows.reduce((all, row) => all + (row.rod?.[one] ?? 0), 0);
  const both = (one: Use | 'total') => {
    const [heat, power] = [sum((row) => row.heat, one), sum((row) => row.power, one)];
    return heat === undefined || power === undefined ? undefined : { heat, power: power + rod(one) };
  };
  if (use !== 'total') return both(use);
  // The total of electricity may hold a use of which no heat is told: where both tell the uses, these count.
  const uses = USES.filter((one) => rows.some((row) => row.heat?.[one] !== undefined || row.power?.[one] !== undefined));
  if (uses.length === 0) return both('total');
  const parts = uses.map(both);
  const [heat, power] = [sumOfParts(parts, 'heat'), sumOfParts(parts, 'power')];
  return heat === undefined || power === undefined || !isSplit(rows, uses) ? undefined : { heat, power };
};

const sumOfParts = (parts: readonly ({ readonly heat: number; readonly power: number } | undefined)[], of: 'heat' | 'power') =>
  parts.reduce<number | undefined>((all, part) => (all === undefined || part === undefined ? undefined : all + part[of]), 0);

/** A total above the sum of the uses that are told has a use that is not: its heat is not known. Cooling is no heat. */
const isSplit = (rows: readonly DayRow[], uses: readonly Use[]): boolean => {
  if (uses.length === USES.length) return true;
  const rest = rows.reduce(
    (all, { power }) => all + (power?.total ?? 0) - (power?.cooling ?? 0) - uses.reduce((sum, use) => sum + (power?.[use] ?? 0), 0),
    0,
  );
  return rest < 0.1 * rows.length;
};

/**
 * Heat per electricity, as the heating tells them, with the heating rod: of all days together. It is told where both cover the same whole
 * period, and where they are enough. `days`: so many the period has.
 */
export const factorOf = (rows: readonly DayRow[], days: number, use: Use | 'total' = 'total'): Told => {
  if (rows.some(({ gas }) => (gas?.total ?? 0) > 0)) return { why: 'burner' };
  const amounts = amountsOf(rows, use);
  if (!amounts) return { why: 'not_told' };
  const why = whyNotKnown(rows, days);
  if (why) return { why };
  if (rows.some(({ rodUntold }) => rodUntold)) return { why: 'no_rod' };
  if (amounts.power < (days === 1 ? LEAST_KWH.day : LEAST_KWH.longer)) return { why: 'too_little' };
  const value = amounts.heat / amounts.power;
  return value >= LEAST && value <= GREATEST ? { value: rounded(value, 2) } : { why: 'implausible' };
};
