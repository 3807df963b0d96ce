import type { PathName } from './pathRows.ts';
import type { StoredWeek } from './validation/checkProfiles.ts';

/** One device to read: ids as text whatever they were written as, features and exclude as names or globs. */
export type DeviceSettings = {
  readonly name?: string;
  readonly installation: string;
  readonly gateway: string;
  readonly device: string;
  readonly features: readonly string[];
  readonly exclude: readonly string[];
};

/** Which of the devices found are meant: those that fit every key given (globs, but for the installation), and what to read of them. */
export type DeviceChoice = {
  readonly name?: string;
  readonly installation?: string;
  readonly gateway?: string;
  readonly device?: string;
  readonly model?: string;
  readonly role?: string;
  readonly features: readonly string[];
  readonly exclude: readonly string[];
};

/** The settings in force, deeply frozen; names as in the YAML, the unit at a name's end (`_s` seconds, `_h` hours). Meanings: schema.ts. */
export type Settings = {
  readonly platform: {
    readonly profile: 'v1' | 'v2';
    /** Own paths in place of the profile's, absent where there are none. */
    readonly paths?: { readonly [Name in PathName]?: string };
    /** Without a slash at the end, as `auth_url`. */
    readonly base_url: string;
    readonly auth_url: string;
    readonly client_id: string;
    readonly redirect_uri: string;
    readonly scope: string;
    /** What `auto` means says `bridge/readPlan.ts`. */
    readonly read: 'feature' | 'device' | 'gateway' | 'auto';
    readonly timeout_s: number;
    readonly quota: { readonly per_10_minutes: number; readonly per_day: number; readonly reserve_for_commands: number };
    readonly consent_days: number;
    readonly login_over_mqtt: boolean;
  };
  readonly poll: { readonly seconds: 'auto' | number; readonly jitter: number; readonly gone_after_h: number };
  readonly mqtt: {
    /** Without user and password: those of the URL are in `username` and `password`. */
    readonly url: string;
    readonly username?: string;
    readonly password?: string;
    readonly base: string;
    readonly version: 'auto' | '5' | '3.1.1';
    /** Absolute paths of PEM files. */
    readonly ca?: string;
    readonly cert?: string;
    readonly key?: string;
    readonly client_id?: string;
    /** Bytes. */
    readonly max_payload: number;
  };
  readonly homeassistant: { readonly discovery: 'device' | 'entity' | 'off'; readonly prefix: string; readonly status_topic: string };
  /** Empty where devices are found by asking. */
  readonly devices: readonly DeviceSettings[];
  /** Present where devices are found by asking: which of them, called how; without any, all. */
  readonly choices?: readonly DeviceChoice[];
  readonly schedules: {
    /** `auto`, or the name of a zone. */
    readonly time_zone: string;
    /** Stored weeks in their order; each is right in itself. */
    readonly profiles: readonly StoredWeek[];
  };
  readonly commands: {
    readonly settle_ms: number;
    readonly fresh_s: number;
    readonly confirm_s: readonly number[];
    readonly per_hour: number;
    readonly allow: readonly string[];
    readonly deny: readonly string[];
  };
  /** Absolute path. */
  readonly data_dir: string;
  readonly log: { readonly level: 'debug' | 'info' | 'warn' | 'error'; readonly format: 'auto' | 'pretty' | 'json' };
};
