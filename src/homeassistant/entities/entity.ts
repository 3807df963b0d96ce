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

/** One component of a device document, without what the document gives all of them. */
export type Entity = {
  /** Frozen, `[a-z0-9_]`, unique in its device. */
  readonly key: string;
  readonly platform: EntityPlatform;
  /** For people, without the device's name. */
  readonly name: string;
  /** What the entity id is made of, where that is not the name. */
  readonly idText?: string;
  readonly config: Config;
};

/** What the settings say about what hubs are offered. */
export type Offering = {
  /** Stored weeks in their order. */
  readonly profiles: readonly Profile[];
  /** False for what `commands.allow` and `commands.deny` refuse whoever asks. */
  readonly isAllowed: (feature: string, command: string) => boolean;
};

/** What a feature's entities are made with. */
export type Context = Offering & {
  readonly base: string;
  /** The device's name in topics. */
  readonly device: string;
  /** Names that people gave to parts of their installation, by the part: `heating.circuits.0`. */
  readonly named: ReadonlyMap<string, string>;
};
