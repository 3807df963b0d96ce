import type { Loaded } from './schema.ts';
import type { DeviceChoice, DeviceSettings } from './validation/deviceEntries.ts';

type Optional<T> = { [Key in keyof T]: null extends T[Key] ? Key : never }[keyof T];

/** The same keys; an optional setting that is not set is absent instead of null. */
export type Present<T> = Omit<T, Optional<T>> & { readonly [Key in Optional<T>]?: NonNullable<T[Key]> };

/** The settings in force, deeply frozen; names as in the YAML, the unit at a name's end (`_s` seconds, `_h` hours). Meanings: schema.ts. */
export type Settings = Omit<Loaded, 'platform' | 'mqtt' | 'devices' | 'data_dir'> & {
  /** Addresses are without a slash at the end. */
  readonly platform: Omit<Loaded['platform'], 'paths' | 'scope'> & {
    /** Paths that replace the profile's; absent where there are none. */
    readonly paths?: Present<Loaded['platform']['paths']>;
    readonly scope: string;
  };
  /** User and password of the URL are in `username` and `password`; `ca`, `cert` and `key` are absolute paths. */
  readonly mqtt: Present<Loaded['mqtt']>;
  /** Empty where devices are found by asking. */
  readonly devices: readonly DeviceSettings[];
  /** Present where devices are found by asking: which of them, and their names; without any entry, all. */
  readonly choices?: readonly DeviceChoice[];
  /** Absolute path. */
  readonly data_dir: string;
};
