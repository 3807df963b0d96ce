import type { Json } from '../../features/feature.ts';
import type { Language } from '../../language/language.ts';
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

/** Where an entity is shown: on the device's page, there below Diagnostics, or nowhere until a person enables it. */
export type Rank = {
  readonly shown: 'main' | 'diagnostic' | 'hidden';
  /** The smaller, the more important: where a page would have too many entities, the last ones are disabled. */
  readonly order: number;
  /** Of one group those with the smallest order are enabled, the others say the same. */
  readonly group?: string;
};

/** How an entity is called. */
export type Label = {
  /** The part that it belongs to (`parts.ts`); undefined for the heating itself. */
  readonly part: string | undefined;
  /** The name on the page of the heating: "Circuit 1 supply temperature". */
  readonly name: string;
  /** The name on the page of its part: "Supply temperature". It is `name` where that does not begin with the part. */
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
  /** Without one it is enabled, whatever else the page has. */
  readonly rank?: Rank;
  /** Of a list that shows its newest: what it is called where no other entity of the device is ("today" in place of "by day"). */
  readonly newest?: Pick<Label, 'name' | 'short'>;
};

/** Settings that decide which entities are offered, and how. */
export type Offering = {
  /** The language of names, and of the states of sensors. */
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
