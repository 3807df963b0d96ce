import { localAt } from '../schedule/zone.ts';
import type { DeviceTopics } from './publish/devices/deviceTopics.ts';
import type { ScheduleTimer } from './publish/devices/scheduleTimer.ts';
import type { FeatureStore } from './state/featureStore.ts';
import type { FrozenStore } from './state/frozen/frozenStore.ts';

type Parts = {
  readonly store: FeatureStore;
  readonly frozen: FrozenStore;
  readonly topics: DeviceTopics;
  readonly timer: ScheduleTimer;
};

/** Connects what is known of frozen data to the reads from which it is learned, and to the problems that show it. */
export const composeFrozen = ({ store, frozen, topics, timer }: Parts): void => {
  store.on('readEnded', (state, _, result) => {
    if (!result.ok) return;
    const { nowMs } = store.lastGoodRead(state);
    const { hour, minute } = localAt(nowMs, timer.zone(state.device)?.name ?? timer.homeZone);
    frozen.read(state, nowMs - (hour * 60 + minute) * 60_000);
  });
  store.on('devicesChanged', (gone) => frozen.removed(gone));
  frozen.on('changed', (state) => topics.showDevice(state));
};
