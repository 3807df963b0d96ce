import * as z from 'zod/mini';
import type { DayRow } from '../../../features/performance/dayRow.ts';
import { OPEN_DAY } from '../../../features/performance/openDay.ts';
import { DAY_ROW } from '../../../features/performance/storedDay.ts';
import { keyedRows } from '../keptValues.ts';

/** The open day of a device, with the name of the device. */
const OPEN = z.extend(OPEN_DAY, { name: z.string() });
export type NamedDay = Readonly<z.infer<typeof OPEN>>;

/** Keys of rows: `open <device>`, `day <device> <date>`; a device is named by its key. */
export const OPEN_PREFIX = 'open ';
export const openKey = (device: string): string => `${OPEN_PREFIX}${device}`;
export const dayPrefix = (device: string): string => `day ${device} `;
export const dayKey = (device: string, day: string): string => `${dayPrefix(device)}${day}`;

/** The valid rows, oldest first. */
export const rowsFrom = (values: Iterable<unknown>): readonly DayRow[] =>
  [...values].flatMap((value) => DAY_ROW.safeParse(value).data ?? []);

/** The open days by the key of their device. */
export const openDaysFrom = (rows: ReadonlyMap<string, unknown>): ReadonlyMap<string, NamedDay> => keyedRows(rows, OPEN, OPEN_PREFIX);

/** The part of an open day that is read even where the whole row is invalid. */
const NAMED = z.object({ name: z.string(), at: z.catch(z.number(), 0), day: z.catch(z.optional(z.string()), undefined) });

/** The key of a device and a date. */
const DAY_KEY = /^day (\S+) \S+$/u;

/**
 * Devices with days: name and last read (epoch milliseconds) of their open day, and the days before it: later
 * ones are of a clock that ran ahead. `all`: the stored rows.
 */
export const devicesFrom = (all: ReadonlyMap<string, unknown>) => {
  const days = [...all].filter(([key]) => DAY_KEY.test(key)).sort(([a], [b]) => (a < b ? -1 : 1));
  return [...Map.groupBy(days, ([key]) => DAY_KEY.exec(key)?.[1] ?? '')].map(([key, own]) => {
    const { day: open, ...named } = { at: 0, ...NAMED.safeParse(all.get(openKey(key))).data };
    const rows = rowsFrom(own.map(([, value]) => value));
    return { key, ...named, rows: rows.filter(({ day }) => open === undefined || day < open) };
  });
};
