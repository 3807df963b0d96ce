import type { DeviceTopics } from './publish/devices/deviceTopics.ts';
import type { ScheduleTimer } from './publish/devices/scheduleTimer.ts';
import type { DeviceDocuments } from './publish/discovery/deviceDocuments.ts';
import type { FirstReadLog } from './publish/status/firstReadLog.ts';
import type { DeviceDiscovery } from './reads/deviceDiscovery.ts';
import type { PlannedReads } from './reads/plannedReads.ts';
import type { PlatformAccess } from './reads/platformAccess.ts';
import type { Poller } from './reads/poller.ts';
import type { PollStatistics } from './reads/pollStatistics.ts';
import type { PastStore } from './state/energy/past.ts';
import type { FeatureStore } from './state/featureStore.ts';

type Parts = {
  readonly past: PastStore;
  readonly store: FeatureStore;
  readonly reads: PlannedReads;
  readonly poller: Poller;
  readonly statistics: PollStatistics;
  readonly access: PlatformAccess;
  readonly discovery: DeviceDiscovery | undefined;
  readonly topics: DeviceTopics;
  readonly documents: DeviceDocuments;
  readonly timer: ScheduleTimer;
  readonly firstRead: FirstReadLog;
};

/** Connects each read to the past that it shows; its end, with records or a failure, to the parts that plan reads, and show whether they work. */
export const connectReadEvents = (parts: Parts, areAllComplete: () => boolean): void => {
  const { past, store, reads, poller, statistics, access, discovery, topics, documents, timer, firstRead } = parts;
  // Once it is counted (compose.ts).
  store.on('featuresRead', ({ state, changed }) => past.learn(state, changed));
  store.on('featuresRestored', (state) => past.learn(state, state.truths));
  store.on('readEnded', (state, read, result) => {
    statistics.ended(result);
    if (result.ok) {
      access.readWorked();
      poller.worked(read);
      firstRead.readWorked();
    }
    if (reads.ended(read, result)) documents.show(state);
    topics.showDevice(state);
    // Devices that are found later were not read in the first round.
    if (result.ok && areAllComplete()) timer.warn();
    firstRead.look();
  });
  store.on('readFailed', (read, failure) => {
    reads.failed(read, failure);
    access.readFailed(read, failure, reads.all);
    if (failure.code === 'not_found') discovery?.lookSoon();
  });
};
