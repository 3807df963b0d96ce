import { signal } from '@preact/signals';
import { isRecord } from '../../shared/json.ts';
import { getJson } from '../state/api.ts';
import { endSession, isLoggedOut } from '../state/session.ts';

/** When each topic changed last (epoch ms), of those that have since the bridge started. */
export const changes = signal<ReadonlyMap<string, number>>(new Map());

/** Asks when each topic changed. Without an answer the times before stay. */
export const loadChanges = async (): Promise<void> => {
  try {
    const { changed_at: times } = await getJson('api/changes');
    const found = isRecord(times) ? Object.entries(times) : [];
    changes.value = new Map(found.flatMap(([topic, at]) => (typeof at === 'number' ? [[topic, at]] : [])));
  } catch (error) {
    if (isLoggedOut(error)) endSession();
  }
};
