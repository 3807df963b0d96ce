import type * as z from 'zod/mini';
import type { KeyedStore } from '../ports.ts';

/** What a table holds, by key; a row that makes no sense is left out. */
export const keyedRows = <T>(store: Pick<KeyedStore, 'read'>, schema: z.ZodMiniType<T>): Map<string, T> =>
  new Map(
    [...store.read()].flatMap(([key, row]) => {
      const { success, data } = schema.safeParse(row);
      return success ? [[key, data] as const] : [];
    }),
  );
