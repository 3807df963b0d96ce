import type { PathName } from './pathRows.ts';
import type { Settings } from './settings.ts';
import type { Limits } from './validation/checks.ts';
import type { FormatName } from './validation/formats.ts';

/** One row of the schema, as convict takes it, with what our formats and the documentation read besides. */
export type Setting = Limits & {
  readonly format: FormatName;
  /** The empty text = required, null = optional and not set. */
  readonly default: unknown;
  readonly nullable?: true;
  readonly env: string;
  /** What it does, with the unit. */
  readonly doc: string;
  /** For a default that is made at the start: how people read it. */
  readonly defaultText?: string;
};

type Nullable<T> = { readonly [Key in keyof T]-?: undefined extends T[Key] ? Exclude<T[Key], undefined> | null : T[Key] };

/** A device as written, once it is valid. */
export type DeviceEntry = {
  readonly name?: string | null;
  readonly installation?: string | null;
  readonly gateway?: string | null;
  readonly device?: string | null;
  readonly model?: string | null;
  readonly role?: string | null;
  readonly features?: string | readonly string[] | null;
  readonly exclude?: string | readonly string[] | null;
};

/** What convict holds once it is valid: the settings, with null where something optional is not set. */
export type Loaded = Omit<Settings, 'platform' | 'mqtt' | 'devices' | 'choices' | 'schedules' | 'data_dir'> & {
  readonly platform: Omit<Settings['platform'], 'paths' | 'scope'> & {
    readonly paths: { readonly [Name in PathName]: string | null };
    readonly scope: string | null;
  };
  readonly mqtt: Nullable<Settings['mqtt']>;
  readonly devices: readonly DeviceEntry[];
  readonly schedules: Omit<Settings['schedules'], 'profiles'> & { readonly profiles: Settings['schedules']['profiles'] | null };
  readonly data_dir: string | null;
};
