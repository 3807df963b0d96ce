import { isDeepStrictEqual } from 'node:util';
import type * as z from 'zod/mini';
import type { KeyedStore } from '../ports.ts';

/** What the rows hold whose keys begin with `prefix`, by the rest of the key; a row that makes no sense is left out. */
export const keyedRows = <T>(rows: ReadonlyMap<string, unknown>, schema: z.ZodMiniType<T>, prefix = ''): Map<string, T> => {
  const found = new Map<string, T>();
  for (const [key, row] of rows) {
    if (!key.startsWith(prefix)) continue;
    const { success, data } = schema.safeParse(row);
    if (success) found.set(key.slice(prefix.length), data);
  }
  return found;
};

/** What is kept over restarts under the keys that begin with `prefix`. `rows`: what the store has, where that was read already. */
export const keptValues = <T extends object>(store: KeyedStore, schema: z.ZodMiniType<T>, prefix = '', rows = store.read()) => {
  const all = keyedRows(rows, schema, prefix);
  /** Keeps another value than before, where there was none also another one than an empty one; undefined removes it. */
  const put = (name: string, value: T | undefined): void => {
    if (isDeepStrictEqual(all.get(name) ?? (value && {}), value)) return;
    if (value) all.set(name, value);
    else all.delete(name);
    store.write(`${prefix}${name}`, value);
  };
  return { all, put };
};
