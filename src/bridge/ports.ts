import type { Feature, Json } from '../features/feature.ts';
import type { EventsRead } from '../schedule/calendar/events.ts';
import type { Outgoing } from '../shared/message.ts';

/** The interfaces of the adapters, which import these types; app.ts connects them. */

/** Without `feature`: the whole device; without `device`: the gateway and all its devices. */
export type Target = { readonly installation: string; readonly gateway: string; readonly device?: string; readonly feature?: string };

/** A failed call, classified by the platform client. `executed`: `no` if a command surely had no effect. */
export type CallFailure = Error & FailureDetails & { readonly code: string; readonly executed: 'no' | 'unknown' };

/** True for an error of the platform adapter. */
export const isCallFailure = (error: unknown): error is CallFailure =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && 'executed' in error;

/** When calls are answered again, as a fact for a message; undefined if the failure does not say so. */
export const limitFacts = (error: unknown): { readonly until: string } | undefined =>
  isCallFailure(error) && error.limitReset !== undefined ? { until: new Date(error.limitReset).toISOString() } : undefined;

/** Facts about a failed call beside its code: the HTTP status and the platform's own words. */
export type FailureDetails = {
  readonly status?: number | undefined;
  readonly errorType?: string | undefined;
  readonly reason?: string | undefined;
  readonly viErrorId?: string | undefined;
  /** Epoch milliseconds by the platform's clock: no call is answered earlier. */
  readonly limitReset?: number | undefined;
  /** The platform's name for the limit, such as `ViCare day limit`. */
  readonly limitName?: string | undefined;
  /** The number of calls that the limit allows. */
  readonly limitCalls?: number | undefined;
};

/** The body of an answer. */
export type Body = {
  /** Differs if two bodies differ. */
  readonly digest: string;
  /** The raw text; empty for an HTML page. */
  text(): string;
  /** The JSON value; throws a CallFailure for other content or a failure sent as a success. */
  json(): unknown;
};

export interface Platform {
  /** Feature records; rejects with a CallFailure. */
  fetchFeatures(target: Target, signal: AbortSignal): Promise<Body>;
  /** Resolves when accepted; `adapted`: the device took another value. Rejects with a CallFailure. */
  execute(
    target: Required<Target>,
    command: string,
    args: Readonly<Record<string, Json>>,
    signal: AbortSignal,
  ): Promise<{ readonly adapted: boolean; readonly reason?: string; readonly message?: string }>;
}

/** The list of installations, gateways and devices. */
export interface Equipment {
  /** All raw pages; rejects with a CallFailure. Each page is a call: `beforePage` is awaited from page 2. */
  readInstallations(signal: AbortSignal, beforePage: () => Promise<void>): Promise<readonly unknown[]>;
}

/** The past events of an installation. */
export interface EventHistory {
  /** One raw page: the first one of the last days, or that of a cursor; rejects with a CallFailure. */
  readEvents(
    installation: string,
    from: { readonly lastNDays: number } | { readonly cursor: string },
    signal: AbortSignal,
  ): Promise<unknown>;
}

/** The restart of a gateway. */
export interface GatewayRestart {
  /** Resolves when the platform has accepted it; rejects with a CallFailure. */
  restartGateway(target: Pick<Target, 'installation' | 'gateway'>, signal: AbortSignal): Promise<void>;
}

/** A calendar read from its address. */
export interface CalendarSource {
  /** The name shown to users: the host, and the last characters of the address. */
  readonly name: string;
  /** A digest of the address: another address needs another approval. */
  readonly digest: string;
  /** The events in a period. Errors never contain the address; `isGone`: the calendar does not exist. */
  read(window: { readonly fromMs: number; readonly toMs: number }, signal: AbortSignal): Promise<EventsRead>;
}

/** Prices read from an address. */
export interface PriceSource {
  /** Like `CalendarSource.name`. */
  readonly name: string;
  /** The text; undefined if unchanged. Rejects like a CalendarSource. */
  read(signal: AbortSignal): Promise<string | undefined>;
}

/** A table of JSON values by key, kept over restarts. */
export interface KeyedStore {
  /** All stored values. They come from disk, so their shape is unknown. */
  read(): ReadonlyMap<string, unknown>;
  /** Sets the value; undefined removes it. False if not on disk; within `together`, only its end shows it. */
  write(key: string, value: object | undefined): boolean;
}

