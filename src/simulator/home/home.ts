import type { JsonObject } from '../http/json.ts';
import { builtIn } from './builtIn/builtIn.ts';

/** A parameter as the platform describes it. */
export type HomeParam = { readonly type: string; readonly required: boolean; readonly constraints?: JsonObject };

/** The value that a property must have, or must not have, for a command to be executable. */
export type Condition = string | number | boolean | { readonly not: string | number | boolean };

export type HomeCommand = {
  /** As the record shows it (also the text `"false"`); default: true, or what `when` says. */
  readonly isExecutable?: boolean | string;
  /** Property → condition; the command is executable only while all hold. */
  readonly when?: Readonly<Record<string, Condition>>;
  readonly params?: Readonly<Record<string, HomeParam>>;
  /** Parameter → the properties it writes; `feature/property` for one of another feature. Default: rules over names. */
  readonly writes?: Readonly<Record<string, readonly string[]>>;
  /** Property → its value after the command, in addition to what the parameters write. */
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
  /** Values that commands write and the model uses, but that no record shows. */
  readonly hidden?: JsonObject;
  readonly commands?: Readonly<Record<string, HomeCommand>>;
  readonly isEnabled?: boolean;
  readonly isReady?: boolean;
  readonly apiVersion?: number;
  /** Default: a moment in the last days before the start. */
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
  /** IANA name of the time zone of the schedules; default: the machine's. */
  readonly timeZone?: string;
  /** True where a model changes temperatures and follows schedules; it knows the features of the built-in home by their names. */
  readonly lives?: boolean;
};

/** The built-in home (`builtIn/`). */
export const defaultHome: Home = builtIn;
