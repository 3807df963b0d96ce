import type { Feature } from '../../../features/feature.ts';
import { type Clock, wakeLoop } from '../../../shared/clock.ts';
import type { Log } from '../../../shared/log.ts';
import { type Moments, momentsOf } from '../../../topics/transitionPayloads.ts';
import { type Device, type DeviceState, deviceKey } from '../../state/deviceState.ts';
import type { FeatureStore } from '../../state/featureStore.ts';
import { type Zone, type ZoneSources, zoneFor } from '../../state/timeZones.ts';

/** Between two looks at the clock the machine may sleep, or its clock may be set: no timer waits longer. */
const LONGEST_MS = 600_000;

/** When the moments of a schedule were published last, and until when they hold; epoch milliseconds. */
type PublishedMoments = {
  readonly device: string;
  readonly feature: string;
  readonly zone: string | undefined;
  readonly atMs: number;
  readonly untilMs: number;
};

/** Keeps `now`, `next` and `next_at` of all schedules right as time passes, with one timer and without calls. */
export const scheduleTimer = (store: FeatureStore, zones: ZoneSources, clock: Clock, log: Log) => {
  const published = new Map<string, PublishedMoments>();
  let isSettled = false;
  let hasWarned = false;
  const loop = wakeLoop(clock);

  /** What the week in this property of the feature asks for now; undefined where it is not active, and before its zone is known. */
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

  /** The zone of a device's schedules; undefined while the platform has had no chance yet to tell it. */
  const zoneOf = (device: Device): Zone | undefined => {
    const zone = zoneFor(device, store.states.values(), zones);
    return zone.from === 'machine' && !isSettled ? undefined : zone;
  };

  /** What there is was read, now or in an earlier run: where no zone is known by now, the machine's is it. */
  const settle = (): void => {
    isSettled = true;
    showWhere(() => true);
  };

  /** Says once where only the machine's zone is left; to be called when everything was read that may tell another one. */
  const warn = (): void => {
    if (hasWarned) return;
    const states = [...published.values()].flatMap(({ device }) => store.states.get(device) ?? []);
    const zone = states.map(({ device }) => zoneOf(device)).find((one) => one?.from === 'machine');
    if (!zone) return;
    hasWarned = true;
    log.warn(
      { time_zone: zone.name },
      "the platform tells no time zone, so schedules are taken to follow this machine's; if the heating's clock shows another time, set schedules.time_zone",
    );
  };

  /**
   * Shows schedules again, also those whose records did not change, where the time, the machine's clock or the zone is another than before.
   * A read can change zones only in the `installation` of its device; without it all are looked at.
   */
  const check = (installation?: string): void => {
    const now = clock.now();
    const isOtherZone = (device: Device, zone: string | undefined): boolean =>
      (installation === undefined || device.installation === installation) && zoneOf(device)?.name !== zone;
    // After a clock was set back, what was published is wrong as well.
    showWhere(({ atMs, untilMs, zone }, { device }) => untilMs <= now || now < atMs || isOtherZone(device, zone));
  };

  /** Follows the changes of mode until the signal is aborted. */
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
    /** The zone of the first device, for what concerns no device alone. */
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
