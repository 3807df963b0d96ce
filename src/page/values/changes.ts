import { signal } from '@preact/signals';
import { getJson } from '../state/api.ts';

/** When each topic changed last (epoch ms), of those that have since the bridge started. */
export const changes = signal<ReadonlyMap<string, number>>(new Map());

/** Asks when each topic changed. Without an answer the times before stay. */
export const loadChanges = async (): Promise<void> => {
  try {
    changes.value = new Map(Object.entries((await getJson('api/changes')).changed_at));
  } catch {
    // The next try may have one.
  }
};
