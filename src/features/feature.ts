import type { Issue } from '../shared/issue.ts';
import type { Json } from '../shared/json.ts';

export type { Json };

/** A property from the platform. `value` is missing without a current value (sensor not connected). */
export type Property = {
  /** `boolean`, `number`, `string`, `array`, `object`, `Schedule`, or an unknown type (`DeviceList`). */
  readonly type: string;
  /** The platform's word (`celsius`); absent or empty without a unit. */
  readonly unit?: string;
  readonly value?: Json;
};

export type Parameter = {
  readonly type: string;
  readonly required: boolean;
  /** As sent: `min max stepping enum minLength maxLength regEx sameDayAllowed maxEntries resolution …` */
  readonly constraints: Readonly<Record<string, Json>>;
};

export type Command = {
  readonly name: string;
  /** Also false if the platform sent the text `"false"`. */
  readonly isExecutable: boolean;
  readonly params: ReadonlyMap<string, Parameter>;
};

/** One parsed feature record. Properties and commands keep the platform's order. */
export type Feature = {
  /** Dotted name: `heating.circuits.0.heating.schedule`. */
  readonly name: string;
  readonly gateway: string;
  /** Absent on a gateway's own features. */
  readonly device?: string;
  readonly isEnabled: boolean;
  readonly isReady: boolean;
  /** RFC 3339; the time of the last change or report, not of the poll. */
  readonly timestamp?: string;
  readonly properties: ReadonlyMap<string, Property>;
  readonly commands: ReadonlyMap<string, Command>;
  readonly deprecated?: { readonly info?: string | undefined; readonly removalDate?: string | undefined };
  /** Invalid parts of the record, left out here; absent if there are none. Paths point into the record. */
  readonly issues?: readonly Issue[];
  /** Values with another type than declared, kept as received; absent if there are none. */
  readonly contradictions?: readonly Issue[];
};
