import type { Clock } from '../../shared/clock.ts';
import type { Poller } from '../polling/poller.ts';
import type { DeviceTopics } from '../publishing/deviceTopics.ts';
import type { RateLimiter } from '../quota/rateLimiter.ts';
import type { Devices } from './deviceRegistry.ts';

const EVERY_MS = 60_000;

export type SilenceParts = {
  readonly devices: Devices;
  readonly topics: DeviceTopics;
  readonly poller: Poller;
  readonly quota: RateLimiter;
  readonly clock: Clock;
};

/** Looks every minute whether a device has been silent for too long, until the signal is aborted; `looked` is told after each look. */
export const watchAvailability = async (parts: SilenceParts, signal: AbortSignal, looked: () => void): Promise<void> => {
  const { devices, topics, poller, quota, clock } = parts;
  for (let last = clock.elapsedMs(); !signal.aborted; ) {
    await clock.sleep(EVERY_MS, signal).catch(() => undefined);
    const now = clock.elapsedMs();
    // Waiting for the allowance is nobody's fault and never `offline`.
    const excusedMs = quota.mayRead(now) ? 0 : now - last;
    for (const state of devices.states.values()) {
      const availability = devices.availability(state);
      availability?.excuse(excusedMs);
      availability?.look(now, poller.interval.seconds);
      topics.showDevice(state);
    }
    last = now;
    looked();
  }
};
