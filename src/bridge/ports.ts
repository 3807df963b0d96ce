import type { Feature, Json } from '../features/feature.ts';
import type { Outgoing } from '../shared/message.ts';

/** What the bridge needs of the adapters, which import these types; app.ts joins them. */

/** Without `feature`: all of the device; without `device`: of the gateway and all its devices. */
export type Target = { readonly installation: string; readonly gateway: string; readonly device?: string; readonly feature?: string };

/** A failed call, as the platform client classifies it. `executed`: for a command, whether it surely did nothing. */
export type CallFailure = Error & FailureDetails & { readonly code: string; readonly executed: 'no' | 'unknown' };

/** True for an error of the platform adapter. */
export const isCallFailure = (error: unknown): error is CallFailure =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && 'executed' in error;

/** From when on calls are answered again, as a fact for a sentence; undefined where the failure does not say so. */
export const limitFacts = (error: unknown): { readonly until: string } | undefined =>
  isCallFailure(error) && error.limitReset !== undefined ? { until: new Date(error.limitReset).toISOString() } : undefined;

/** What is known of a failed call beside its code: the HTTP status and the platform's own words. */
export type FailureDetails = {
  readonly status?: number | undefined;
  readonly errorType?: string | undefined;
  readonly reason?: string | undefined;
  readonly viErrorId?: string | undefined;
  /** Epoch milliseconds by the platform's clock: no call is answered before. */
  readonly limitReset?: number | undefined;
  /** What the platform calls the limit: `ViCare day limit` and the like. */
  readonly limitName?: string | undefined;
  /** How many calls that limit allows. */
  readonly limitCalls?: number | undefined;
};

/** The body of an answer. */
export type Body = {
  /** Differs where two bodies differ. */
  readonly digest: string;
  /** As it came; empty for a page. */
  text(): string;
  /** The JSON value as it came; throws a CallFailure for anything else, or for a failure in the form of a success. */
  json(): unknown;
};

export interface Platform {
  /** Feature records; rejects with a CallFailure. */
  fetchFeatures(target: Target, signal: AbortSignal): Promise<Body>;
  /** Resolves with the platform's yes, `adapted` where the device took another value than the one sent; rejects with a CallFailure. */
  execute(
    target: Required<Target>,
    command: string,
    args: Readonly<Record<string, Json>>,
    signal: AbortSignal,
  ): Promise<{ readonly adapted: boolean; readonly reason?: string; readonly message?: string }>;
}

/** The list of what there is. */
export interface Equipment {
  /** All pages as they came; rejects with a CallFailure. Each page is a call: `beforePage` is awaited before each but the first. */
  readInstallations(signal: AbortSignal, beforePage: () => Promise<void>): Promise<readonly unknown[]>;
}

