import * as z from 'zod/mini';
import type { DeviceStateStore, StateChange, StoredRead } from '../bridge/ports.ts';
import { recordOf } from '../features/parseFeature.ts';
import type { Database } from './database.ts';
import { jsonColumn } from './jsonTable.ts';
import { deleteRow, putRow, type RowChange } from './rowChange.ts';

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
export const deviceStateRepository = (database: Database): DeviceStateStore => {
  /** The last change of each row, by table and device, then by name. Its texts are made when it is written, as the next reads mostly change it before. */
  const waiting = new Map<string, Map<string, StateChange>>();
  database.waits(() => {
    const changes = [...waiting.values()].flatMap((rows) => [...rows.values()]);
    waiting.clear();
    return changes.map(rowOf);
  });
  const isComplete = database.missing === 'nothing';
  const believed = <T>(schema: z.ZodMiniType<T>, sql: string): readonly T[] => (isComplete ? database.rows(schema, sql) : []);
  const allReads = believed(readRow, 'SELECT device, name, chosen, at FROM reads');
  const allStates = believed(availabilityRow, 'SELECT device, state FROM availability');
  const allAbsences = believed(absencesRow, 'SELECT device, features FROM absences');
  return {
    features: (device) => {
      const rows = database.rows(featureRow, 'SELECT name, record, offered FROM features WHERE device = ? ORDER BY rowid', device);
      return rows.map(({ name, record, offered }) => {
        const shape = offered ?? (isComplete ? undefined : record);
        return { name, ...(record && isComplete ? { record } : {}), ...(shape ? { offered: shape } : {}) };
      });
    },
    reads: (device) => allReads.filter((read) => read.device === device).map(storedRead),
    availability: (device) => allStates.find((row) => row.device === device)?.state,
    absences: (device) => allAbsences.find((row) => row.device === device)?.features ?? {},
    write: (changes) => {
      for (const change of changes) {
        const table = `${change.kind === 'gone' ? 'feature' : change.kind} ${change.device}`;
        const rows = waiting.get(table) ?? new Map<string, StateChange>();
        waiting.set(table, rows.set(('name' in change && change.name) || '', change));
      }
    },
  };
};

const rowOf = (change: StateChange): RowChange => {
  const { device } = change;
  switch (change.kind) {
    case 'read':
      return putRow('reads', { device, name: change.name ?? '' }, { chosen: change.chosen ?? '', at: change.at });
    case 'feature': {
      const offered = change.offered ? JSON.stringify(recordOf(change.offered)) : null;
      return putRow('features', { device, name: change.name }, { record: JSON.stringify(recordOf(change.feature)), offered });
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
