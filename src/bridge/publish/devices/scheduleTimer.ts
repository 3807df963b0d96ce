import type { Feature } from '../../../features/feature.ts';
import type { Clock } from '../../../shared/clock.ts';
import type { Log } from '../../../shared/log.ts';
import { schedulePropertyOf } from '../../../topics/featureState.ts';
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
export class ScheduleTimer {
  readonly #store: FeatureStore;
  readonly #zones: ZoneSources;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #shown = new Map<string, PublishedMoments>();
  #isSettled = false;
  #hasWarned = false;
  #wake = new AbortController();

  constructor(store: FeatureStore, zones: ZoneSources, clock: Clock, log: Log) {
    this.#store = store;
    this.#zones = zones;
    this.#clock = clock;
    this.#log = log;
  }

  /** What the feature's week asks for now; undefined for a feature without an active week, and before its zone is known. */
  moments({ device }: DeviceState, feature: Feature): Moments | undefined {
    const key = `${deviceKey(device)} ${feature.name}`;
    this.#shown.delete(key);
    const property = schedulePropertyOf(feature);
    if (property === undefined) return undefined;
    const zone = this.zone(device);
    const atMs = this.#clock.now();
    const moments = zone && momentsOf(feature, property, atMs, zone.name);
    const untilMs = moments?.change?.atMs ?? Number.POSITIVE_INFINITY;
    this.#shown.set(key, { device: deviceKey(device), feature: feature.name, zone: zone?.name, atMs, untilMs });
    this.#wake.abort();
    return moments;
  }

  /** The zone of a device's schedules; undefined while the platform has had no chance yet to tell it. */
  zone(device: Device): Zone | undefined {
    const zone = zoneFor(device, this.#store.states.values(), this.#zones);
    return zone.from === 'machine' && !this.#isSettled ? undefined : zone;
  }

  /** The zone of the first device, for what concerns no device alone. */
  get homeZone(): string {
    const [first] = this.#store.states.values();
    return (first && this.zone(first.device)?.name) ?? this.#zones.machine;
  }

  /** What there is was read, now or in an earlier run: where no zone is known by now, the machine's is it. */
  settle(): void {
    this.#isSettled = true;
    this.#showWhere(() => true);
  }

  /** Says once where only the machine's zone is left; to be called when everything was read that may tell another one. */
  warn(): void {
    if (this.#hasWarned) return;
    const states = [...this.#shown.values()].flatMap(({ device }) => this.#store.states.get(device) ?? []);
    const zone = states.map(({ device }) => this.zone(device)).find((one) => one?.from === 'machine');
    if (!zone) return;
    this.#hasWarned = true;
    this.#log.warn(
      { time_zone: zone.name },
      "the platform tells no time zone, so schedules are taken to follow this machine's; if the heating's clock shows another time, set schedules.time_zone",
    );
  }

  /**
   * Shows schedules again, also those whose records did not change, where the time, the machine's clock or the zone is another than before.
   * A read can change zones only in the `installation` of its device; without it all are looked at.
   */
  check(installation?: string): void {
    const now = this.#clock.now();
    const isOtherZone = (device: Device, zone: string | undefined): boolean =>
      (installation === undefined || device.installation === installation) && this.zone(device)?.name !== zone;
    // After a clock was set back, what was published is wrong as well.
    this.#showWhere(({ atMs, untilMs, zone }, { device }) => untilMs <= now || now < atMs || isOtherZone(device, zone));
  }

  /** Follows the changes of mode until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#wake = new AbortController();
      const due = Math.min(...[...this.#shown.values()].map(({ untilMs }) => untilMs)) - this.#clock.now();
      const sleepMs = Math.min(Math.max(1, due), LONGEST_MS);
      await this.#clock.sleep(sleepMs, AbortSignal.any([signal, this.#wake.signal])).catch(() => undefined);
      if (!signal.aborted) this.check();
    }
  }

  #showWhere(fits: (shown: PublishedMoments, state: DeviceState) => boolean): void {
    for (const [key, shown] of [...this.#shown]) {
      const state = this.#store.states.get(shown.device);
      if (state && !fits(shown, state)) continue;
      this.#shown.delete(key);
      if (state) this.#store.emit('transitionDue', state, shown.feature);
    }
  }
}
