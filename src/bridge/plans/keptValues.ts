import type * as z from 'zod/mini';
import type { KeyedStore } from '../ports.ts';

/** What is kept over restarts under the keys that begin with `prefix`; what does not fit the schema is removed. */
export const keptValues = <T extends object>(store: KeyedStore, schema: z.ZodMiniType, prefix: string) => {
  const all = new Map<string, T>();
  const put = (name: string, value: T | undefined): void => {
    if (value) all.set(name, value);
    else all.delete(name);
    store.write(`${prefix}${name}`, value);
  };
  for (const [key, value] of store.read()) {
    if (!key.startsWith(prefix)) continue;
    const name = key.slice(prefix.length);
    const { success, data } = schema.safeParse(value);
    if (success) all.set(name, data as T);
    else put(name, undefined);
  }
  return { all, put };
};
