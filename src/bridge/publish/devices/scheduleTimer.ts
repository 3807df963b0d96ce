import type { Feature } from '../../../features/feature.ts';
import { type Clock, wakeLoop } from '../../../shared/clock.ts';
import type { Log } from '../../../shared/log.ts';
import { type Moments, momentsOf } from '../../../topics/transitionPayloads.ts';
import { type Device, type DeviceState, deviceKey } from '../../state/deviceState.ts';
import type { FeatureStore } from '../../state/featureStore.ts';
import { type Zone, type ZoneSources, zoneFor } from '../../state/timeZones.ts';

/** The maximum timer: the machine may sleep or its clock may be set meanwhile. */
const LONGEST_MS = 600_000;

/** When a schedule's moments were last published, and until when they are valid; epoch milliseconds. */
type PublishedMoments = {
  readonly device: string;
  readonly feature: string;
  readonly zone: string | undefined;
  readonly atMs: number;
  readonly untilMs: number;
};

/** Keeps `now`, `next` and `next_at` of all schedules current, with one timer and without calls. */
export const scheduleTimer = (store: FeatureStore, zones: ZoneSources, clock: Clock, log: Log) => {
  const published = new Map<string, PublishedMoments>();
  let isSettled = false;
  let hasWarned = false;
  const loop = wakeLoop(clock);

  /** What the week asks for now; undefined if it is not active or its zone is not known yet. */
  const moments = ({ device }: DeviceState, feature: Feature, property: string): Moments | undefined => {
    const key = `${deviceKey(device)} ${feature.name}`;
    const zone = zoneOf(device);
    const atMs = clock.now();
    const moments = zone && momentsOf(feature, property, atMs, zone.name);
    const untilMs = moments?.change?.atMs ?? Number.POSITIVE_INFINITY;
    published.set(key, { device: deviceKey(device), feature: feature.name, zone: zone?.name, atMs, untilMs });
    loop.wake();
    return moments;
  };

  /** The time zone of a device's schedules; undefined until the platform had a chance to report it. */
  const zoneOf = (device: Device): Zone | undefined => {
    const zone = zoneFor(device, store.states.values(), zones);
    return zone.from === 'machine' && !isSettled ? undefined : zone;
  };

  /** All data was read, in this run or earlier: if no zone is known by now, use the machine's zone. */
  const settle = (): void => {
    isSettled = true;
    showWhere(() => true);
  };

  /** Warns once if only the machine's zone is left. Call it after all reads that may tell another zone. */
  const warn = (): void => {
    if (hasWarned) return;
    const states = [...published.values()].flatMap(({ device }) => store.states.get(device) ?? []);
    const zone = states.map(({ device }) => zoneOf(device)).find((one) => one?.from === 'machine');
    if (!zone) return;
    hasWarned = true;
    log.warn(
      { time_zone: zone.name },
      "the platform gives no time zone, so the time zone of this machine is used for schedules; if the heating's clock shows another time, set schedules.time_zone",
    );
  };

  /**
   * Publishes schedules again if the time, the machine's clock or the zone changed, even if their records did
   * not. A read can change zones only in the `installation` of its device; without it, checks all.
   */
  const check = (installation?: string): void => {
    const now = clock.now();
    const isOtherZone = (device: Device, zone: string | undefined): boolean =>
      (installation === undefined || device.installation === installation) && zoneOf(device)?.name !== zone;
    // If the clock was set back, the published moments are wrong as well.
    showWhere(({ atMs, untilMs, zone }, { device }) => untilMs <= now || now < atMs || isOtherZone(device, zone));
  };

  /** Follows the mode changes until the signal is aborted. */
  const run = (signal: AbortSignal): Promise<void> =>
    loop.run(signal, () => {
      check();
      return Math.min(LONGEST_MS, ...[...published.values()].map(({ untilMs }) => Math.max(1, untilMs - clock.now())));
    });

  const showWhere = (fits: (shown: PublishedMoments, state: DeviceState) => boolean): void => {
    for (const [key, shown] of [...published]) {
      const state = store.states.get(shown.device);
      if (state && !fits(shown, state)) continue;
      published.delete(key);
      if (state) store.emit('transitionDue', state, shown.feature);
    }
  };

  return {
    moments,
    zone: zoneOf,
    /** The zone of the first device, for data that belongs to no single device. */
    get homeZone(): string {
      const [first] = store.states.values();
      return (first && zoneOf(first.device)?.name) ?? zones.machine;
    },
    settle,
    warn,
    check,
    run,
  };
};

export type ScheduleTimer = ReturnType<typeof scheduleTimer>;
