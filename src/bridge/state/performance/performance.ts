import { dayAfter, daysFrom } from '../../../features/performance/calendar.ts';
import { readingOf, tellsPerformance } from '../../../features/performance/counters.ts';
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
 * After a longer time without a read, and where the clock was set back by more than a day, the days between are not made, as the clock is or was
 * wrong: what is open goes on as today.
 */
const LONGEST_PAUSE_DAYS = 366;

/** What is known of how a device ran. */
export type DevicePerformance = { readonly rows: readonly DayRow[]; readonly open?: DayRow };

/**
 * The days of each device: rows for ever, and the day that is open. A read that works adds to the open day, which waits in memory; it ends with
 * the first read after the midnight of the house, and is written then. Rows are kept by the key of the device, also of one that is gone.
 */
export const performanceOf = (
  prices: Prices,
  store: PerformanceStore,
  totals: Pick<RunningTotals, 'of'>,
  zoneOf: (device: Device) => string,
  frozen: Pick<FrozenStore, 'of'>,
  clock: Pick<Clock, 'now'>,
) => {
  /** By the key of the device; read at the first use, as a start has more urgent things to do. */
  let open: Map<string, NamedDay> | undefined;

  /**
   * A read of the device has worked, and is in its state. True where days that have ended are new or others than before. That amounts stand is
   * known hours after they began to: the days since then are marked too.
   */
  const readWorked = (state: DeviceState): boolean => {
    const { device, features } = state;
    const key = deviceKey(device);
    const before = days().get(key);
    if (!before && !tellsPerformance(features.keys())) return false;
    const reading = readingOf(
      [...features.values()].map(({ truth }) => truth),
      (feature) => totals.of(key, feature),
    );
    const at = clock.now();
    const zone = zoneOf(device);
    const today = dateAt(at, zone);
    const isContinued = before && at >= before.at - DAY_MS && daysFrom(before.day, today) <= LONGEST_PAUSE_DAYS;
    const known = before && !isContinued ? { ...before, day: today, at } : before;
    const since = staleSince(key);
    const taken = takeReading(known, reading, at, today, known ? midnights(known.day, today, zone) : [], since !== undefined);
    const open: NamedDay = { ...taken.open, name: device.name };
    days().set(key, open);
    const staleFrom = since === undefined ? undefined : dateAt(since, zone);
    const marked = (row: DayRow): DayRow => (staleFrom !== undefined && row.day >= staleFrom ? { ...row, stale: true } : row);
    const begins = staleFrom !== undefined && !before?.stale;
    const rows = [
      ...(begins ? rowsOf(key, staleFrom).filter(({ stale }) => !stale) : []),
      ...taken.ended.map((day) => withKept(key, rowOf(day, prices))),
    ].map(marked);
    store.write(
      new Map<string, object>([...rows.map((row) => [dayKey(key, row.day), row] as const), [openKey(key), open]]),
      rows.length === 0 && before !== undefined,
    );
    return rows.length > 0;
  };

  /** The days of a device that have ended, oldest first; `from`: a date. Those of a clock that was ahead have not. */
  const rowsOf = (device: string, from?: string): readonly DayRow[] => {
    const last = lastDay(device);
    return kept(device, from).filter(({ day }) => last === undefined || day <= last);
  };

  /** The last day of a device that has ended. */
  const lastDay = (device: string): string | undefined => {
    const open = days().get(device);
    return open && dayAfter(open.day, -1);
  };

  /** All that is known of the device with this name now, or last: of several, as after a new gateway, the one that was read last. */
  const named = (name: string): DevicePerformance => {
    const [[key, open] = []] = [...days()].filter(([, day]) => day.name === name).sort(([, a], [, b]) => b.at - a.at);
    return key === undefined || !open ? { rows: [] } : { rows: rowsOf(key), open: rowOf(open, prices) };
  };

  /** Of one of two counters that stands, the other one counts. */
  const staleSince = (device: string): number | undefined => {
    const stale = frozen.of(device);
    return stale?.rule === 'tellers' ? undefined : stale?.since;
  };

  const kept = (device: string, from?: string): readonly DayRow[] =>
    rowsFrom(store.read(dayPrefix(device), from === undefined ? undefined : dayKey(device, from)).values());

  /** A day can have ended before, by another clock: the row that knows more of it stays. */
  const withKept = (device: string, row: DayRow): DayRow => {
    const [before] = kept(device, row.day);
    return before?.day === row.day && before.covered > row.covered ? before : row;
  };

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
