import * as z from 'zod/mini';
import type { DeviceStateStore, StateChange, StoredFeature, StoredRead } from '../bridge/ports.ts';
import type { Database } from './database.ts';
import { jsonColumn } from './jsonTable.ts';
import { deleteRow, putRow, type RowChange, takeRows } from './rowChange.ts';

type Absences = ReturnType<DeviceStateStore['absences']>;

const featureRow = z.object({ name: z.string(), record: z.nullable(jsonColumn), offered: z.nullable(jsonColumn) });
const readRow = z.object({ device: z.string(), name: z.string(), chosen: z.string(), at: z.number() });
const availabilityRow = z.object({ device: z.string(), state: z.enum(['online', 'offline']) });
const absencesRow = z.object({
  device: z.string(),
  features: z.pipe(jsonColumn, z.record(z.string(), z.object({ since_ms: z.number(), reads: z.number() }))),
});

/**
 * The last state of each device, written in bunches: after a kill what is on disk may be behind what the broker holds, so that no record, no
 * read and no absence is believed then. The next reads tell more.
 */
export class DeviceStateRepository implements DeviceStateStore {
  readonly #database: Database;
  readonly #reads: readonly z.infer<typeof readRow>[];
  readonly #availability: readonly z.infer<typeof availabilityRow>[];
  readonly #absences: readonly z.infer<typeof absencesRow>[];
  /** The last change of each row, by table and device, then by name. Its texts are made when it is written, as the next reads mostly change it before. */
  readonly #waiting = new Map<string, Map<string, StateChange>>();

  constructor(database: Database) {
    this.#database = database;
    database.waits(() => [...this.#waiting.values()].flatMap((rows) => takeRows(rows, rowOf)()));
    const isComplete = database.missing === 'nothing';
    this.#reads = isComplete ? database.rows(readRow, 'SELECT device, name, chosen, at FROM reads') : [];
    this.#availability = isComplete ? database.rows(availabilityRow, 'SELECT device, state FROM availability') : [];
    this.#absences = isComplete ? database.rows(absencesRow, 'SELECT device, features FROM absences') : [];
  }

  features(device: string): readonly StoredFeature[] {
    const rows = this.#database.rows(featureRow, 'SELECT name, record, offered FROM features WHERE device = ? ORDER BY rowid', device);
    const isComplete = this.#database.missing === 'nothing';
    return rows.map(({ name, record, offered }) => {
      const shape = offered ?? (isComplete ? undefined : record);
      return { name, ...(record && isComplete ? { record } : {}), ...(shape ? { offered: shape } : {}) };
    });
  }

  reads(device: string): readonly StoredRead[] {
    return this.#reads.filter((read) => read.device === device).map(storedRead);
  }

  availability(device: string): 'online' | 'offline' | undefined {
    return this.#availability.find((row) => row.device === device)?.state;
  }

  absences(device: string): Absences {
    return this.#absences.find((row) => row.device === device)?.features ?? {};
  }

  write(changes: readonly StateChange[]): void {
    for (const change of changes) {
      const table = `${change.kind === 'gone' ? 'feature' : change.kind} ${change.device}`;
      const rows = this.#waiting.get(table) ?? new Map<string, StateChange>();
      this.#waiting.set(table, rows.set(('name' in change && change.name) || '', change));
    }
  }
}

const rowOf = (change: StateChange): RowChange => {
  const { device } = change;
  switch (change.kind) {
    case 'read':
      return putRow('reads', { device, name: change.name ?? '' }, { chosen: change.chosen ?? '', at: change.at });
    case 'feature': {
      const offered = change.offered ? JSON.stringify(change.offered) : null;
      return putRow('features', { device, name: change.name }, { record: JSON.stringify(change.record), offered });
    }
    case 'gone':
      return deleteRow('features', { device, name: change.name });
    case 'availability':
      return putRow('availability', { device }, { state: change.state });
    case 'absent':
      return putRow('absences', { device }, { features: JSON.stringify(change.features) });
    default:
      return change satisfies never;
  }
};

const storedRead = ({ name, chosen, at }: z.infer<typeof readRow>): StoredRead => (name === '' ? { chosen, at } : { name, at });
