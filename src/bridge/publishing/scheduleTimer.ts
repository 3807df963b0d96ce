import type { Feature } from '../../features/feature.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Log } from '../../shared/log.ts';
import { schedulePropertyOf } from '../../topics/featureState.ts';
import { type Moments, momentsOf } from '../../topics/transitionPayloads.ts';
import { type Device, type DeviceState, deviceKey } from '../devices/deviceState.ts';
import { type Zone, type ZoneSources, zoneFor } from '../devices/timeZones.ts';

export type ScheduleTimerParts = {
  readonly states: ReadonlyMap<string, DeviceState>;
  readonly zones: ZoneSources;
  /** Publishes what a feature shows, with the moments that it asks for on the way. */
  readonly show: (state: DeviceState, feature: string) => void;
  readonly clock: Clock;
  readonly log: Log;
};

/** Between two looks at the clock the machine may sleep, or its clock may be set: no timer waits longer. */
const LONGEST_MS = 600_000;

/** When a schedule was told last, and until when that holds; epoch milliseconds. */
type Told = { readonly device: string; readonly feature: string; readonly zone: string; readonly atMs: number; readonly untilMs: number };

/** Keeps `now`, `next` and `next_at` of all schedules right as time passes, with one timer and without calls. */
export class ScheduleTimer {
  readonly #parts: ScheduleTimerParts;
  readonly #told = new Map<string, Told>();
  #isSettled = false;
  #hasWarned = false;
  #wake = new AbortController();

  constructor(parts: ScheduleTimerParts) {
    this.#parts = parts;
  }

  /** What the feature's week asks for now; undefined for a feature without an active week, and before its zone is known. */
  moments({ device }: DeviceState, feature: Feature): Moments | undefined {
    const key = `${deviceKey(device)} ${feature.name}`;
    this.#told.delete(key);
    const property = schedulePropertyOf(feature);
    if (property === undefined) return undefined;
    const zone = this.zone(device);
    const atMs = this.#parts.clock.now();
    const moments = zone && momentsOf(feature, property, atMs, zone.name);
    const untilMs = moments?.change?.atMs ?? Number.POSITIVE_INFINITY;
    this.#told.set(key, { device: deviceKey(device), feature: feature.name, zone: zone?.name ?? '', atMs, untilMs });
    this.#wake.abort();
    return moments;
  }

  /** The zone of a device's schedules; undefined while the platform has had no chance yet to tell it. */
  zone(device: Device): Zone | undefined {
    const { states, zones } = this.#parts;
    const zone = zoneFor(device, [...states.values()], zones);
    return zone.from === 'machine' && !this.#isSettled ? undefined : zone;
  }

  /** What there is was read, now or in an earlier run: where no zone is known by now, the machine's is it. */
  settle(): void {
    this.#isSettled = true;
    this.#showWhere(() => true);
  }

  /** Says once where only the machine's zone is left; to be called when everything was read that may tell another one. */
  warn(): void {
    if (this.#hasWarned) return;
    const { states, log } = this.#parts;
    const guessed = [...this.#told.values()].flatMap(({ device }) => states.get(device)?.device ?? []);
    const zone = guessed.map((device) => this.zone(device)).find((one) => one?.from === 'machine');
    if (!zone) return;
    this.#hasWarned = true;
    log.warn(
      { time_zone: zone.name },
      "the platform tells no time zone, so schedules are taken to follow this machine's; if the heating's clock shows another time, set schedules.time_zone",
    );
  }

  /** Other features were read: a zone among them holds for schedules that were told before. */
  zonesRead(): void {
    this.#showWhere(({ device, zone }) => {
      const state = this.#parts.states.get(device);
      return state !== undefined && (this.zone(state.device)?.name ?? '') !== zone;
    });
  }

  /** Follows the changes of mode until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    while (!signal.aborted) {
      this.#wake = new AbortController();
      const due = Math.min(...[...this.#told.values()].map(({ untilMs }) => untilMs)) - clock.now();
      const sleepMs = Math.min(Math.max(1, due), LONGEST_MS);
      await clock.sleep(sleepMs, AbortSignal.any([signal, this.#wake.signal])).catch(() => undefined);
      if (signal.aborted) return;
      const now = clock.now();
      // A clock that was set back makes what was told wrong as well.
      this.#showWhere(({ atMs, untilMs }) => untilMs <= now || now < atMs);
    }
  }

  #showWhere(fits: (told: Told) => boolean): void {
    for (const [key, told] of [...this.#told]) {
      if (!fits(told)) continue;
      this.#told.delete(key);
      const state = this.#parts.states.get(told.device);
      if (state) this.#parts.show(state, told.feature);
    }
  }
}
