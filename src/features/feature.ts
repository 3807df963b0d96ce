import type { Issue } from '../shared/issue.ts';
import type { Json } from '../shared/json.ts';

export type { Json };

/** A property as the platform describes it. `value` is missing where there is none now (a sensor that is not connected). */
export type Property = {
  /** `boolean`, `number`, `string`, `array`, `object`, `Schedule`, or a type not known yet (`DeviceList`). */
  readonly type: string;
  /** The platform's word (`celsius`), absent or empty where it has none. */
  readonly unit?: string;
  readonly value?: Json;
};

export type Parameter = {
  readonly type: string;
  readonly required: boolean;
  /** `min max stepping enum minLength maxLength regEx sameDayAllowed maxEntries resolution modes defaultMode overlapAllowed …`, as sent. */
  readonly constraints: Readonly<Record<string, Json>>;
};

export type Command = {
  readonly name: string;
  /** False also where the platform wrote the text `"false"`. */
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
  /** Parts of the record that made no sense and are missing here; absent where all was well. Paths point into the record. */
  readonly issues?: readonly Issue[];
  /** Values that are not of the type declared for them, and are kept as they came; absent where there are none. */
  readonly contradictions?: readonly Issue[];
};
