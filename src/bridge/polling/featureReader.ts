import type { Feature } from '../../features/feature.ts';
import { deviceOfRecord, parseFeature, recordsOf } from '../../features/parseFeature.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Issue } from '../../shared/issue.ts';
import type { Log } from '../../shared/log.ts';
import { type DeviceState, deviceKey } from '../devices/deviceState.ts';
import type { FeatureStore } from '../devices/featureStore.ts';
import type { CallFailure, Platform } from '../ports.ts';
import { FailureLog } from './failureLog.ts';
import { devicesOf, isChosen, type ReadResult, type ReadTarget, readKey } from './readTarget.ts';

/** Makes reads and puts what they show into the store. The same read wanted twice at the same time is one call. */
export class FeatureReader {
  readonly #platform: Platform;
  readonly #store: FeatureStore;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #signal: AbortSignal;
  readonly #underWay = new Map<string, Promise<ReadResult>>();
  readonly #failures: FailureLog;
  /** Records that make no sense, by device and name: each is told once. */
  readonly #rotten = new Set<string>();
  /** Values that contradict their types and were told. */
  readonly #contradictions = new Set<string>();

  constructor(platform: Platform, store: FeatureStore, clock: Clock, log: Log, signal: AbortSignal) {
    this.#platform = platform;
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
    this.#failures = new FailureLog(log);
    this.#signal = signal;
  }

  /** One call, or the answer of the same one that is under way. Never rejects. */
  read(read: ReadTarget): Promise<ReadResult> {
    const key = readKey(read.target);
    const underWay = this.#underWay.get(key) ?? this.#read(read).finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, underWay);
    return underWay;
  }

  async #read(read: ReadTarget): Promise<ReadResult> {
    const { target } = read;
    const startedAtMs = this.#clock.elapsedMs();
    let shown: readonly DeviceState[] = [];
    let result: ReadResult;
    try {
      const body = await this.#platform.readFeatures(target, this.#signal);
      const take = target.device === undefined ? this.#takeGateway(read, body, startedAtMs) : this.#takeDevice(read, body, startedAtMs);
      shown = await take;
      result = { ok: true };
    } catch (error) {
      // A record that nobody foresaw must not end the process.
      result = { ok: false, failure: isCallFailure(error) ? error : nonsense(`the answer cannot be understood (${String(error)})`) };
    }
    if (result.ok) this.#failures.worked(read);
    else this.#failures.failed(read, result.failure.code, result.failure.message);
    for (const state of result.ok ? shown : this.#statesOf(read)) this.#store.readEnded(state, read, result);
    if (!result.ok) this.#store.emit('readFailed', read, result.failure);
    return result;
  }

  /** Those of a read that are still known: a device may have been taken away while it was read. */
  #statesOf(read: ReadTarget): readonly DeviceState[] {
    return devicesOf(read).flatMap((device) => this.#store.states.get(deviceKey(device)) ?? []);
  }

  async #takeDevice(read: ReadTarget, body: unknown, startedAtMs: number): Promise<readonly DeviceState[]> {
    const states = this.#statesOf(read);
    for (const state of states)
      if (!(await this.#take(state, recordsOf(body), read.target.feature, startedAtMs))) throw nonsense(SHOWS_NOTHING);
    return states;
  }

  /** Deals the records of a gateway out to its devices; gives those that had any: an empty list says nothing of a device. */
  async #takeGateway(read: ReadTarget, body: unknown, startedAtMs: number): Promise<readonly DeviceState[]> {
    const all = recordsOf(body);
    if (!all) throw nonsense('the answer holds no list of feature records');
    const byDevice = Map.groupBy(all, deviceOfRecord);
    const known = [...this.#statesOf(read), ...this.#strangersIn(read, byDevice)];
    const listed = known.filter(({ device }) => byDevice.has(device.device));
    const states: DeviceState[] = [];
    for (const state of listed) if (await this.#take(state, byDevice.get(state.device.device), undefined, startedAtMs)) states.push(state);
    if (states.length === 0 && known.some(({ features }) => features.size > 0)) throw nonsense(SHOWS_NOTHING);
    return states;
  }

  /** Devices that the read was not made for and that are known all the same, now that it has shown them. */
  #strangersIn(read: ReadTarget, byDevice: ReadonlyMap<string, readonly unknown[]>): readonly DeviceState[] {
    const { gateway } = read.target;
    const asked = new Set(devicesOf(read).map(({ device }) => device));
    return [...byDevice].flatMap(([device, records]) => {
      // A record of which not even the device can be told shows none.
      if (asked.has(device) || !records.some((record) => parseFeature(record).ok)) return [];
      this.#store.emit('otherDeviceSeen', gateway, device);
      return this.#store.states.get(deviceKey({ gateway, device })) ?? [];
    });
  }

  /** False where it shows nothing of a device that had features before: as little can be said of it as after an error. */
  async #take(
    state: DeviceState,
    records: readonly unknown[] | undefined,
    wanted: string | undefined,
    startedAtMs: number,
  ): Promise<boolean> {
    if (!records) throw nonsense('the answer holds no feature record');
    /** By name: of a feature that is listed twice the last record counts. */
    const seen = new Map<string, Feature>();
    const listed = new Set<string>();
    let room = MOST_FEATURES - state.features.size;
    let further = 0;
    for (const [index, record] of records.entries()) {
      // An answer that is out of all proportion must not keep the bridge from its other work.
      if (index > 0 && index % RECORDS_AT_A_TIME === 0) await turnOfTheLoop();
      const feature = this.#understand(state, record, wanted ?? `record ${index}`);
      const name = feature?.name ?? nameOf(record, '');
      listed.add(name);
      if (!feature || (wanted === undefined && !isChosen(state.device, name))) continue;
      if (wanted !== undefined && name !== wanted) throw nonsense(`the answer is about ${name.slice(0, 100)} instead of ${wanted}`);
      const isNew = !seen.has(name) && !state.features.has(name);
      if (isNew && room <= 0) further += 1;
      else seen.set(name, feature);
      if (isNew) room -= 1;
    }
    if (wanted !== undefined && records.length === 0) throw nonsense('the answer holds no feature record');
    this.#tellFurther(state, further);
    const features = [...seen.values()];
    this.#store.take(state, features, startedAtMs);
    if (wanted !== undefined) return true;
    // What makes no sense is there all the same.
    if (features.length > 0) this.#store.emit('featuresListed', state, listed);
    return features.length > 0 || state.features.size === 0;
  }

