import { isRecord, jsonObject } from '../../shared/json.ts';
import { type ActiveFault, faultsOf, type StaleData, staleOf } from '../faults/model.ts';
import { type Device, type Topics, textOf } from './device.ts';

/** The page's connection to the bridge. */
export type Link = 'connecting' | 'live' | 'polling' | 'lost';

/** The status line of the overview: one status at a time, the most urgent first. */
export type Health =
  | { readonly kind: 'well'; readonly readAt: string }
  | { readonly kind: 'connecting' | 'lost' | 'starting' | 'started' | 'broker' | 'taken' | 'login' | 'login_fails' }
  | { readonly kind: 'consent'; readonly at: string }
  | { readonly kind: 'calls'; readonly at: string }
  /** The account has no read permission. */
  | { readonly kind: 'plan' }
  /** The broker denies the bridge all reads. */
  | { readonly kind: 'unread' }
  /** The broker accepts no topic with a `.`. */
  | { readonly kind: 'dotted' }
  /** Active faults and warnings. */
  | { readonly kind: 'fault'; readonly faults: readonly ActiveFault[] }
  | { readonly kind: 'stale'; readonly stale: readonly StaleData[] }
  | { readonly kind: 'offline'; readonly devices: readonly string[] }
  | { readonly kind: 'reading'; readonly since?: string };

/** The remedy: reconnect, read now, or a part of the settings. */
type Remedy = 'retry' | 'read' | 'login' | 'broker' | 'tests';

/** The remedy per status. Statuses without a remedy need no action, or only patience. */
export const REMEDIES: Readonly<Partial<Record<Health['kind'], Remedy>>> = {
  lost: 'retry',
  broker: 'broker',
  login: 'login',
  login_fails: 'tests',
  unread: 'tests',
  consent: 'login',
  offline: 'read',
  reading: 'read',
};

/** A single failed read may recover soon. */
const SHORTEST_PATIENCE_MS = 180_000;
/** Tolerance between two computations of the same instant. */
const SAME_MS = 1000;
/** Errors by which the platform reports that a device is offline. */
const SAYS_OFFLINE: ReadonlySet<unknown> = new Set(['gateway_offline', 'device_offline']);
const DAYS_BEFORE_CONSENT = 14;
const DAY_MS = 86_400_000;

/** Active faults and warnings, else frozen data; undefined without any. */
export const faultHealth = (
  topics: Topics,
  base: string,
  devices: readonly { readonly name: string }[],
): Extract<Health, { kind: 'fault' | 'stale' }> | undefined => {
  const faults = faultsOf(topics, base, devices).flatMap(({ active }) =>
    active.filter(({ kind }) => kind === 'fault' || kind === 'warning'),
  );
  if (faults.length > 0) return { kind: 'fault', faults };
  const stale = staleOf(topics, base, devices);
  return stale.length > 0 ? { kind: 'stale', stale } : undefined;
};

const HEATING = /^heating\.(?:circuits|dhw|burners?|compressors|boiler|sensors)\b/u;

/** True for a boiler or heat pump; false for rooms, gateways and similar devices. */
export const isHeating = ({ features }: Device): boolean => [...features.keys()].some((name) => HEATING.test(name));

/** True if no heating is online or, without a heating, no device. */
const isWhole = (devices: readonly Device[]): boolean => {
  const heatings = devices.filter(isHeating);
  return !(heatings.length > 0 ? heatings : devices).some(({ isOnline }) => isOnline);
};

/** The overall status at the bridge's time `nowMs`. */
export const healthOf = (topics: Topics, base: string, devices: readonly Device[], link: Link, nowMs: number): Health => {
  const topic = (leaf: string): Readonly<Record<string, unknown>> => jsonObject(topics.get(`${base}/bridge/${leaf}`) ?? '') ?? {};
  if (link === 'lost') return { kind: 'lost' };
  if (link === 'connecting') return { kind: 'connecting' };
  const auth = topic('auth');
  if (auth['state'] === 'login_needed') return { kind: 'login' };
  if (topics.get(`${base}/bridge/state`) === 'offline') return { kind: topics.has(`${base}/bridge/contested`) ? 'taken' : 'broker' };
  const reset = textOf(topic('quota')['reset_at']);
  if (reset !== undefined && Date.parse(reset) > nowMs) return { kind: 'calls', at: reset };
  if (auth['state'] === 'failing') return { kind: 'login_fails' };
  const problems = topic('problems');
  if (isRecord(problems['plan'])) return { kind: 'plan' };
  if (isRecord(problems['broker'])) return { kind: problems['broker']['dots'] === true ? 'dotted' : 'unread' };
  const { last_success_at, last_poll_at, poll_seconds, problem } = topic('health');
  const offline = devices.filter(({ isOnline }) => !isOnline).map(({ name }) => name);
  const [readAt, askedAt] = [textOf(last_success_at), textOf(last_poll_at)];
  const hasFailed = readAt === undefined || (askedAt !== undefined && Date.parse(askedAt) - Date.parse(readAt) > SAME_MS);
  // If the platform does not answer, or refuses the call (429, which is no problem of its own), the state of the gateway is unknown.
  const isOffline = offline.length > 0 && (problem === undefined ? !hasFailed : SAYS_OFFLINE.has(problem));
  if (isOffline && isWhole(devices)) return { kind: 'offline', devices: [] };
  const fault = faultHealth(topics, base, devices);
  // A thermostat with an empty battery must not hide a fault of the heating.
  if (isOffline && fault?.kind !== 'fault') return { kind: 'offline', devices: offline };
  if (fault) return fault;
  const consent = textOf(auth['consent_expires_at']);
  if (consent !== undefined && Date.parse(consent) - nowMs < DAYS_BEFORE_CONSENT * DAY_MS) return { kind: 'consent', at: consent };
  if (readAt === undefined && (askedAt !== undefined || problem !== undefined)) return { kind: 'reading' };
  // The shown values are from an earlier run.
  if (readAt === undefined) return { kind: devices.every(({ features }) => features.size === 0) ? 'starting' : 'started' };
  const patienceMs = Math.max(SHORTEST_PATIENCE_MS, typeof poll_seconds === 'number' ? poll_seconds * 3000 : 0);
  // The last read decides: the next may be minutes away, because pauses grow after failures.
  const readMs = Date.parse(readAt);
  return (hasFailed && nowMs - readMs > patienceMs) || offline.length > 0 ? { kind: 'reading', since: readAt } : { kind: 'well', readAt };
};
