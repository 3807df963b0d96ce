import type { Feature } from '../../features/feature.ts';
import { deviceOfRecord, parseFeature, recordsOf } from '../../features/parseFeature.ts';
import { recordTexts } from '../../features/recordTexts.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Checked } from '../../shared/issue.ts';
import { isRecord } from '../../shared/json.ts';
import type { Log } from '../../shared/log.ts';
import { type DeviceState, deviceKey } from '../devices/deviceState.ts';
import type { FeatureStore } from '../devices/featureStore.ts';
import type { Body, CallFailure, Platform } from '../ports.ts';
import { readLog } from './readLog.ts';
import { devicesOf, isChosen, type ReadResult, type ReadTarget, readKey } from './readTarget.ts';

/** Makes reads and puts what they show into the store. The same read wanted twice at the same time is one call. */
export const featureReader = (platform: Platform, store: FeatureStore, clock: Clock, log: Log, signal: AbortSignal) => {
  const underWay = new Map<string, Promise<ReadResult>>();
  /** What each read has shown last, by `readKey`: reads are planned anew, and what a command needs is read by targets of its own. */
  const answers = new WeakMap<DeviceState, Map<string, Answer>>();
  /** What `problems` knows. */
  const noted = new WeakSet<Checked<Feature>>();
  const problems = readLog(log);

  /** One call, or the answer of the same one that is under way. Never rejects. */
  const read = (wanted: ReadTarget): Promise<ReadResult> => {
    const key = readKey(wanted.target);
    const result = underWay.get(key) ?? call(wanted).finally(() => underWay.delete(key));
    underWay.set(key, result);
    return result;
  };

  const call = async (read: ReadTarget): Promise<ReadResult> => {
    const { feature } = read.target;
    const startedAtMs = clock.elapsedMs();
    const shown: DeviceState[] = [];
    let result: ReadResult = { ok: true };
    try {
      const dealt = deal(read, await recordsIn(read, await platform.fetchFeatures(read.target, signal)));
      for (const [state, records] of dealt) if (records && (await take(state, records, feature, startedAtMs))) shown.push(state);
      if (shown.length === 0 && [...dealt.keys()].some(({ features }) => features.size > 0)) throw nonsense(SHOWS_NOTHING);
    } catch (error) {
      // An answer of an unforeseen form must not end the process.
      result = { ok: false, failure: isCallFailure(error) ? error : nonsense(`the answer cannot be understood (${String(error)})`) };
    }
    if (result.ok) problems.worked(read);
    else problems.failed(read, result.failure.code, result.failure.message);
    for (const state of result.ok ? shown : statesOf(read)) store.readEnded(state, read, result);
    if (!result.ok) store.emit('readFailed', read, result.failure);
    return result;
  };

  /** The devices of a read that are still known: a device may have been removed while it was read. */
  const statesOf = (read: ReadTarget): readonly DeviceState[] =>
    devicesOf(read).flatMap((device) => store.states.get(deviceKey(device)) ?? []);

  /**
   * The records of an answer; undefined where it is no list of records. The same answer as before is not parsed, and the same record gives the
   * same object, so that nothing that follows from it is done again.
   */
  const recordsIn = async (read: ReadTarget, body: Body): Promise<readonly ReadRecord[] | undefined> => {
    const [state] = statesOf(read);
    const known = (state && answers.get(state)) ?? new Map<string, Answer>();
    if (state) answers.set(state, known);
    const key = readKey(read.target);
    const before = known.get(key);
    if (before?.digest === body.digest) return before.records;
    const entries = entriesOf(body, before?.records ?? []);
    const records: ReadRecord[] = [];
    const further = furtherRecords(read.target.device);
    for (const entry of entries ?? []) {
      // A very large answer must not keep the bridge from its other work.
      if (records.length % RECORDS_AT_A_TIME === RECORDS_AT_A_TIME - 1) await turnOfTheLoop();
      if (!('raw' in entry)) records.push(entry);
      else records.push(records.length < MOST_FEATURES ? readRecord(entry, read.target.device) : further(entry.raw));
    }
    if (entries && records.length <= MOST_FEATURES) known.set(key, { digest: body.digest, records });
    return entries && records;
  };

  /** The records by device; undefined for a device that the list of its gateway does not name, which says nothing of the device. */
  const deal = (
    read: ReadTarget,
    records: readonly ReadRecord[] | undefined,
  ): ReadonlyMap<DeviceState, readonly ReadRecord[] | undefined> => {
    const states = statesOf(read);
    if (read.target.device !== undefined) {
      if (!records && states.length > 0) throw nonsense('the answer holds no feature record');
      return new Map(states.map((state) => [state, records]));
    }
    if (!records) throw nonsense('the answer holds no list of feature records');
    const byDevice = Map.groupBy(records, ({ device }) => device);
    return new Map([...states, ...othersIn(read, byDevice)].map((state) => [state, byDevice.get(state.device.device)]));
  };

  /** Devices that the read was not made for and that are known all the same, now that it has shown them. */
  const othersIn = (read: ReadTarget, byDevice: ReadonlyMap<string, readonly ReadRecord[]>): readonly DeviceState[] => {
    const { gateway } = read.target;
    const asked = new Set(devicesOf(read).map(({ device }) => device));
    return [...byDevice].flatMap(([device, records]) => {
      // A malformed record is no sign of a device.
      if (asked.has(device) || !records.some(({ parsed }) => parsed.ok)) return [];
      store.emit('otherDeviceSeen', gateway, device);
      return store.states.get(deviceKey({ gateway, device })) ?? [];
    });
  };

  /** False where the records show nothing of a device that had features before: that says as little as an error. */
  const take = async (
    state: DeviceState,
    records: readonly ReadRecord[],
    wanted: string | undefined,
    startedAtMs: number,
  ): Promise<boolean> => {
    if (wanted !== undefined && records.length === 0) throw nonsense('the answer holds no feature record');
    /** By name: of a feature that is listed twice the last record counts. */
    const seen = new Map<string, Feature>();
    const listed = new Set<string>();
    let room = MOST_FEATURES - state.features.size;
    let further = 0;
    for (const [index, { name: itsName, parsed }] of records.entries()) {
      if (index > 0 && index % RECORDS_AT_A_TIME === 0) await turnOfTheLoop();
      const name = parsed.ok ? parsed.value.name : itsName;
      if (!noted.has(parsed)) problems.parsed(state.device, name || (wanted ?? `record ${index}`), parsed);
      noted.add(parsed);
      listed.add(name);
      if (!parsed.ok || (wanted === undefined && !isChosen(state.device, name))) continue;
      if (wanted !== undefined && name !== wanted) throw nonsense(`the answer is about ${name.slice(0, 100)} instead of ${wanted}`);
      const isNew = !seen.has(name) && !state.features.has(name);
      if (isNew && room <= 0) further += 1;
      else seen.set(name, parsed.value);
      if (isNew) room -= 1;
    }
    problems.leftOut(state.device, further, MOST_FEATURES);
    if (wanted === undefined) state.isPartlyRead = false;
    else if (state.features.size === 0) state.isPartlyRead = true;
    store.take(state, [...seen.values()], startedAtMs);
    if (wanted !== undefined) return true;
    // A malformed record still shows that the platform has the feature.
    if (seen.size > 0) store.emit('featuresListed', state, listed);
    return seen.size > 0 || state.features.size === 0;
  };

  return { read };
};

