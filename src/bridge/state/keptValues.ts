import { isDeepStrictEqual } from 'node:util';
import type * as z from 'zod/mini';
import type { KeyedStore } from '../ports.ts';

/** Valid rows whose keys begin with `prefix`, by the rest of the key. Invalid rows are left out. */
export const keyedRows = <T>(rows: ReadonlyMap<string, unknown>, schema: z.ZodMiniType<T>, prefix = ''): Map<string, T> => {
  const found = new Map<string, T>();
  for (const [key, row] of rows) {
    if (!key.startsWith(prefix)) continue;
    const { success, data } = schema.safeParse(row);
    if (success) found.set(key.slice(prefix.length), data);
  }
  return found;
};

/** Values kept over restarts under keys with `prefix`. `rows`: the store's rows, if already read. */
export const keptValues = <T extends object>(store: KeyedStore, schema: z.ZodMiniType<T>, prefix = '', rows = store.read()) => {
  const all = keyedRows(rows, schema, prefix);
  /** Stores a changed value, an empty one only over another. Undefined removes it. */
  const put = (name: string, value: T | undefined): void => {
    if (isDeepStrictEqual(all.get(name) ?? (value && {}), value)) return;
    if (value) all.set(name, value);
    else all.delete(name);
    store.write(`${prefix}${name}`, value);
  };
  return { all, put };
};
