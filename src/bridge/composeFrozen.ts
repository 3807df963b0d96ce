import { dateAt, midnightOf } from '../schedule/zone.ts';
import type { Clock } from '../shared/clock.ts';
import type { GatewayRestart } from './ports.ts';
import type { DeviceTopics } from './publish/devices/deviceTopics.ts';
import type { ScheduleTimer } from './publish/devices/scheduleTimer.ts';
import type { DeviceDocuments } from './publish/discovery/deviceDocuments.ts';
import type { PlatformAccess } from './reads/platformAccess.ts';
import type { RateLimiter } from './reads/rateLimiter.ts';
import type { DeviceState } from './state/deviceState.ts';
import type { FeatureStore } from './state/featureStore.ts';
import type { FrozenStore } from './state/frozen/frozenStore.ts';
import { gatewayRestart } from './writes/intake/gatewayRestart.ts';

export type FrozenParts = {
  readonly store: FeatureStore;
  readonly frozen: FrozenStore;
  readonly topics: DeviceTopics;
  readonly documents: DeviceDocuments;
  readonly timer: ScheduleTimer;
  readonly access: PlatformAccess;
  readonly quota: RateLimiter;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Whether the settings allow this command. */
  readonly mayRun: (feature: string, command: string) => boolean;
};

/** Connects what is known of frozen data to the reads from which it is learned and to what shows it; gives what restarts a gateway. */
export const composeFrozen = (parts: FrozenParts, restarts: GatewayRestart | undefined) => {
  const { store, frozen, topics, documents, timer, access, quota, clock, signal, mayRun } = parts;
  /** Of the devices of a gateway, its own has the button, else the first one. */
  const hasButton = ({ device: { gateway, device } }: DeviceState): boolean => {
    const ids = store.devices.flatMap((one) => (one.gateway === gateway ? [one.device] : []));
    return device === (ids.includes('gateway') ? 'gateway' : ids[0]);
  };
  const mark = (state: DeviceState): void => frozen.mark(state, hasButton(state));

  // Before its document is offered.
  store.on('featuresRead', ({ state }) => mark(state));
  store.on('featuresRestored', (state) => mark(state));
  store.on('readEnded', (state, _, result) => {
    if (!result.ok) return;
    // Records carry the time of the platform; the clock of the machine may be wrong by hours.
    const now = quota.platformMs();
    const zone = timer.zone(state.device)?.name ?? timer.homeZone;
    frozen.read(state, { now, midnight: midnightOf(dateAt(now, zone), zone) });
  });
  store.on('devicesChanged', (gone) => frozen.removed(gone));
  frozen.on('changed', (state) => {
    mark(state);
    topics.showDevice(state);
  });
  frozen.on('offered', (state) => documents.show(state));
  frozen.on('restartAccepted', (gateway) => {
    for (const state of store.states.values()) if (state.device.gateway === gateway) frozen.emit('changed', state);
  });

  return gatewayRestart({
    ...{ restarts, frozen, quota, clock, signal },
    devices: () => store.devices,
    isAllowed: () => mayRun('gateway', 'restart'),
    callFailed: (failure) => access.callFailed(failure),
  });
};
