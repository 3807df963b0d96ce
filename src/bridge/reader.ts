import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Feature } from '../features/feature.ts';
import { parseFeature, recordsOf } from '../features/parse.ts';
import { type DeviceState, deviceKey } from './home.ts';
import type { CallFailure, Platform } from './ports.ts';
import { isChosen, type Read, readKey } from './targets.ts';
import { Troubles } from './troubles.ts';

export type ReadResult = { readonly ok: true } | { readonly ok: false; readonly failure: CallFailure };

export type ReaderEvents = {
  /** These features of the device were read; `startedAtMs` is when the read was begun. */
  seen(device: DeviceState, features: readonly Feature[], startedAtMs: number): void;
  /** A read of everything chosen of the device did not show these, though they were known. */
  missing(device: DeviceState, features: readonly string[]): void;
  ended(device: DeviceState, result: ReadResult, read: string): void;
};

/** Makes reads and brings what they show into the state. Two that want the same at the same time share one call. */
export class Reader {
  readonly #platform: Platform;
  readonly #states: ReadonlyMap<string, DeviceState>;
  readonly #events: ReaderEvents;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #signal: AbortSignal;
  readonly #underWay = new Map<string, Promise<ReadResult>>();
  readonly #troubles: Troubles;
  /** Records that make no sense, by device and name: each is told once. */
  readonly #rotten = new Set<string>();

  constructor(
    platform: Platform,
    states: ReadonlyMap<string, DeviceState>,
    events: ReaderEvents,
    clock: Clock,
    log: Log,
    signal: AbortSignal,
  ) {
    this.#platform = platform;
    this.#states = states;
    this.#events = events;
    this.#clock = clock;
    this.#log = log;
    this.#troubles = new Troubles(log);
    this.#signal = signal;
  }

  /** One call, or the answer of the same one that is under way. Never rejects. */
  read(read: Read): Promise<ReadResult> {
    const key = readKey(read.target);
    const underWay = this.#underWay.get(key) ?? this.#read(read).finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, underWay);
    return underWay;
  }

  async #read(read: Read): Promise<ReadResult> {
    const { device, target } = read;
    const state = this.#states.get(deviceKey(device));
    if (!state) throw new Error(`no state for ${deviceKey(device)}`);
    const startedAtMs = this.#clock.elapsedMs();
    let result: ReadResult;
    try {
      const body = await this.#platform.readFeatures(target, this.#signal);
      this.#take(state, body, target.feature, startedAtMs);
      result = { ok: true };
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      result = { ok: false, failure: error };
    }
    if (result.ok) this.#troubles.worked(read);
    else this.#troubles.failed(read, result.failure.code, result.failure.message);
    this.#events.ended(state, result, readKey(target));
    return result;
  }

  #take(state: DeviceState, body: unknown, wanted: string | undefined, startedAtMs: number): void {
    const records = recordsOf(body);
    if (!records) throw nonsense('the answer holds no feature record');
    const seen: Feature[] = [];
    const listed = new Set<string>();
    for (const [index, record] of records.entries()) {
      const feature = this.#understand(state, record, wanted ?? `record ${index}`);
      listed.add(feature?.name ?? nameOf(record, ''));
      if (!feature || (wanted === undefined && !isChosen(state.device, feature.name))) continue;
      if (wanted !== undefined && feature.name !== wanted)
        throw nonsense(`the answer is about ${feature.name.slice(0, 100)} instead of ${wanted}`);
      state.take(feature, startedAtMs);
      seen.push(feature);
    }
    if (wanted !== undefined && records.length === 0) throw nonsense('the answer holds no feature record');
    this.#events.seen(state, seen, startedAtMs);
    if (wanted !== undefined || seen.length === 0) return;
    // What makes no sense is there all the same.
    this.#events.missing(
      state,
      [...state.features.keys()].filter((name) => !listed.has(name)),
    );
  }

  #understand(state: DeviceState, record: unknown, place: string): Feature | undefined {
    const checked = parseFeature(record);
    const name = checked.ok ? checked.value.name : nameOf(record, place);
    const issues = checked.ok ? (checked.value.issues ?? []) : checked.issues;
    const what = issues.map(({ path, message }) => `${path} ${message}`.trim()).join('; ');
    const trouble = `${deviceKey(state.device)} ${name}`;
    if (what && !this.#rotten.has(trouble)) {
      const sentence = checked.ok ? 'a part of a record makes no sense and is left out' : 'a record makes no sense and is left out';
      this.#log.warn({ device: state.device.name, feature: name, why: what.slice(0, 500) }, sentence);
    }
    if (what) this.#rotten.add(trouble);
    else this.#rotten.delete(trouble);
    return checked.ok ? checked.value : undefined;
  }
}

/** An answer that came, but says nothing that can be understood. */
const nonsense = (message: string): CallFailure => Object.assign(new Error(message), { code: 'bad_answer', executed: 'no' as const });

/** True for what a platform door rejects with. */
export const isCallFailure = (error: unknown): error is CallFailure =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && 'executed' in error;

const nameOf = (record: unknown, otherwise: string): string => {
  const name = typeof record === 'object' && record !== null && 'feature' in record ? record.feature : undefined;
  return typeof name === 'string' && name !== '' ? name.slice(0, 200) : otherwise;
};
