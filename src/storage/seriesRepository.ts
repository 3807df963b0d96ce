import * as z from 'zod/mini';
import type { Point } from '../bridge/ports.ts';
import type { Database } from './database.ts';
import { rowsBeside } from './openDatabase.ts';
import type { RowChange } from './rowChange.ts';

/** One value per ten minutes, the last one. */
const SLOT_MS = 600_000;
const SLOTS_OF_A_DAY = 144;
/** More than the numbers of a large home. */
const MOST_SERIES = 300;

/** More than each change adds. Limits the loss while a clock is temporarily wrong. */
const MOST_REMOVED = 10;

const slotOf = (at: number): number => Math.floor(at / SLOT_MS);

const value = z.nullable(z.union([z.number(), z.string()]));
const pointRow = z.object({ at: z.number(), value });
const seriesRow = z.object({ id: z.number(), name: z.string(), slot: z.nullable(z.number()), value });

type SeriesPoint = Point & { readonly series: string };

/** The cached state of a series. */
type Series = { readonly id: number; readonly slot: number; readonly value: Point['value'] };

/**
 * Values over time. Stores only changes, one per series and ten minutes, for 300 series. A change removes the
 * expired values of its series, except the last value before the limit. Above the limit, the series with the
 * oldest change is removed.
 */
export const seriesRepository = (database: Database) => {
  let known: Map<string, Series> | undefined;
  /** Pending points, by series and slot. */
  const waiting = new Map<string, SeriesPoint>();
  let oldSlot = 0;

  /** Loaded on first use, because the start has more urgent work. */
  const all = (): Map<string, Series> => {
    known ??= new Map(
      database
        .rows(
          seriesRow,
          `SELECT id, name, points.slot, points.value FROM series LEFT JOIN points
           ON points.series = id AND points.slot = (SELECT max(slot) FROM points WHERE series = id)`,
        )
        .map(({ id, name, slot, value }) => [name, { id, slot: slot ?? 0, value }]),
    );
    return known;
  };

  const append = (points: readonly SeriesPoint[], before: number): void => {
    for (const point of points) waiting.set(`${point.series} ${slotOf(point.at)}`, point);
    oldSlot = slotOf(before);
  };

  /** The pending changes, and the removal of expired values. */
  const takeRows = (): readonly RowChange[] => {
    if (waiting.size === 0) return [];
    const series = all();
    const changes: RowChange[] = [];
    const changed = new Set<number>();
    for (const { series: name, at, value } of waiting.values()) {
      const slot = slotOf(at);
      const last = series.get(name);
      // A last value in the future dates from before a clock correction: ignore it.
      if (last ? last.value === value && last.slot <= slot : value === null) continue;
      const id = last?.id ?? Math.max(0, ...[...series.values()].map((one) => one.id)) + 1;
      if (!last && series.size >= MOST_SERIES) changes.push(...forget(series));
      if (!last) changes.push(rowOf(id, name));
      series.set(name, { id, slot, value });
      changes.push({
        // While the disk is full, one day of points is kept.
        row: `point of ${id} ${slot % SLOTS_OF_A_DAY}`,
        sql: 'INSERT OR REPLACE INTO points (series, slot, at, value) VALUES (?, ?, ?, ?)',
        values: [id, slot, at, value],
      });
      changed.add(id);
    }
    waiting.clear();
    return [...changes, ...[...changed].map(withoutOld)];
  };

  const read = (series: string, since: number): readonly Point[] => {
    database.flush();
    const id = all().get(series)?.id;
    if (id === undefined) return [];
    return database.rows(
      pointRow,
      'SELECT at, value FROM points WHERE series = ? AND slot >= ifnull((SELECT max(slot) FROM points WHERE series = ? AND at <= ?), 0) ORDER BY slot',
      id,
      id,
      since,
    );
  };

  /** Removes everything, if there is anything. */
  const clear = (): void => {
    if (all().size === 0) return;
    database.flush();
    known = new Map();
    database.write(['points', 'series'].map((table) => ({ row: table, sql: `DELETE FROM ${table}` })));
  };

  /** Removes the series with the oldest change. */
  const forget = (series: Map<string, Series>): readonly RowChange[] => {
    const [oldest] = [...series].toSorted(([, a], [, b]) => a.slot - b.slot);
    if (!oldest) return [];
    const [name, { id }] = oldest;
    series.delete(name);
    return [
      { row: `points of ${id}`, sql: 'DELETE FROM points WHERE series = ?', values: [id] },
      { row: `series ${id}`, sql: 'DELETE FROM series WHERE id = ?', values: [id] },
    ];
  };

  const withoutOld = (id: number): RowChange => ({
    row: `old points of ${id}`,
    sql: `DELETE FROM points WHERE series = ? AND slot IN (SELECT slot FROM points WHERE series = ?
      AND slot < (SELECT max(slot) FROM points WHERE series = ? AND slot <= ?) ORDER BY slot LIMIT ${MOST_REMOVED})`,
    values: [id, id, id, oldSlot],
  });
  database.waits(takeRows);
  // Points refer to their series by id.
  database.keepsKnown(() => [...(known ?? [])].map(([name, { id }]) => rowOf(id, name)));
  return { append, read, clear };
};

/**
 * The points of a series since an instant, and the value before it, from a running bridge's database; empty
 * without one. Throws like `rowsBeside`.
 */
export const pointsBeside = (dir: string, series: string, since: number): readonly Point[] => {
  const sql = `SELECT at, value FROM points WHERE series = (SELECT id FROM series WHERE name = ?) ORDER BY slot`;
  const points = rowsBeside(dir, sql, series).flatMap((row) => pointRow.safeParse(row).data ?? []);
  return points.filter((_, index) => (points[index + 1]?.at ?? Number.POSITIVE_INFINITY) > since);
};

const rowOf = (id: number, name: string): RowChange => ({
  row: `series ${id}`,
  sql: 'INSERT OR REPLACE INTO series (id, name) VALUES (?, ?)',
  values: [id, name],
});
