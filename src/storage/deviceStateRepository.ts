import * as z from 'zod/mini';
import type { DeviceStateStore } from '../bridge/ports.ts';
import { recordOf } from '../features/parseFeature.ts';
import type { Database } from './database.ts';
import { jsonColumn } from './jsonTable.ts';
import { deleteRow, putRow } from './rowChange.ts';

const featureRow = z.object({ name: z.string(), record: z.nullable(jsonColumn), offered: z.nullable(jsonColumn) });

const READ = z.object({ name: z.optional(z.string()), at: z.number(), chosen: z.optional(z.string()) });
const FACTS = z.object({
  reads: z.catch(z.array(READ), []),
  availability: z.catch(z.optional(z.enum(['online', 'offline'])), undefined),
  absences: z.catch(z.record(z.string(), z.object({ since_ms: z.number(), reads: z.number() })), {}),
});
const factsRow = z.object({ value: z.pipe(jsonColumn, FACTS) });

/**
 * The last state of each device, written in batches. After a kill, the disk may be older than the broker's
 * state. Then no record, read or absence is used, and the next reads supply them.
 */
export const deviceStateRepository = (database: Database): DeviceStateStore => {
  const isComplete = database.missing === 'nothing';
  return {
    features: (device) => {
      const rows = database.rows(featureRow, 'SELECT name, record, offered FROM features WHERE device = ? ORDER BY rowid', device);
      return rows.map(({ name, record, offered }) => {
        const shape = offered ?? (isComplete ? undefined : record);
        return { name, ...(record && isComplete ? { record } : {}), ...(shape ? { offered: shape } : {}) };
      });
    },
    facts: (device) => (isComplete ? database.rows(factsRow, 'SELECT value FROM devices WHERE key = ?', device)[0]?.value : undefined),
    keeps: (known) =>
      void database.waits(() =>
        known().flatMap(({ device, facts, features }) => [
          putRow('devices', { key: device }, { value: JSON.stringify(facts) }),
          ...features.map(({ feature, offered }) => {
            const texts = { record: JSON.stringify(recordOf(feature)), offered: offered ? JSON.stringify(recordOf(offered)) : null };
            return putRow('features', { device, name: feature.name }, texts);
          }),
        ]),
      ),
    forget: (device, names) =>
      void database.write(
        names.map((name) => deleteRow('features', { device, name })),
        'waiting',
      ),
  };
};
