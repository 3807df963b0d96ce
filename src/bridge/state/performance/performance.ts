import { dayAfter, daysFrom } from '../../../features/performance/calendar.ts';
import { hasPerformanceData, readingOf } from '../../../features/performance/counters.ts';
import type { DayRow, Prices } from '../../../features/performance/dayRow.ts';
import { type DayBegin, rowOf, takeReading } from '../../../features/performance/openDay.ts';
import { dateAt, midnightOf } from '../../../schedule/zone.ts';
import { type Clock, DAY_MS } from '../../../shared/clock.ts';
import type { PerformanceStore } from '../../ports.ts';
import { type Device, type DeviceState, deviceKey } from '../deviceState.ts';
import type { FrozenStore } from '../frozen/frozenStore.ts';
import type { RunningTotals } from '../runningTotals.ts';
import { dayKey, dayPrefix, type NamedDay, OPEN_PREFIX, openDaysFrom, openKey, rowsFrom } from './storedRows.ts';

/**
 * After a longer pause counting begins anew: the days between get no rows, and what was used then is in no day.
 * Where the clock was set back by more than a day, or returns from there, it was wrong: the open day continues
 * as today.
 */
const LONGEST_PAUSE_DAYS = 366;

/** How a device ran, day by day. */
export type DevicePerformance = { readonly rows: readonly DayRow[]; readonly open?: DayRow };

/**
 * The days of each device: rows, kept forever, and the open day in memory. A read that works adds to the open
 * day. The first read after local midnight closes it and writes its row. Rows are kept by device key, also
 * for devices that are gone.
 */
export const performanceOf = (
  prices: Prices,
  store: PerformanceStore,
  totals: Pick<RunningTotals, 'of'>,
  zoneOf: (device: Device) => string,
  frozen: Pick<FrozenStore, 'of'>,
  clock: Pick<Clock, 'now'>,
) => {
  /** By device key; loaded at the first use, so that the start is not delayed. */
  let open: Map<string, NamedDay> | undefined;

  /**
   * Takes a read that worked. True where ended days are new or changed. Frozen amounts are detected hours
   * later, so the days since they froze are marked too.
   */
  const readWorked = (state: DeviceState): boolean => {
    const { device, features } = state;
    const key = deviceKey(device);
    const before = days().get(key);
    if (!before && !hasPerformanceData(features.keys())) return false;
    const reading = readingOf(
      [...features.values()].map(({ truth }) => truth),
      (feature) => totals.of(key, feature),
    );
    const at = clock.now();
    const zone = zoneOf(device);
    const today = dateAt(at, zone);
    const isClockSet = before && (at < before.at - DAY_MS || hasDaysBetween(key, before.day, today));
    const continued = isClockSet ? { ...before, day: today, at } : before;
    const hasPaused = continued && daysFrom(continued.day, today) > LONGEST_PAUSE_DAYS;
    const known = hasPaused ? undefined : continued;
    const since = staleSince(key);
    const taken = takeReading(known, reading, at, today, known ? midnights(known.day, today, zone) : [], since !== undefined);
    const open: NamedDay = { ...taken.open, name: device.name };
    days().set(key, open);
    const staleFrom = since === undefined ? undefined : dateAt(since, zone);
    const marked = (row: DayRow): DayRow => (staleFrom !== undefined && row.day >= staleFrom ? { ...row, stale: true } : row);
    const begins = staleFrom !== undefined && !before?.stale;
    const rows = [
      ...(begins ? rowsOf(key, staleFrom).filter(({ stale }) => !stale) : []),
      ...[...(hasPaused ? [continued] : []), ...taken.ended].map((day) => withKept(key, rowOf(day, prices))),
    ].map(marked);
    store.write(
      new Map<string, object>([...rows.map((row) => [dayKey(key, row.day), row] as const), [openKey(key), open]]),
      rows.length === 0 && before !== undefined,
    );
    return rows.length > 0;
  };

  /**
   * The ended days of a device, oldest first; `from`: a date. Days of a clock that ran ahead are left out.
   */
  const rowsOf = (device: string, from?: string): readonly DayRow[] => {
    const last = lastDay(device);
    return kept(device, from).filter(({ day }) => last === undefined || day <= last);
  };

  /** The last ended day of a device. */
  const lastDay = (device: string): string | undefined => {
    const open = days().get(device);
    return open && dayAfter(open.day, -1);
  };

  /** The days of the device with this name; of several (after a new gateway) the one that was read last. */
  const named = (name: string): DevicePerformance => {
    const [[key, open] = []] = [...days()].filter(([, day]) => day.name === name).sort(([, a], [, b]) => b.at - a.at);
    return key === undefined || !open ? { rows: [] } : { rows: rowsOf(key), open: rowOf(open, prices) };
  };

  /** Undefined where only one of two counters is frozen: the other one counts. */
  const staleSince = (device: string): number | undefined => {
    const stale = frozen.of(device);
    return stale?.rule === 'tellers' ? undefined : stale?.since;
  };

  const kept = (device: string, from?: string): readonly DayRow[] =>
    rowsFrom(store.read(dayPrefix(device), from === undefined ? undefined : dayKey(device, from)).values());

  /** A wrong clock may have ended the day before: the row that covers more of the day stays. */
  const withKept = (device: string, row: DayRow): DayRow => {
    const [before] = kept(device, row.day);
    return before?.day === row.day && before.covered > row.covered ? before : row;
  };

  /** True if days after the open one were read: the clock had been set back. One that ran ahead leaves unread days. */
  const hasDaysBetween = (device: string, open: string, today: string): boolean =>
    daysFrom(open, today) > 2 && kept(device, dayAfter(open)).some(({ day, covered }) => day < today && covered > 0);

  const days = (): Map<string, NamedDay> => {
    open ??= new Map(openDaysFrom(store.read(OPEN_PREFIX)));
    return open;
  };

  return { prices, readWorked, rows: rowsOf, lastDay, named };
};

export type Performance = ReturnType<typeof performanceOf>;

/** The days after `open` up to `today`, each with its midnight in the zone. */
const midnights = (open: string, today: string, zone: string): readonly DayBegin[] =>
  Array.from({ length: Math.max(0, daysFrom(open, today) - 1) }, (_, index) => {
    const day = dayAfter(open, index + 1);
    return { day, at: midnightOf(day, zone) };
  });
