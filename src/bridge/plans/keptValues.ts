import type * as z from 'zod/mini';
import type { KeyedStore } from '../ports.ts';
import { keyedRows } from '../state/keyedRows.ts';

/** What is kept over restarts under the keys that begin with `prefix`. */
export const keptValues = <T extends object>(store: KeyedStore, schema: z.ZodMiniType, prefix: string) => {
  const rows = [...keyedRows(store, schema)].filter(([key]) => key.startsWith(prefix));
  const all = new Map(rows.map(([key, value]) => [key.slice(prefix.length), value as T]));
  const put = (name: string, value: T | undefined): void => {
    if (value) all.set(name, value);
    else all.delete(name);
    store.write(`${prefix}${name}`, value);
  };
  return { all, put };
};
