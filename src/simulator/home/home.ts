import builtIn from '../home.json' with { type: 'json' };
import type { JsonObject } from '../http/json.ts';

/** A parameter as the platform describes it. */
export type HomeParam = { readonly type: string; readonly required: boolean; readonly constraints?: JsonObject };

/** What a property must be for a command to be executable: a value, or anything but one. */
export type Condition = string | number | boolean | { readonly not: string | number | boolean };

export type HomeCommand = {
  /** As the record shows it (also the text `"false"`); default: true, or what `when` says. */
  readonly isExecutable?: boolean | string;
  /** Property → what it must be; the command is executable only then. */
  readonly when?: Readonly<Record<string, Condition>>;
  readonly params?: Readonly<Record<string, HomeParam>>;
  /** Parameter → the properties it writes; `feature/property` for one of another feature. Default: rules over names. */
  readonly writes?: Readonly<Record<string, readonly string[]>>;
  /** Property → the value it has after the command, added to what the parameters write. */
  readonly sets?: JsonObject;
  readonly description?: string;
  readonly constraints?: JsonObject;
  readonly isDeprecated?: boolean;
  /** Default: made from the ids, relative as in the specification. */
  readonly uri?: string;
};

export type HomeFeature = {
  /** Name → `{type, unit?, value?}`; shown as it is. */
  readonly properties?: Readonly<Record<string, JsonObject>>;
  /** Values that commands write and the house works with, but which no record shows. */
  readonly hidden?: JsonObject;
  readonly commands?: Readonly<Record<string, HomeCommand>>;
  readonly isEnabled?: boolean;
  readonly isReady?: boolean;
  readonly apiVersion?: number;
  /** Default: some moment of the days before the start. */
  readonly timestamp?: string;
  readonly uri?: string;
  /** Further members of the record: `deprecated`, `components`. */
  readonly more?: JsonObject;
};

export type HomeDevice = {
  readonly features: Readonly<Record<string, HomeFeature>>;
  /** Names of enabled records without properties. */
  readonly folders?: readonly string[];
  /** Names of records with `isEnabled` false, which have neither properties nor commands. */
  readonly disabled?: readonly string[];
  /** As the list of equipment shows it. */
  readonly model?: string;
  readonly type?: string;
  readonly roles?: readonly string[];
  /** The file that the device was read from. */
  readonly source?: string;
};

/** A house as data: what the simulated platform serves. */
export type Home = {
  readonly installation: number;
  readonly gateway: string;
  /** The whole record of `users/me?sections=identity`. */
  readonly user: JsonObject;
  readonly devices: Readonly<Record<string, HomeDevice>>;
  /** The gateway's own features; their records have no `deviceId`. */
  readonly gatewayFeatures?: Readonly<Record<string, HomeFeature>>;
  /** How the list of equipment shows the gateway among its own devices. */
  readonly gatewayDevice?: Pick<HomeDevice, 'model' | 'type' | 'roles'>;
  /** True where the list of equipment does not show the gateway among its own devices, as one of six recorded gateways. */
  readonly gatewayUnlisted?: boolean;
  /** Further installations, which the list of equipment shows after this one, as they are. */
  readonly neighbours?: readonly JsonObject[];
  /** Put before each `uri`; default: none, so that it is relative as in the specification. */
  readonly uriBase?: string;
  /** IANA name of the zone that schedules are lived in; default: the machine's. */
  readonly timeZone?: string;
  /** True where temperatures move and schedules are followed; the features of the built-in home are moved, by their names. */
  readonly lives?: boolean;
};

/** The built-in home: two circuits, hot water, ventilation, two rooms and the gateway; every value is invented. */
export const defaultHome: Home = builtIn;
