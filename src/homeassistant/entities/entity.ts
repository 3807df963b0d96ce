import type { Json } from '../../features/feature.ts';
import type { Language } from '../../language/language.ts';
import type { Profile } from '../../schedule/profile.ts';

export type Config = Readonly<Record<string, Json>>;

/** Home Assistant accepts states of up to 255 characters. */
export const LONGEST_STATE = 255;

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

/** Where an entity appears: on the device's page, below Diagnostics, or hidden until the user enables it. */
export type Rank = {
  readonly shown: 'main' | 'diagnostic' | 'hidden';
  /** Smaller is more important: if a page has too many entities, the last ones are disabled. */
  readonly order: number;
  /** In a group, only those with the smallest order are enabled; the others show the same data. */
  readonly group?: string;
};

/** The names of an entity. */
export type Label = {
  /** The part that it belongs to (`parts.ts`); undefined for the heating itself. */
  readonly part: string | undefined;
  /** The name on the page of the heating: "Circuit 1 supply temperature". */
  readonly name: string;
  /** The name on the page of its part: "Supply temperature". Equals `name` without the part's prefix. */
  readonly short: string;
  /** The text of the entity id, in English in every language. */
  readonly idText: string;
};

/** One component of a device document, without the keys that all components have. */
export type Entity = Label & {
  /** `[a-z0-9_]`, unique in its device, never changed. */
  readonly key: string;
  readonly platform: EntityPlatform;
  readonly config: Config;
  /** Without a rank it is always enabled. */
  readonly rank?: Rank;
  /** For the newest value of a list: its name if no other entity has it ("today", not "by day"). */
  readonly newest?: Pick<Label, 'name' | 'short'>;
};

/** Settings that decide which entities are offered, and how. */
export type Offering = {
  /** The language of names and sensor states. */
  readonly language: Language;
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
