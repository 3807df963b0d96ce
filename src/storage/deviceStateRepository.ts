import * as z from 'zod/mini';
import type { DeviceStateStore, StateChange, StoredFeature, StoredRead } from '../bridge/ports.ts';
import type { Database, RowChange } from './database.ts';
import { jsonColumn } from './jsonTable.ts';

type Absences = ReturnType<DeviceStateStore['absences']>;

const featureRow = z.object({ name: z.string(), record: z.nullable(jsonColumn), offered: z.nullable(jsonColumn) });
const readRow = z.object({ device: z.string(), name: z.string(), chosen: z.string(), at: z.number() });
const availabilityRow = z.object({ device: z.string(), state: z.enum(['online', 'offline']) });
const absencesRow = z.object({
  device: z.string(),
  features: z.pipe(jsonColumn, z.record(z.string(), z.object({ since_ms: z.number(), reads: z.number() }))),
});

const PUT_FEATURE =
  'INSERT INTO features (device, name, record, offered) VALUES (?, ?, ?, ?) ' +
  'ON CONFLICT DO UPDATE SET record = excluded.record, offered = excluded.offered ' +
  'WHERE record IS NOT excluded.record OR offered IS NOT excluded.offered';

const PUT_AVAILABILITY =
  'INSERT INTO availability (device, state) VALUES (?, ?) ' +
  'ON CONFLICT DO UPDATE SET state = excluded.state WHERE state IS NOT excluded.state';
const PUT_ABSENCES =
  'INSERT INTO absences (device, features) VALUES (?, ?) ' +
  'ON CONFLICT DO UPDATE SET features = excluded.features WHERE features IS NOT excluded.features';

/**
 * The last state of each device. A record is written before it is published, so that what is on disk is never behind what the broker
 * holds; one that did not change costs no write. Where the last changes may be missing, no record and no read is believed.
 */
export class DeviceStateRepository implements DeviceStateStore {
  readonly #database: Database;
  readonly #reads: ReadonlyMap<string, readonly StoredRead[]>;
  readonly #availability: ReadonlyMap<string, 'online' | 'offline'>;
  readonly #absences: ReadonlyMap<string, Absences>;

  constructor(database: Database) {
    this.#database = database;
    const isBelieved = !database.mayLackChanges;
    const reads = isBelieved ? database.rows(readRow, 'SELECT device, name, chosen, at FROM reads') : [];
    const byDevice = Map.groupBy(reads, ({ device }) => device);
    this.#reads = new Map([...byDevice].map(([device, rows]) => [device, rows.map(storedRead)]));
    const availability = isBelieved ? database.rows(availabilityRow, 'SELECT device, state FROM availability') : [];
    this.#availability = new Map(availability.map(({ device, state }) => [device, state]));
    const absences = database.rows(absencesRow, 'SELECT device, features FROM absences');
    this.#absences = new Map(absences.map(({ device, features }) => [device, features]));
  }

  features(device: string): readonly StoredFeature[] {
    const rows = this.#database.rows(featureRow, 'SELECT name, record, offered FROM features WHERE device = ? ORDER BY rowid', device);
    const isBelieved = !this.#database.mayLackChanges;
    return rows.map(({ name, record, offered }) => {
      const shape = offered ?? (isBelieved ? undefined : record);
      return { name, ...(record && isBelieved ? { record } : {}), ...(shape ? { offered: shape } : {}) };
    });
  }

  reads(device: string): readonly StoredRead[] {
    return this.#reads.get(device) ?? [];
  }

  availability(device: string): 'online' | 'offline' | undefined {
    return this.#availability.get(device);
  }

  absences(device: string): Absences {
    return this.#absences.get(device) ?? {};
  }

  write(changes: readonly StateChange[]): void {
    this.#database.write(changes.map(rowChange));
  }
}

const storedRead = ({ name, chosen, at }: z.infer<typeof readRow>): StoredRead => (name === '' ? { chosen, at } : { name, at });

const rowChange = (change: StateChange): RowChange => {
  const { device } = change;
  switch (change.kind) {
    case 'read': {
      const { name = '', chosen = '', at } = change;
      const sql = 'INSERT OR REPLACE INTO reads (device, name, chosen, at) VALUES (?, ?, ?, ?)';
      return { row: `read ${device} ${name}`, sql, values: [device, name, chosen, at] };
    }
    case 'feature': {
      const { name, record, offered } = change;
      const values = [device, name, JSON.stringify(record), offered ? JSON.stringify(offered) : null];
      return { row: `feature ${device} ${name}`, sql: PUT_FEATURE, values };
    }
    case 'gone': {
      const { name } = change;
      return { row: `feature ${device} ${name}`, sql: 'DELETE FROM features WHERE device = ? AND name = ?', values: [device, name] };
    }
    case 'availability': {
      return { row: `availability ${device}`, sql: PUT_AVAILABILITY, values: [device, change.state] };
    }
    case 'absent': {
      return { row: `absences ${device}`, sql: PUT_ABSENCES, values: [device, JSON.stringify(change.features)] };
    }
    default:
      return change satisfies never;
  }
};
