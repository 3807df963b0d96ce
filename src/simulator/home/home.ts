import type { JsonObject } from '../http/json.ts';
import { builtIn } from './builtIn/builtIn.ts';

/** A command parameter, as described by the platform. */
export type HomeParam = { readonly type: string; readonly required: boolean; readonly constraints?: JsonObject };

/** The value that a property must have, or must not have, for a command to be executable. */
export type Condition = string | number | boolean | { readonly not: string | number | boolean };

export type HomeCommand = {
  /** As in the record (also the text `"false"`); default: true, or the result of `when`. */
  readonly isExecutable?: boolean | string;
  /** Property → condition; the command is executable only while all hold. */
  readonly when?: Readonly<Record<string, Condition>>;
  readonly params?: Readonly<Record<string, HomeParam>>;
  /** Parameter → written properties; `feature/property` for another feature. Default: naming rules. */
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
  /** Name → `{type, unit?, value?}`; sent unchanged. */
  readonly properties?: Readonly<Record<string, JsonObject>>;
  /** Values that commands write and the model uses, but that no record has. */
  readonly hidden?: JsonObject;
  readonly commands?: Readonly<Record<string, HomeCommand>>;
  readonly isEnabled?: boolean;
  readonly isReady?: boolean;
  readonly apiVersion?: number;
  /** Default: a time in the last days before the start. */
  readonly timestamp?: string;
  readonly uri?: string;
  /** Further members of the record: `deprecated`, `components`. */
  readonly more?: JsonObject;
};

export type HomeDevice = {
  readonly features: Readonly<Record<string, HomeFeature>>;
  /** Names of enabled records without properties. */
  readonly folders?: readonly string[];
  /** Names of records with `isEnabled` false, which have no properties and no commands. */
  readonly disabled?: readonly string[];
  /** As in the equipment list. */
  readonly model?: string;
  readonly type?: string;
  readonly roles?: readonly string[];
  /** The file of the recorded device. */
  readonly source?: string;
};

/** The data that the simulated platform serves. */
export type Home = {
  readonly installation: number;
  readonly gateway: string;
  /** The whole record of `users/me?sections=identity`. */
  readonly user: JsonObject;
  readonly devices: Readonly<Record<string, HomeDevice>>;
  /** The gateway's own features; their records have no `deviceId`. */
  readonly gatewayFeatures?: Readonly<Record<string, HomeFeature>>;
  /** The gateway's entry among its own devices in the equipment list. */
  readonly gatewayDevice?: Pick<HomeDevice, 'model' | 'type' | 'roles'>;
  /** True if the equipment list omits the gateway among its devices, as one of six recorded gateways does. */
  readonly gatewayUnlisted?: boolean;
  /** Further installations, listed unchanged after this one. */
  readonly neighbours?: readonly JsonObject[];
  /** IANA time zone of the schedules; default: that of the machine. */
  readonly timeZone?: string;
  /** True if a model changes temperatures and follows schedules, by the built-in home's feature names. */
  readonly lives?: boolean;
};

/** The built-in home (`builtIn/`). */
export const defaultHome: Home = builtIn;
