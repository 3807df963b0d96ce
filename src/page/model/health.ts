import { isRecord, jsonObject } from '../../shared/json.ts';
import { type ActiveFault, faultsOf, type StaleData, staleOf } from '../faults/model.ts';
import { type Device, type Topics, textOf } from './device.ts';

/** How the page reaches the bridge. */
export type Link = 'connecting' | 'live' | 'polling' | 'lost';

/** What the first line of the overview says: one thing at a time, the most urgent first. */
export type Health =
  | { readonly kind: 'well'; readonly readAt: string }
  | { readonly kind: 'connecting' | 'lost' | 'starting' | 'started' | 'broker' | 'taken' | 'login' | 'login_fails' }
  | { readonly kind: 'consent'; readonly at: string }
  | { readonly kind: 'calls'; readonly at: string }
  /** The account may read nothing. */
  | { readonly kind: 'plan' }
  /** The broker lets the bridge read nothing. */
  | { readonly kind: 'unread' }
  /** Faults and warnings that last. */
  | { readonly kind: 'fault'; readonly faults: readonly ActiveFault[] }
  | { readonly kind: 'stale'; readonly stale: readonly StaleData[] }
  | { readonly kind: 'offline'; readonly devices: readonly string[] }
  | { readonly kind: 'reading'; readonly since?: string };

/** What mends it: another try to connect, a read now, a part of the settings. */
type Remedy = 'retry' | 'read' | 'login' | 'broker' | 'tests';

/** The one thing that helps, by what is said; where nothing is listed there is nothing to do, or nothing but to wait. */
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

/** One read that fails may work again soon. */
const SHORTEST_PATIENCE_MS = 180_000;
/** Two computations of the same instant differ by a moment. */
const SAME_MS = 1000;
/** Failures by which the platform itself says that a device is offline. */
const SAYS_OFFLINE: ReadonlySet<unknown> = new Set(['gateway_offline', 'device_offline']);
const DAYS_BEFORE_CONSENT = 14;
const DAY_MS = 86_400_000;

/** What lasts of faults and warnings, else of frozen data; undefined without any. */
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

/** True for a boiler or heat pump; false for rooms, gateways and the like. */
export const isHeating = ({ features }: Device): boolean => [...features.keys()].some((name) => HEATING.test(name));

/** True where no heating is online; without one, no device. */
const isWhole = (devices: readonly Device[]): boolean => {
  const heatings = devices.filter(isHeating);
  return !(heatings.length > 0 ? heatings : devices).some(({ isOnline }) => isOnline);
};

/** What to say of the whole, at this time of the bridge. */
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
  if (isRecord(problems['broker'])) return { kind: 'unread' };
  const { last_success_at, last_poll_at, poll_seconds, problem } = topic('health');
  const offline = devices.filter(({ isOnline }) => !isOnline).map(({ name }) => name);
  // Where the platform does not answer, nothing is known of the gateway.
  const isOffline = offline.length > 0 && (problem === undefined || SAYS_OFFLINE.has(problem));
  if (isOffline && isWhole(devices)) return { kind: 'offline', devices: [] };
  const fault = faultHealth(topics, base, devices);
  // A thermostat whose battery is empty hides no fault of the heating.
  if (isOffline && fault?.kind !== 'fault') return { kind: 'offline', devices: offline };
  if (fault) return fault;
  const consent = textOf(auth['consent_expires_at']);
  if (consent !== undefined && Date.parse(consent) - nowMs < DAYS_BEFORE_CONSENT * DAY_MS) return { kind: 'consent', at: consent };
  const [readAt, askedAt] = [textOf(last_success_at), textOf(last_poll_at)];
  if (readAt === undefined && (askedAt !== undefined || problem !== undefined)) return { kind: 'reading' };
  // What is shown is from an earlier run.
  if (readAt === undefined) return { kind: devices.every(({ features }) => features.size === 0) ? 'starting' : 'started' };
  const patienceMs = Math.max(SHORTEST_PATIENCE_MS, typeof poll_seconds === 'number' ? poll_seconds * 3000 : 0);
  // The last read decides; the next one may be minutes away, as the pauses between those that fail grow.
  const readMs = Date.parse(readAt);
  const isFailing = askedAt !== undefined && Date.parse(askedAt) - readMs > SAME_MS && nowMs - readMs > patienceMs;
  return isFailing || offline.length > 0 ? { kind: 'reading', since: readAt } : { kind: 'well', readAt };
};