/** What has happened in an installation. */
export interface EventHistory {
  /** One page as it came: the first one of the last days, or the one of a cursor; rejects with a CallFailure. */
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

/** A calendar that is read by its address. */
export interface CalendarSource {
  /** What people may see of it: the host, and the last characters of the address. */
  readonly name: string;
  /** The events between two moments. Rejects with a sentence that does not hold the address; `isGone`: there is no such calendar. */
  read(
    window: { readonly fromMs: number; readonly toMs: number },
    signal: AbortSignal,
  ): Promise<{
    readonly events: readonly { readonly title: string; readonly start: string; readonly end: string }[];
    readonly skipped: number;
  }>;
}

/** Prices that are read by their address. */
export interface PriceSource {
  /** As of a CalendarSource. */
  readonly name: string;
  /** The text; undefined where it is as it was. Rejects as a CalendarSource does. */
  read(signal: AbortSignal): Promise<string | undefined>;
}

/** A table of JSON values by key, kept over restarts. */
export interface KeyedStore {
  /** Everything that is kept. The values come from disk: their shape is not known. */
  read(): ReadonlyMap<string, unknown>;
  /** Puts the value in the place of the one kept under the key; undefined removes it. False where it is not on disk (what was written last is there then); known within `together` only at its end. */
  write(key: string, value: object | undefined): boolean;
}

/** Rows of how devices ran, by key; those of ended days stay for ever. */
export interface PerformanceStore {
  /** The rows whose keys begin with this and are not before `from`, in the order of their keys. Their shape is not known. */
  read(prefix: string, from?: string): ReadonlyMap<string, unknown>;
  /** Keeps all of them, or none; where they wait, a kill takes what was written in the last half hour. */
  write(rows: ReadonlyMap<string, object>, waits: boolean): void;
}

/** The connection as the bridge sees it: publishing, subscribing, and which version of MQTT was agreed. */
export interface Connection {
  /**
   * Resolves when the broker has acknowledged; rejects when the connection ended before, and with an error whose `why` is `refused`
   * where the broker does not take this message.
   */
  publish(message: Outgoing): Promise<void>;
  /** How many messages may wait for their acknowledgement at a time. */
  readonly window: number;
  /** With QoS 1 and retain-as-published where the options say nothing. Rejects with `why: 'refused'` where the broker stands but does not allow it. */
  subscribe(filters: readonly string[], options?: SubscribeOptions): Promise<void>;
  unsubscribe(filter: string): Promise<void>;
  readonly protocol: '5' | '3.1.1' | undefined;
}

/** `noLocal` is true where the options say nothing: with MQTT 5 our own messages do not come back. */
export type SubscribeOptions = { readonly retainAsPublished?: boolean; readonly noLocal?: boolean; readonly qos?: 0 | 1 };

/** True where the broker stands, but does not take or allow this. */
export const isRefusal = (cause: unknown): cause is Error => cause instanceof Error && 'why' in cause && cause.why === 'refused';

/** A topic that may lie on the broker; `hash` is the digest of what it held at the checkpoint, undefined where that was not certain. */
export type Held = { readonly owner: string; readonly hash: string | undefined };

export interface PublishedTopics {
  readonly held: ReadonlyMap<string, Held>;
  /** Topics that were cleared, with their owners. */
  readonly cleared: ReadonlyMap<string, string>;
  /** The number of the last checkpoint that was published, or was to be. */
  readonly lastCheckpointId: number;
  /** Where the broker shows this number, it holds what `held` tells. Undefined where something was published since the checkpoint. */
  readonly checkpointId: number | undefined;
  write(lines: readonly PublishedTopicChange[]): void;
}

/** What earlier runs knew of the devices, and where this one keeps what it knows. A device is named by its `deviceKey`. */
export interface DeviceStateStore {
  /** The features as they were last read. */
  features(device: string): readonly StoredFeature[];
  /** Undefined where nothing is known, or it may be older than what the broker holds. */
  facts(device: string): DeviceFacts | undefined;
  /** `known` is asked now and then, and at a clean end: of the features it gives those that it has not given yet. */
  keeps(known: () => readonly KnownDevice[]): void;
  /** These features are no more. */
  forget(device: string, names: readonly string[]): void;
}

/** `record` is absent where it may be older than what the broker holds; `offered` is what a document offers beyond the record. */
export type StoredFeature = { readonly name: string; readonly record?: unknown; readonly offered?: unknown };

/** What is known of a device beside its features. */
export type DeviceFacts = {
  readonly reads: readonly StoredRead[];
  readonly availability?: 'online' | 'offline' | undefined;
  /** By the name of the feature. */
  readonly absences: Readonly<Record<string, Absence>>;
};

/** `at` in epoch milliseconds; without `name` one read showed everything that `chosen` names. */
export type StoredRead = { readonly name?: string | undefined; readonly at: number; readonly chosen?: string | undefined };

/** How long a feature has been missing: since when (epoch milliseconds), and in how many complete reads in a row. */
export type Absence = { readonly since_ms: number; readonly reads: number };

export type KnownDevice = {
  readonly device: string;
  readonly facts: DeviceFacts;
  readonly features: readonly { readonly feature: Feature; readonly offered?: Feature | undefined }[];
};

/** A value of a series: a number, or the word of a mode; null from when there was none. `at` in epoch milliseconds. */
export type Point = { readonly at: number; readonly value: number | string | null };

/** Values over time, of a bounded number and thinned. */
export interface SeriesStore {
  /** Writes in one transaction what differs from the last value of its series; what is older than `before` is removed from these series. */
  append(points: readonly (Point & { readonly series: string })[], before: number): void;
  /** The values since then, oldest first, and before them the one that held at that time. */
  read(series: string, since: number): readonly Point[];
}

/** `isKept`: what was written is on disk. */
export type Committed<T> = { readonly result: T; readonly isKept: boolean };

/** A write as it is stored. `at` in epoch milliseconds; `device` is a `deviceKey`. */
export type StoredWrite = {
  readonly key: number;
  readonly at: number;
  readonly device: string;
  readonly feature: string;
  readonly facts: object;
  /** Something of it can still happen: the next run needs it, and it is not removed for its age. */
  readonly isLive: boolean;
  /** The history shows it. */
  readonly isListed: boolean;
};

/** The writes of the last year: from when they wait for their turn to what became of them. */
export interface WriteStore {
  /** The live ones of an earlier run, in the order of their keys. */
  readonly left: readonly Omit<StoredWrite, 'isLive' | 'isListed'>[];
  /** No key was greater. */
  readonly lastKey: number;
  /** `isDurable`: it also survives a power cut. */
  put(write: StoredWrite, isDurable: boolean): void;
  remove(key: number): void;
  /** What is listed, the newest first; `before`: those with a smaller key. A feature is named with its device. */
  newest(which: WhichWrites, most: number): readonly Omit<StoredWrite, 'isLive' | 'isListed'>[];
  /** Keeps all that `work` writes at once: one wait for the disk. */
  together<T>(work: () => T): Committed<T>;
}

export type WhichWrites = { readonly before?: number; readonly device?: string; readonly feature?: string };

/** Ends a login that the bridge has begun, with the address that the person came back to. The sentence holds nothing secret. */
export type FinishLogin = (
  address: string,
) => Promise<{ readonly status: 'applied' | 'rejected' | 'failed'; readonly code?: string; readonly message: string }>;

/** The login as `bridge/auth` shows it (docs/topics.md); instants in RFC 3339. */
export type AuthReport = {
  readonly state: 'ok' | 'refreshing' | 'failing' | 'login_needed';
  readonly since: string;
  readonly consent_expires_at?: string;
  /** When the next login is due although nothing failed: there is no refresh token. */
  readonly login_needed_at?: string;
  /** Where to log in, with the address that comes back to be published on `bridge/auth/set`; only while a login is needed. */
  readonly login_url?: string;
  readonly message: string;
};

/**
 * `sending`: the topic may lie on the broker, with what is not certain; `held`: with what has this digest; `gone`: it was cleared. `nextCheckpoint`
 * is about to be published. `checkpoint`: the broker shows this number and holds what is known; with undefined no longer.
 */
export type PublishedTopicChange =
  | { readonly kind: 'sending'; readonly topic: string; readonly owner: string }
  | { readonly kind: 'held'; readonly topic: string; readonly owner: string; readonly hash: string }
  | { readonly kind: 'gone'; readonly topic: string }
  | { readonly kind: 'nextCheckpoint'; readonly id: number }
  | { readonly kind: 'checkpoint'; readonly id: number | undefined }
  /** The broker shows a later checkpoint than the database has: a copy was put back, and the broker may hold topics that it does not name. */
  | { readonly kind: 'behind' };

/** What calls were for. `confirm`: reads that are no polls; `events`: reads of what has happened; `earlier`: calls of an earlier run of which only that is known. */
export const CALL_CAUSES = ['poll', 'confirm', 'command', 'discovery', 'identity', 'events', 'earlier'] as const;
export type CallCause = (typeof CALL_CAUSES)[number];

/** What is kept of the calls over restarts; instants are epoch milliseconds by our own clock. */
export type CallRecord =
  | { readonly kind: 'call'; readonly at: number; readonly poll: boolean; readonly cause: CallCause }
  | { readonly kind: 'foreign'; readonly at: number; readonly until: number; readonly calls: number }
  | { readonly kind: 'pause'; readonly until: number; readonly at: number };

export interface CallHistory {
  /** What an earlier run left. */
  readonly kept: readonly CallRecord[];
  /** Calls that it may have made without leaving a line. */
  readonly lost: number;
  append(line: CallRecord): void;
  /** Puts these lines in the place of all: after the machine's clock was set, the instants of the others are those of the old clock. */
  rewrite(lines: readonly CallRecord[]): void;
  /** `lines` gives all that count now, for a history that another program has overwritten. */
  holds(lines: () => readonly CallRecord[]): void;
}

/** Whose a gateway is, as one account sees it. */
export type AccountGateways = {
  /** What the platform lists for this account. */
  listed(gateways: readonly string[]): void;
  /** False for a gateway that an account before this one has. */
  owns(gateway: string): boolean;
  /** `owns` has changed by what another account lists. */
  onChange(changed: () => void): void;
};