  /** Says once of a device that it shows more features than a device can have. */
  #tellFurther({ device }: DeviceState, further: number): void {
    const trouble = `${deviceKey(device)} *`;
    if (further > 0 && !this.#rotten.has(trouble))
      this.#log.warn(
        { device: device.name, most: MOST_FEATURES, further },
        'the platform lists more features than a device can have; the first are taken, with those known before, and the rest is left out',
      );
    if (further > 0) this.#rotten.add(trouble);
    else this.#rotten.delete(trouble);
  }

  #understand(state: DeviceState, record: unknown, place: string): Feature | undefined {
    const checked = parseFeature(record);
    const name = checked.ok ? checked.value.name : nameOf(record, place);
    const issues = checked.ok ? (checked.value.issues ?? []) : checked.issues;
    const what = issues.map(({ path, message }) => `${path} ${message}`.trim()).join('; ');
    const trouble = `${deviceKey(state.device)} ${name}`;
    if (!what) this.#rotten.delete(trouble);
    else if (!this.#rotten.has(trouble) && this.#rotten.size < MOST_ROTTEN) {
      this.#rotten.add(trouble);
      const sentence = checked.ok ? 'a part of a record makes no sense and is left out' : 'a record makes no sense and is left out';
      const more = this.#rotten.size === MOST_ROTTEN ? '; further ones are not told' : '';
      this.#log.warn({ device: state.device.name, feature: name, why: what.slice(0, 500) }, sentence + more);
    }
    if (checked.ok && checked.value.contradictions) this.#tellContradictions(state, checked.value, checked.value.contradictions);
    return checked.ok ? checked.value : undefined;
  }

  /** Each value is told once: one that contradicts its type now and then would be told again and again. */
  #tellContradictions({ device }: DeviceState, { name }: Feature, contradictions: readonly Issue[]): void {
    for (const { path, message } of contradictions) {
      const trouble = `${deviceKey(device)} ${name} ${path}`;
      if (this.#contradictions.has(trouble) || this.#contradictions.size >= MOST_ROTTEN) continue;
      this.#contradictions.add(trouble);
      this.#log.warn(
        { device: device.name, feature: name, why: `${path} ${message}`.slice(0, 500) },
        'a value is not of the type that the platform declares for it; it is shown as it is',
      );
    }
  }
}

/** Several times what the largest device has that was ever recorded. */
const MOST_FEATURES = 5000;
/** So many records that make no sense are told, and remembered as told. */
const MOST_ROTTEN = 200;
const RECORDS_AT_A_TIME = 500;

const turnOfTheLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const SHOWS_NOTHING = 'the list shows none of the features that were there before';

/** An answer that came, but says nothing that can be understood. */
export const nonsense = (message: string): CallFailure =>
  Object.assign(new Error(message), { code: 'bad_answer', executed: 'no' as const });

/** True for what a platform door rejects with. */
export const isCallFailure = (error: unknown): error is CallFailure =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && 'executed' in error;

const nameOf = (record: unknown, otherwise: string): string => {
  const name = typeof record === 'object' && record !== null && 'feature' in record ? record.feature : undefined;
  return typeof name === 'string' && name !== '' ? name.slice(0, 200) : otherwise;
};
