import * as z from 'zod/mini';
import type { Point, SeriesStore } from '../bridge/ports.ts';
import type { Database } from './database.ts';
import { rowsBeside } from './openDatabase.ts';
import { type RowChange, takeRows } from './rowChange.ts';

/** One value is kept for each ten minutes, the last one in them. */
const SLOT_MS = 600_000;
const SLOTS_OF_A_DAY = 144;
/** More than the numbers of a large home. */
const MOST_SERIES = 300;

/** With each change more goes than comes; a clock that is wrong for a while takes little with it. */
const MOST_REMOVED = 10;

const slotOf = (at: number): number => Math.floor(at / SLOT_MS);

const value = z.nullable(z.union([z.number(), z.string()]));
const pointRow = z.object({ at: z.number(), value });
const seriesRow = z.object({ id: z.number(), name: z.string(), slot: z.nullable(z.number()), value });

type SeriesPoint = Point & { readonly series: string };

/** What is known of a series without asking the database. */
type Series = { readonly id: number; readonly slot: number; readonly value: Point['value'] };

/**
 * Values over time. Only changes are kept, one for each series in ten minutes, of 300 series. Of a series that changes what is too old is
 * removed, but for the value that held since then. Where there are too many series, the one that has not changed for the longest time goes.
 */
export class SeriesRepository implements SeriesStore {
  readonly #database: Database;
  #known: Map<string, Series> | undefined;
  /** Points that wait, by series and slot of a day: while the disk is full, those of a day. */
  readonly #waiting = new Map<number, SeriesPoint>();
  /** Ids of series with points that wait: their old points go with the next write. */
  readonly #changed = new Set<number>();
  #oldSlot = 0;

  constructor(database: Database) {
    this.#database = database;
    const withoutOld = (id: number): RowChange => ({
      row: `old points of ${id}`,
      sql: `DELETE FROM points WHERE series = ? AND slot IN (SELECT slot FROM points WHERE series = ?
        AND slot < (SELECT max(slot) FROM points WHERE series = ? AND slot <= ?) ORDER BY slot LIMIT ${MOST_REMOVED})`,
      values: [id, id, id, this.#oldSlot],
    });
    database.waits(takeRows(this.#waiting, (point) => this.#row(point)));
    database.waits(takeRows(this.#changed, withoutOld));
    // Points name their series by its id.
    database.keepsKnown(() => [...(this.#known ?? [])].map(([name, { id }]) => rowOf(id, name)));
  }

  append(points: readonly SeriesPoint[], before: number): void {
    const known = this.#series();
    const changes: RowChange[] = [];
    for (const point of points) {
      const { series: name, at, value } = point;
      const last = known.get(name);
      // A last value of the future is from before a clock was set right: it says nothing of now.
      if (last ? last.value === value && last.slot <= slotOf(at) : value === null) continue;
      const id = last?.id ?? Math.max(0, ...[...known.values()].map((one) => one.id)) + 1;
      if (!last) {
        if (known.size >= MOST_SERIES) changes.push(...this.#forget(known));
        changes.push(rowOf(id, name));
      }
      const slot = slotOf(at);
      known.set(name, { id, slot, value });
      this.#waiting.set(id * SLOTS_OF_A_DAY + (slot % SLOTS_OF_A_DAY), point);
      this.#changed.add(id);
    }
    this.#oldSlot = slotOf(before);
    if (changes.length > 0) this.#database.write(changes, 'waiting');
  }

  read(series: string, since: number): readonly Point[] {
    const id = this.#series().get(series)?.id;
    if (id === undefined) return [];
    this.#database.flush();
    return this.#database.rows(
      pointRow,
      'SELECT at, value FROM points WHERE series = ? AND slot >= ifnull((SELECT max(slot) FROM points WHERE series = ? AND at <= ?), 0) ORDER BY slot',
      id,
      id,
      since,
    );
  }

  /** Removes everything, where there is something. */
  clear(): void {
    if (this.#series().size === 0) return;
    this.#known = new Map();
    this.#database.flush();
    this.#database.write(['points', 'series'].map((table) => ({ row: table, sql: `DELETE FROM ${table}` })));
  }

  /** Takes out the series that has not changed for the longest time. */
  #forget(known: Map<string, Series>): readonly RowChange[] {
    const [oldest] = [...known].toSorted(([, a], [, b]) => a.slot - b.slot);
    if (!oldest) return [];
    const [name, { id }] = oldest;
    known.delete(name);
    for (const [key, { series }] of this.#waiting) if (series === name) this.#waiting.delete(key);
    return [
      { row: `points of ${id}`, sql: 'DELETE FROM points WHERE series = ?', values: [id] },
      { row: `series ${id}`, sql: 'DELETE FROM series WHERE id = ?', values: [id] },
    ];
  }

  #row({ series, at, value }: SeriesPoint): RowChange {
    const id = this.#series().get(series)?.id ?? 0;
    const slot = slotOf(at);
    return {
      row: `point of ${id} ${slot % SLOTS_OF_A_DAY}`,
      sql: 'INSERT OR REPLACE INTO points (series, slot, at, value) VALUES (?, ?, ?, ?)',
      values: [id, slot, at, value],
    };
  }

  /** Read at the first use, as a start has more urgent things to do. */
  #series(): Map<string, Series> {
    this.#known ??= new Map(
      this.#database
        .rows(
          seriesRow,
          `SELECT id, name, points.slot, points.value FROM series LEFT JOIN points
           ON points.series = id AND points.slot = (SELECT max(slot) FROM points WHERE series = id)`,
        )
        .map(({ id, name, slot, value }) => [name, { id, slot: slot ?? 0, value }]),
    );
    return this.#known;
  }
}

/**
 * The points of a series since then, and the value that held before them, as a running bridge has written them; without a database none. Throws
 * SQLite's error where it cannot be read.
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