/** Performance data of devices, by key; rows of past days are never removed. */
export interface PerformanceStore {
  /** The rows with this key prefix, not before `from`, in key order. Their shape is unknown. */
  read(prefix: string, from?: string): ReadonlyMap<string, unknown>;
  /** Writes all rows or none; with `waits`, a kill may lose the last half hour. */
  write(rows: ReadonlyMap<string, object>, waits: boolean): void;
}

/** The broker connection as the bridge sees it. */
export interface Connection {
  /**
   * Resolves when the broker acknowledges; rejects if the connection ends first, or with `why: 'refused'` if
   * the broker rejects the message.
   */
  publish(message: Outgoing): Promise<void>;
  /** The maximum of unacknowledged messages. */
  readonly window: number;
  /** Defaults: QoS 1, retain-as-published. Rejects with `why: 'refused'` if the broker does not allow it. */
  subscribe(filters: readonly string[], options?: SubscribeOptions): Promise<void>;
  unsubscribe(filter: string): Promise<void>;
  readonly protocol: '5' | '3.1.1' | undefined;
  /** The broker accepts no topic with a `.`, so such messages are rejected. */
  readonly refusesDots: boolean;
}

/** `noLocal` defaults to true: with MQTT 5, our own messages do not come back. */
export type SubscribeOptions = { readonly retainAsPublished?: boolean; readonly noLocal?: boolean; readonly qos?: 0 | 1 };

/** True if the broker is connected but rejects this. */
export const isRefusal = (cause: unknown): cause is Error => cause instanceof Error && 'why' in cause && cause.why === 'refused';

/** A topic that may be on the broker; `hash`: its content at the checkpoint, undefined if uncertain. */
export type Held = { readonly owner: string; readonly hash: string | undefined };

export interface PublishedTopics {
  readonly held: ReadonlyMap<string, Held>;
  /** Topics that were cleared, with their owners. */
  readonly cleared: ReadonlyMap<string, string>;
  /** The number of the last checkpoint that was published or about to be published. */
  readonly lastCheckpointId: number;
  /** If the broker shows this number, `held` is correct. Undefined if something was published since. */
  readonly checkpointId: number | undefined;
  write(lines: readonly PublishedTopicChange[]): void;
}

/** The stored device data of earlier runs, updated by this one. Devices are named by `deviceKey`. */
export interface DeviceStateStore {
  /** The features as last read. */
  features(device: string): readonly StoredFeature[];
  /** Undefined if nothing is known, or if it may be older than the broker's content. */
  facts(device: string): DeviceFacts | undefined;
  /** `known` is called periodically and at a clean end; it returns the features not yet returned. */
  keeps(known: () => readonly KnownDevice[]): void;
  /** These features no longer exist. */
  forget(device: string, names: readonly string[]): void;
}

/** `record`: absent if it may be older than the broker's; `offered`: the document's additions to it. */
export type StoredFeature = { readonly name: string; readonly record?: unknown; readonly offered?: unknown };

/** Facts about a device beside its features. */
export type DeviceFacts = {
  readonly reads: readonly StoredRead[];
  readonly availability?: 'online' | 'offline' | undefined;
  /** By feature name. */
  readonly absences: Readonly<Record<string, Absence>>;
};

/** `at` in epoch milliseconds; without `name`, one read showed everything that `chosen` names. */
export type StoredRead = { readonly name?: string | undefined; readonly at: number; readonly chosen?: string | undefined };

/** How long a feature is missing: since when (epoch ms), and in how many consecutive complete reads. */
export type Absence = { readonly since_ms: number; readonly reads: number };

export type KnownDevice = {
  readonly device: string;
  readonly facts: DeviceFacts;
  readonly features: readonly { readonly feature: Feature; readonly offered?: Feature | undefined }[];
};

/** A number or a mode; null from when there was no value. `at` in epoch milliseconds. */
export type Point = { readonly at: number; readonly value: number | string | null };

/** Time series, thinned and of bounded size. */
export interface SeriesStore {
  /** Writes changed values in one transaction and removes values older than `before` from these series. */
  append(points: readonly (Point & { readonly series: string })[], before: number): void;
  /** The values since then, oldest first, preceded by the one valid at that time. */
  read(series: string, since: number): readonly Point[];
}

/** `isKept`: the data is on disk. */
export type Committed<T> = { readonly result: T; readonly isKept: boolean };

