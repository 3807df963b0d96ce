import type { Clock } from '../shared/clock.ts';
import type { Log } from '../shared/log.ts';
import type { EventHistory } from './ports.ts';
import type { RetainedPublisher } from './publish/broker/retainedPublisher.ts';
import type { DeviceTopics } from './publish/devices/deviceTopics.ts';
import { faultTopics } from './publish/devices/faultTopics.ts';
import type { DeviceDocuments } from './publish/discovery/deviceDocuments.ts';
import { eventReader } from './reads/events/eventReader.ts';
import type { PlatformAccess } from './reads/platformAccess.ts';
import type { RateLimiter } from './reads/rateLimiter.ts';
import { deviceKey } from './state/deviceState.ts';
import type { FaultStore } from './state/faults/faultStore.ts';
import type { FeatureStore } from './state/featureStore.ts';

export type FaultParts = {
  readonly base: string;
  readonly faults: FaultStore;
  readonly store: FeatureStore;
  readonly topics: DeviceTopics;
  readonly documents: DeviceDocuments;
  readonly publisher: RetainedPublisher;
  readonly access: PlatformAccess;
  readonly quota: RateLimiter;
  /** Keeps all that the work writes at once. */
  readonly together: (work: () => void) => unknown;
  readonly clock: Clock;
  readonly log: Log;
};

/** Connects the faults to what they are learned from and to what shows them; gives the task that reads the events, where there are any. */
export const composeFaults = (parts: FaultParts, history: EventHistory | undefined, minutes: number) => {
  const { base, faults, store, topics, documents, publisher, access, quota, together, clock, log } = parts;
  const shown = faultTopics(base, faults, publisher);
  // Whatever else is to be read comes first.
  const installations = (): ReadonlySet<string> =>
    new Set([...store.states.values()].flatMap(({ device, features }) => (features.size > 0 ? [device.installation] : [])));
  const failed = (failure: Parameters<PlatformAccess['callFailed']>[0]): void => access.callFailed(failure);
  const reader =
    history && minutes > 0 ? eventReader(history, minutes, faults, installations, quota, failed, together, clock, log) : undefined;
  /** By the key of the device. */
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
    faults.forgetSilent();
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
