import type { Feature } from '../../features/feature.ts';
import { deviceOfRecord, parseFeature, recordsOf } from '../../features/parseFeature.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Log } from '../../shared/log.ts';
import { type DeviceState, deviceKey } from '../devices/deviceState.ts';
import type { FeatureStore } from '../devices/featureStore.ts';
import type { CallFailure, Platform } from '../ports.ts';
import { FailureLog } from './failureLog.ts';
import { devicesOf, isChosen, type ReadResult, type ReadTarget, readKey } from './readTarget.ts';
import { RecordLog } from './recordLog.ts';

/** Makes reads and puts what they show into the store. The same read wanted twice at the same time is one call. */
export class FeatureReader {
  readonly #platform: Platform;
  readonly #store: FeatureStore;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #underWay = new Map<string, Promise<ReadResult>>();
  readonly #failures: FailureLog;
  readonly #records: RecordLog;

  constructor(platform: Platform, store: FeatureStore, clock: Clock, log: Log, signal: AbortSignal) {
    this.#platform = platform;
    this.#store = store;
    this.#clock = clock;
    this.#failures = new FailureLog(log);
    this.#records = new RecordLog(log);
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
    const { feature } = read.target;
    const startedAtMs = this.#clock.elapsedMs();
    const shown: DeviceState[] = [];
    let result: ReadResult = { ok: true };
    try {
      const dealt = this.#deal(read, await this.#platform.readFeatures(read.target, this.#signal));
      for (const [state, records] of dealt) if (records && (await this.#take(state, records, feature, startedAtMs))) shown.push(state);
      if (shown.length === 0 && [...dealt.keys()].some(({ features }) => features.size > 0)) throw nonsense(SHOWS_NOTHING);
    } catch (error) {
      // An answer of an unforeseen form must not end the process.
      result = { ok: false, failure: isCallFailure(error) ? error : nonsense(`the answer cannot be understood (${String(error)})`) };
    }
    if (result.ok) this.#failures.worked(read);
    else this.#failures.failed(read, result.failure.code, result.failure.message);
    for (const state of result.ok ? shown : this.#statesOf(read)) this.#store.readEnded(state, read, result);
    if (!result.ok) this.#store.emit('readFailed', read, result.failure);
    return result;
  }

  /** The devices of a read that are still known: a device may have been removed while it was read. */
  #statesOf(read: ReadTarget): readonly DeviceState[] {
    return devicesOf(read).flatMap((device) => this.#store.states.get(deviceKey(device)) ?? []);
  }

  /** The records by device; undefined for a device that the list of its gateway does not name, which says nothing of the device. */
  #deal(read: ReadTarget, body: unknown): ReadonlyMap<DeviceState, readonly unknown[] | undefined> {
    const states = this.#statesOf(read);
    const records = recordsOf(body);
    if (read.target.device !== undefined) {
      if (!records && states.length > 0) throw nonsense('the answer holds no feature record');
      return new Map(states.map((state) => [state, records]));
    }
    if (!records) throw nonsense('the answer holds no list of feature records');
    const byDevice = Map.groupBy(records, deviceOfRecord);
    return new Map([...states, ...this.#othersIn(read, byDevice)].map((state) => [state, byDevice.get(state.device.device)]));
  }

  /** Devices that the read was not made for and that are known all the same, now that it has shown them. */
  #othersIn(read: ReadTarget, byDevice: ReadonlyMap<string, readonly unknown[]>): readonly DeviceState[] {
    const { gateway } = read.target;
    const asked = new Set(devicesOf(read).map(({ device }) => device));
    return [...byDevice].flatMap(([device, records]) => {
      // A malformed record is no sign of a device.
      if (asked.has(device) || !records.some((record) => parseFeature(record).ok)) return [];
      this.#store.emit('otherDeviceSeen', gateway, device);
      return this.#store.states.get(deviceKey({ gateway, device })) ?? [];
    });
  }

  /** False where the records show nothing of a device that had features before: that says as little as an error. */
  async #take(state: DeviceState, records: readonly unknown[], wanted: string | undefined, startedAtMs: number): Promise<boolean> {
    if (wanted !== undefined && records.length === 0) throw nonsense('the answer holds no feature record');
    /** By name: of a feature that is listed twice the last record counts. */
    const seen = new Map<string, Feature>();
    const listed = new Set<string>();
    let room = MOST_FEATURES - state.features.size;
    let further = 0;
    for (const [index, record] of records.entries()) {
      // A very large answer must not keep the bridge from its other work.
      if (index > 0 && index % RECORDS_AT_A_TIME === 0) await turnOfTheLoop();
      const parsed = parseFeature(record);
      this.#records.parsed(state.device, parsed.ok ? parsed.value.name : nameOf(record, wanted ?? `record ${index}`), parsed);
      const name = parsed.ok ? parsed.value.name : nameOf(record, '');
      listed.add(name);
      if (!parsed.ok || (wanted === undefined && !isChosen(state.device, name))) continue;
      if (wanted !== undefined && name !== wanted) throw nonsense(`the answer is about ${name.slice(0, 100)} instead of ${wanted}`);
      const isNew = !seen.has(name) && !state.features.has(name);
      if (isNew && room <= 0) further += 1;
      else seen.set(name, parsed.value);
      if (isNew) room -= 1;
    }
    this.#records.leftOut(state.device, further, MOST_FEATURES);
    this.#store.take(state, [...seen.values()], startedAtMs);
    if (wanted !== undefined) return true;
    // A malformed record still shows that the platform has the feature.
    if (seen.size > 0) this.#store.emit('featuresListed', state, listed);
    return seen.size > 0 || state.features.size === 0;
  }
}

/** Several times the number of features of the largest recorded device. */
const MOST_FEATURES = 5000;
const RECORDS_AT_A_TIME = 500;

const turnOfTheLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const SHOWS_NOTHING = 'the list shows none of the features that were there before';

/** The failure of a call whose answer cannot be understood. */
export const nonsense = (message: string): CallFailure =>
  Object.assign(new Error(message), { code: 'bad_answer', executed: 'no' as const });

/** True for an error of the platform adapter. */
export const isCallFailure = (error: unknown): error is CallFailure =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && 'executed' in error;

const nameOf = (record: unknown, otherwise: string): string => {
  const name = typeof record === 'object' && record !== null && 'feature' in record ? record.feature : undefined;
  return typeof name === 'string' && name !== '' ? name.slice(0, 200) : otherwise;
};