/** A stored write. `at` in epoch milliseconds; `device` is a `deviceKey`. */
export type StoredWrite = {
  readonly key: number;
  readonly at: number;
  readonly device: string;
  readonly feature: string;
  readonly facts: object;
  /** The write is not finished: the next run needs it, and it is not removed for its age. */
  readonly isLive: boolean;
  /** The history shows it. */
  readonly isListed: boolean;
};

/** The writes of the last year, from queueing to outcome. */
export interface WriteStore {
  /** The live writes of an earlier run, in key order. */
  readonly left: readonly Omit<StoredWrite, 'isLive' | 'isListed'>[];
  /** The largest key so far. */
  readonly lastKey: number;
  /** `isDurable`: also survives a power cut. */
  put(write: StoredWrite, isDurable: boolean): void;
  remove(key: number): void;
  /** Listed writes, newest first; `before`: only smaller keys. A feature requires its device. */
  newest(which: WhichWrites, most: number): readonly Omit<StoredWrite, 'isLive' | 'isListed'>[];
  /** Commits all writes made by `work` together, with one wait for the disk. */
  together<T>(work: () => T): Committed<T>;
}

export type WhichWrites = { readonly before?: number; readonly device?: string; readonly feature?: string };

/** Completes a login with the address of the redirect. The message contains no secret. */
export type FinishLogin = (
  address: string,
) => Promise<{ readonly status: 'applied' | 'rejected' | 'failed'; readonly code?: string; readonly message: string }>;

/** The login as shown in `bridge/auth` (docs/topics.md); times in RFC 3339. */
export type AuthReport = {
  readonly state: 'ok' | 'refreshing' | 'failing' | 'login_needed';
  readonly since: string;
  readonly consent_expires_at?: string;
  /** When the next login is due without a failure: there is no refresh token. */
  readonly login_needed_at?: string;
  /** The login address; the redirect address goes to `bridge/auth/set`. Only while a login is needed. */
  readonly login_url?: string;
  readonly message: string;
};

/**
 * `sending`: may be on the broker with unknown content; `held`: with this digest; `gone`: cleared.
 * `nextCheckpoint`: about to be published. `checkpoint`: the broker shows this number and matches; undefined:
 * no longer.
 */
export type PublishedTopicChange =
  | { readonly kind: 'sending'; readonly topic: string; readonly owner: string }
  | { readonly kind: 'held'; readonly topic: string; readonly owner: string; readonly hash: string }
  | { readonly kind: 'gone'; readonly topic: string }
  | { readonly kind: 'nextCheckpoint'; readonly id: number }
  | { readonly kind: 'checkpoint'; readonly id: number | undefined }
  /** The broker shows a later checkpoint: a backup was restored, and it may hold unrecorded topics. */
  | { readonly kind: 'behind' };

/** `confirm`: non-poll reads; `events`: event reads; `earlier`: calls of an earlier run, cause unknown. */
export const CALL_CAUSES = ['poll', 'confirm', 'command', 'discovery', 'identity', 'events', 'earlier'] as const;
export type CallCause = (typeof CALL_CAUSES)[number];

/** The stored calls; times are epoch milliseconds by our own clock. */
export type CallRecord =
  | { readonly kind: 'call'; readonly at: number; readonly poll: boolean; readonly cause: CallCause }
  | { readonly kind: 'foreign'; readonly at: number; readonly until: number; readonly calls: number }
  | { readonly kind: 'pause'; readonly until: number; readonly at: number };

export interface CallHistory {
  /** The records of an earlier run. */
  readonly kept: readonly CallRecord[];
  /** Calls that the earlier run may have made without a record. */
  readonly lost: number;
  append(line: CallRecord): void;
  /** Replaces all records: after the machine's clock was set, the others follow the old clock. */
  rewrite(lines: readonly CallRecord[]): void;
  /** `lines` returns all current records, for a history that another program overwrote. */
  holds(lines: () => readonly CallRecord[]): void;
}

/** The ownership of gateways, as seen by one account. */
export type AccountGateways = {
  /** The gateways that the platform lists for this account. */
  listed(gateways: readonly string[]): void;
  /** False for a gateway that belongs to an earlier account. */
  owns(gateway: string): boolean;
  /** `owns` changed because of another account's list. */
  onChange(changed: () => void): void;
};
