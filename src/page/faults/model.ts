import type { FaultEntry } from '../../api/answers.ts';
import { STANDING } from '../../language/faults/standingWords.ts';
import type { Language } from '../../language/language.ts';
import { isRecord, jsonObject } from '../../shared/json.ts';
import { deviceTopic } from '../../topics/topicNames.ts';
import { type Topics, textOf } from '../model/device.ts';

/** An active fault, warning or service message. */
const activeOf = (value: unknown) => {
  if (!isRecord(value)) return [];
  const [code, kind, since] = [textOf(value.code), textOf(value.kind), textOf(value.since)];
  if (code === undefined || kind === undefined || since === undefined) return [];
  return [{ code, kind, since, text: textOf(value.text), clock: textOf(value.clock) }];
};

export type ActiveFault = ReturnType<typeof activeOf>[number];

const RUNS = /^heating\/(?:burners|compressors)\/\d+\/active$/;

const runsOf = (topics: Topics, root: string): boolean | undefined => {
  const states = [...topics].flatMap(([topic, payload]) =>
    topic.startsWith(root) && RUNS.test(topic.slice(root.length)) ? [payload] : [],
  );
  return states.length === 0 ? undefined : states.includes('true');
};

/**
 * The fault reports of these devices. `readAt`: the last read of the events (null: none) while they cannot be read;
 * `isRefused`: the platform refuses them to this account.
 */
export const faultsOf = (topics: Topics, base: string, devices: readonly { readonly name: string }[]) =>
  devices.flatMap(({ name: device }) => {
    const told = jsonObject(topics.get(deviceTopic(base, device, 'faults')) ?? '');
    if (!Array.isArray(told?.active)) return [];
    const active = told.active.flatMap(activeOf);
    // The last value of an offline or frozen device is not current.
    const isNow =
      topics.get(deviceTopic(base, device, 'availability')) !== 'offline' && staleOf(topics, base, [{ name: device }]).length === 0;
    // A burner or compressor runs now; undefined if unknown.
    const runs = active.length > 0 && isNow ? runsOf(topics, deviceTopic(base, device, '')) : undefined;
    const readAt = told['read_at'] === undefined ? undefined : (textOf(told['read_at']) ?? null);
    return [{ device, active, tells: told.tells !== false, isNow, readAt, isRefused: told['failed'] === 'not_paid', runs }];
  });

export type DeviceFaults = ReturnType<typeof faultsOf>[number];

/** From start to end, or to `open` without an end; a single moment is written once. */
export const spanOf = ({ since, until }: FaultEntry, written: (atMs: number) => string, open: string): string => {
  const end = until === undefined ? open : written(until);
  return since === until ? end : `${since === undefined ? '?' : written(since)} – ${end}`;
};

/** The maximum that fits on the installer's sheet. */
const MOST_ON_SHEET = 20;

/** The log entries for the installer's sheet: active ones, then those since `sinceMs`, statuses last. */
export const sheetFaults = (log: readonly FaultEntry[], sinceMs: number): readonly FaultEntry[] => {
  const rank = ({ kind, until }: FaultEntry): number => (kind === 'status' ? 2 : Number(until !== undefined));
  return log
    .filter(({ until }) => until === undefined || until > sinceMs)
    .toSorted((a, b) => rank(a) - rank(b))
    .slice(0, MOST_ON_SHEET);
};

type Rule = keyof (typeof STANDING)[Language]['stale'];

const isRule = (value: unknown): value is Rule => typeof value === 'string' && Object.hasOwn(STANDING.en.stale, value);

/**
 * The frozen data of these devices, with the rule that detected them; `features`: those affected, if only some are;
 * `canRestart`: the bridge may restart the gateway.
 */
export const staleOf = (topics: Topics, base: string, devices: readonly { readonly name: string }[]) =>
  devices.flatMap(({ name: device }) => {
    const stale = jsonObject(topics.get(deviceTopic(base, device, 'problems')) ?? '')?.['stale'];
    if (!isRecord(stale)) return [];
    const [since, { rule }] = [textOf(stale.since), stale];
    if (since === undefined || !isRule(rule)) return [];
    const features = Array.isArray(stale.features) ? stale.features.flatMap((name) => textOf(name) ?? []) : [];
    return [{ device, since, rule, features, canRestart: stale.can_restart === true }];
  });

export type StaleData = ReturnType<typeof staleOf>[number];
