import { dateAt, midnightOf } from '../schedule/zone.ts';
import type { Parts } from './parts.ts';
import type { DeviceState } from './state/deviceState.ts';

/** Connects frozen-data detection to the reads that it uses and to its outputs. */
export const composeFrozen = ({ store, frozen, topics, documents, timer, quota }: Parts): void => {
  /** The gateway's own device has the button; if there is none, the gateway's first device. */
  const hasButton = ({ device: { gateway, device } }: DeviceState): boolean => {
    const ids = store.devices.flatMap((one) => (one.gateway === gateway ? [one.device] : []));
    return device === (ids.includes('gateway') ? 'gateway' : ids[0]);
  };
  const mark = (state: DeviceState): void => frozen.mark(state, hasButton);

  // Before its document is offered.
  store.on('featuresRead', ({ state }) => mark(state));
  store.on('featuresRestored', (state) => mark(state));
  store.on('readEnded', (state, _, result) => {
    if (!result.ok) return;
    // Records carry the platform's time; the machine's clock may be wrong by hours.
    const now = quota.platformMs();
    const zone = timer.zone(state.device)?.name ?? timer.homeZone;
    frozen.read(state, { now, midnight: () => midnightOf(dateAt(now, zone), zone) });
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
};