export type FeatureReader = ReturnType<typeof featureReader>;

/** A record of an answer. */
type ReadRecord = {
  /** The id of its device. */
  readonly device: string;
  /** As the record has it; empty where it has none. */
  readonly name: string;
  /** As it came; undefined where the body was parsed whole. */
  readonly text: string | undefined;
  readonly parsed: Checked<Feature>;
};

type Answer = { readonly digest: string; readonly records: readonly ReadRecord[] };

/** A record that is another one than before. */
type NewRecord = { readonly raw: unknown; readonly text?: string };

/** The records of a body, those that are the same as before as they were parsed then; undefined where the body is no list of records. */
const entriesOf = (body: Body, before: readonly ReadRecord[]): Iterable<ReadRecord | NewRecord> | undefined => {
  const texts = recordTexts(
    body.text(),
    before.map(({ text }) => text),
  );
  // By text, as records move where another one comes or goes.
  const known = new Map(before.map((record) => [record.text, record]));
  try {
    if (texts) return texts.map((text) => known.get(text) ?? { raw: JSON.parse(text), text });
  } catch {
    // Then the whole is no JSON either, which its failure says.
  }
  const all = recordsOf(body.json());
  return all && newRecords(all);
};

/** One by one, as a malformed answer may hold millions. */
function* newRecords(all: readonly unknown[]): Generator<NewRecord> {
  for (const raw of all) yield { raw };
}

const readRecord = ({ raw, text }: NewRecord, device: string | undefined): ReadRecord => ({
  device: device ?? deviceOfRecord(raw),
  name: nameOf(raw),
  text,
  parsed: parseFeature(raw),
});

/**
 * Records beyond `MOST_FEATURES`, of which a malformed answer may hold millions. Each is parsed when it is looked at: kept parsed, they would
 * take a hundred times the memory. One with the same text as the last of its name is that one.
 */
const furtherRecords = (device: string | undefined): ((raw: unknown) => ReadRecord) => {
  const known = new Map<string, { readonly text: string; readonly record: ReadRecord }>();
  let last: { readonly raw: unknown; readonly parsed: Checked<Feature> } | undefined;
  const parse = (raw: unknown): Checked<Feature> => {
    if (last !== undefined && last.raw === raw) return last.parsed;
    const parsed = parseFeature(raw);
    last = { raw, parsed };
    return parsed;
  };
  return (raw) => {
    const name = nameOf(raw);
    const text = textOf(raw);
    const before = known.get(name);
    if (before && before.text === text) return before.record;
    const record = new FurtherRecord(raw, device, name, parse);
    if (text !== undefined && (before || known.size < MOST_FEATURES)) known.set(name, { text, record });
    return record;
  };
};

/** A class, as a getter in an object literal costs 2 kB each. */
class FurtherRecord implements ReadRecord {
  readonly device: string;
  readonly name: string;
  readonly text: string | undefined = undefined;
  readonly #raw: unknown;
  readonly #parse: (raw: unknown) => Checked<Feature>;

  constructor(raw: unknown, device: string | undefined, name: string, parse: (raw: unknown) => Checked<Feature>) {
    this.device = device ?? deviceOfRecord(raw);
    this.name = name;
    this.#raw = raw;
    this.#parse = parse;
  }

  get parsed(): Checked<Feature> {
    return this.#parse(this.#raw);
  }
}

/** The record as JSON; undefined where it is nested too deep for that. */
const textOf = (record: unknown): string | undefined => {
  try {
    return JSON.stringify(record);
  } catch {
    return undefined;
  }
};

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

/** The name in a record that makes no sense otherwise; empty where it has none. */
const nameOf = (record: unknown): string => {
  const name = isRecord(record) ? record.feature : undefined;
  return typeof name === 'string' ? name.slice(0, 200) : '';
};
