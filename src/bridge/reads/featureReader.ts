import type { Feature } from '../../features/feature.ts';
import { cutRecords, deviceOfRecord, parseFeature, recordsOf } from '../../features/parseFeature.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Checked } from '../../shared/issue.ts';
import { isRecord } from '../../shared/json.ts';
import type { Log } from '../../shared/log.ts';
import { sha1 } from '../../shared/message.ts';
import { type Body, type CallFailure, isCallFailure, type Platform, type Target } from '../ports.ts';
import { type DeviceState, deviceKey } from '../state/deviceState.ts';
import type { FeatureStore } from '../state/featureStore.ts';
import { devicesOf, isChosen, type ReadResult, type ReadTarget, readKey } from '../state/readTarget.ts';
import { readLog } from './readLog.ts';

/** Makes reads and stores their results. Two identical reads at the same time are one call. */
export const featureReader = (platform: Platform, store: FeatureStore, clock: Clock, log: Log, signal: AbortSignal) => {
  const underWay = new Map<string, Promise<ReadResult>>();
  /** The last answer of each read, by `readKey`. */
  const answers = new Map<string, ParsedAnswer>();
  const problems = readLog(log);

  /** One call, or the answer of an identical call in progress. Never rejects. */
  const read = (wanted: ReadTarget): Promise<ReadResult> => {
    const key = readKey(wanted.target);
    const result = underWay.get(key) ?? call(wanted).finally(() => underWay.delete(key));
    underWay.set(key, result);
    return result;
  };

  const call = async (read: ReadTarget): Promise<ReadResult> => {
    const startedAtMs = clock.elapsedMs();
    const shown: DeviceState[] = [];
    let result: ReadResult = { ok: true };
    try {
      const records = recordsIn(read, await platform.fetchFeatures(read.target, signal));
      const states = [...statesOf(read), ...othersIn(read, records)];
      for (const state of states) if (take(state, records, read, startedAtMs)) shown.push(state);
      if (shown.length === 0 && states.some(({ features }) => features.size > 0)) throw invalidAnswer(SHOWS_NOTHING);
    } catch (error) {
      // An answer of an unexpected form must not end the process.
      result = { ok: false, failure: isCallFailure(error) ? error : invalidAnswer(`the answer cannot be understood (${String(error)})`) };
    }
    if (result.ok) problems.worked(read);
    else problems.failed(read, result.failure.code, result.failure.message);
    for (const state of result.ok ? shown : statesOf(read)) store.readEnded(state, read, result);
    if (!result.ok) store.emit('readFailed', read, result.failure);
    return result;
  };

  /** The devices of a read that are still known: one may have been removed during the read. */
  const statesOf = (read: ReadTarget): readonly DeviceState[] =>
    devicesOf(read).flatMap((device) => store.states.get(deviceKey(device)) ?? []);

  /** The records of an answer. An unchanged answer is not parsed; unchanged records keep their object. */
  const recordsIn = ({ target }: ReadTarget, body: Body): readonly ReadRecord[] => {
    const key = readKey(target);
    const before = answers.get(key);
    if (before?.digest === body.digest) return before.records;
    const known = new Map(before?.records.map((record) => [record.digest, record]));
    const readRecord = (json: unknown, digest?: string): ReadRecord => ({
      device: target.device ?? deviceOfRecord(json),
      name: nameOf(json),
      digest,
      parsed: parseFeature(json),
    });
    const cut = cutRecords(body.text(), MOST_RECORDS, (text) => {
      const digest = sha1(text, 'base64');
      return known.get(digest) ?? readRecord(JSON.parse(text), digest);
    });
    const records = cut ?? wholeList(target, body.json()).map((json) => readRecord(json));
    answers.set(key, { digest: body.digest, records });
    return records;
  };

  /** Known devices that this gateway read did not expect but has shown. */
  const othersIn = (read: ReadTarget, records: readonly ReadRecord[]): readonly DeviceState[] => {
    const { gateway, device: only } = read.target;
    if (only !== undefined) return [];
    const asked = new Set(devicesOf(read).map(({ device }) => device));
    // A malformed record is no evidence of a device.
    const seen = new Set(records.flatMap(({ device, parsed }) => (parsed.ok && !asked.has(device) ? [device] : [])));
    return [...seen].flatMap((device) => {
      store.emit('otherDeviceSeen', gateway, device);
      return store.states.get(deviceKey({ gateway, device })) ?? [];
    });
  };

  /** False if a device that had features shows none: like an error, this is no information. */
  const take = (state: DeviceState, all: readonly ReadRecord[], { target }: ReadTarget, startedAtMs: number): boolean => {
    const { feature: wanted } = target;
    const records = target.device === undefined ? all.filter(({ device }) => device === state.device.device) : all;
    // The gateway's list does not name the device: this is no information about it.
    if (target.device === undefined && records.length === 0) return false;
    if (wanted !== undefined && records.length === 0) throw invalidAnswer('the answer contains no feature record');
    /** By name: if a feature is listed twice, the last record counts. */
    const seen = new Map<string, Feature>();
    const listed = new Set<string>();
    for (const [index, { name: itsName, parsed }] of records.entries()) {
      const name = parsed.ok ? parsed.value.name : itsName;
      problems.parsed(state.device, name || (wanted ?? `record ${index}`), parsed);
      listed.add(name);
      if (!parsed.ok || (wanted === undefined && !isChosen(state.device, name))) continue;
      if (wanted !== undefined && name !== wanted) throw invalidAnswer(`the answer is about ${name.slice(0, 100)} instead of ${wanted}`);
      seen.set(name, parsed.value);
    }
    const added = [...seen.keys()].filter((name) => !state.features.has(name)).length;
    if (state.features.size + added > MOST_FEATURES) throw invalidAnswer(`the device has more than ${MOST_FEATURES} features, the maximum`);
    const features = [...seen.values()];
    const changed = features.filter((feature) => state.take(feature, startedAtMs));
    if (features.length > 0) {
      state.noteRead(Math.round(clock.now() - (clock.elapsedMs() - startedAtMs)), wanted);
      store.emit('featuresRead', { state, features, changed });
    }
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
  /** As in the record; empty if it has none. */
  readonly name: string;
  /** Identifies the record; undefined if the body was parsed as a whole. */
  readonly digest: string | undefined;
  readonly parsed: Checked<Feature>;
};

type ParsedAnswer = { readonly digest: string; readonly records: readonly ReadRecord[] };

/** The records of a body that is parsed as a whole. */
const wholeList = ({ device }: Target, body: unknown): readonly unknown[] => {
  const all = recordsOf(body);
  if (!all) throw invalidAnswer(`the answer contains no ${device === undefined ? 'list of feature records' : 'feature record'}`);
  if (all.length > MOST_RECORDS) throw invalidAnswer(`the answer contains ${all.length} records; the maximum is ${MOST_RECORDS}`);
  return all;
};

// Malformed 8 MB answers may hold millions of records: over 1 GB and minutes to parse. Valid ones of that
// size have at most 16,000, and a recorded device at most 457 features.
const MOST_RECORDS = 20_000;
const MOST_FEATURES = 5000;

const SHOWS_NOTHING = 'the list contains none of the features that it contained before';

/** The failure of a call whose answer cannot be understood. */
export const invalidAnswer = (message: string): CallFailure =>
  Object.assign(new Error(message), { code: 'bad_answer', executed: 'no' as const });

/** The feature name in a malformed record; empty if there is none. */
const nameOf = (record: unknown): string => {
  const name = isRecord(record) ? record.feature : undefined;
  return typeof name === 'string' ? name.slice(0, 200) : '';
};
