import type { Parts } from './parts.ts';
import { faultTopics } from './publish/devices/faultTopics.ts';
import { eventReader } from './reads/events/eventReader.ts';
import { deviceKey } from './state/deviceState.ts';

/** Connects the faults to their sources and outputs; returns the task that reads events, if there are any. */
export const composeFaults = (parts: Parts) => {
  const { settings, faults, store, topics, documents, publisher, access, quota, platformClock, log } = parts;
  const { events: history, stores } = parts.dependencies;
  const minutes = settings.eventMinutes ?? 0;
  const shown = faultTopics(settings.base, faults, topics.faultMessage, publisher);
  // All other reads have priority.
  const installations = (): ReadonlySet<string> =>
    new Set([...store.states.values()].flatMap(({ device, features }) => (features.size > 0 ? [device.installation] : [])));
  const { together } = stores.writes;
  const reader =
    history && minutes > 0
      ? eventReader(history, minutes, faults, installations, quota, access.callFailed, together, platformClock, log)
      : undefined;
  /** By device key. */
  const wasOnline = new Map<string, boolean>();

  store.on('featuresRead', ({ state, changed }) => faults.learnFeatures(state, changed));
  store.on('featuresRestored', (state) => faults.learnFeatures(state, state.truths));
  store.on('featuresGone', (state, names) => faults.featuresGone(state, names));
  store.on('readEnded', (state) => {
    const key = deviceKey(state.device);
    const isOnline = store.availability(state) !== 'offline';
    if (!wasOnline.has(key)) reader?.look();
    if (isOnline && wasOnline.get(key) === false) reader?.soon(state.device.installation);
    wasOnline.set(key, isOnline);
    if (!store.isFirstRound) shown.show(state);
  });
  store.on('firstRoundEnded', () => {
    for (const state of store.states.values()) shown.show(state);
  });
  store.on('devicesChanged', (gone) => {
    faults.removed(gone);
    reader?.look();
  });
  faults.on('changed', (state) => {
    if (store.isFirstRound) return;
    shown.show(state);
    topics.showDevice(state);
  });
  faults.on('event', (device, what, life) => shown.tell(device, what, life));
  faults.on('entryAdded', (state) => reader?.soon(state.device.installation));
  faults.on('tells', (state) => documents.show(state));

  return (signal: AbortSignal): Promise<void> | undefined => reader?.run(signal);
};
