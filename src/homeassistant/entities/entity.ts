import type { Json } from '../../features/feature.ts';
import type { Profile } from '../../schedule/profile.ts';

export type Config = Readonly<Record<string, Json>>;

export type EntityPlatform =
  | 'binary_sensor'
  | 'button'
  | 'climate'
  | 'event'
  | 'number'
  | 'select'
  | 'sensor'
  | 'switch'
  | 'text'
  | 'water_heater';

/** One component of a device document, without the keys that all components have. */
export type Entity = {
  /** `[a-z0-9_]`, unique in its device, never changed. */
  readonly key: string;
  readonly platform: EntityPlatform;
  /** Displayed name, without the device's name. */
  readonly name: string;
  /** The text of the entity id, if that is not the name. */
  readonly idText?: string;
  readonly config: Config;
};

/** Settings that decide which entities are offered. */
export type Offering = {
  /** In the order of the settings. */
  readonly profiles: readonly Profile[];
  /** False for commands that `commands.allow` or `commands.deny` forbids. */
  readonly isAllowed: (feature: string, command: string) => boolean;
};

/** The arguments of every description of a feature. */
export type Context = Offering & {
  readonly base: string;
  /** The device's name in topics. */
  readonly device: string;
  /** Users' names of circuits and rooms, by part: `heating.circuits.0`. */
  readonly named: ReadonlyMap<string, string>;
};
