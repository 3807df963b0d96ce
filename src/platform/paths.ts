/** Paths relative to `auth_url` (authorize, token) or `base_url` (others). `{name}` is an id placeholder. */
export type PathTemplates = {
  readonly authorize: string;
  readonly token: string;
  readonly identity: string;
  readonly device_features: string;
  readonly feature: string;
  readonly command: string;
  /** All installations with gateways and devices, in pages; absent if the platform has no list. */
  readonly installations?: string;
  /** The features of a gateway and of all its devices. */
  readonly gateway_all?: string;
  /** The features of the device `gateway`, if they have their own level. */
  readonly gateway_features?: string;
  readonly gateway_feature?: string;
  readonly gateway_command?: string;
  /** The event history of an installation. */
  readonly events?: string;
  /** The restart of a gateway. */
  readonly reboot?: string;
};

const V1_DEVICE = '/iot/v1/equipment/installations/{installation}/gateways/{gateway}/devices/{device}';
const V2_GATEWAY = '/iot/v2/features/installations/{installation}/gateways/{gateway}';
const V2_DEVICE = `${V2_GATEWAY}/devices/{device}`;
const IDENTITY = '/users/v1/users/me?sections=identity';

/** Profile `v1`: the specification's paths. Device features and commands follow clients of that time. */
export const V1_PATHS: PathTemplates = {
  authorize: '/idp/v2/authorize',
  token: '/idp/v2/token',
  identity: IDENTITY,
  device_features: `${V1_DEVICE}/features`,
  feature: `${V1_DEVICE}/features/{feature}`,
  command: `${V1_DEVICE}/features/{feature}/commands/{command}`,
};

/** Profile `v2`: paths of the live service since 2025. Lists omit disabled features (name only). */
export const V2_PATHS: PathTemplates = {
  authorize: '/idp/v3/authorize',
  token: '/idp/v3/token',
  identity: IDENTITY,
  installations: '/iot/v2/equipment/installations?includeGateways=true',
  device_features: `${V2_DEVICE}/features?skipDisabled=true`,
  feature: `${V2_DEVICE}/features/{feature}`,
  command: `${V2_DEVICE}/features/{feature}/commands/{command}`,
  gateway_all: `${V2_GATEWAY}/features?includeDevicesFeatures=true&skipDisabled=true`,
  gateway_features: `${V2_GATEWAY}/features?skipDisabled=true`,
  gateway_feature: `${V2_GATEWAY}/features/{feature}`,
  gateway_command: `${V2_GATEWAY}/features/{feature}/commands/{command}`,
  events: '/iot/v2/events-history/installations/{installation}/events',
  reboot: '/iot/v2/equipment/installations/{installation}/gateways/{gateway}/reboot',
};

const PROFILES = { v1: V1_PATHS, v2: V2_PATHS } as const;

/** The paths of a profile, with the given paths as overrides. */
export const pathsOf = ({
  profile,
  paths = {},
}: {
  readonly profile: keyof typeof PROFILES;
  readonly paths?: Partial<PathTemplates>;
}): PathTemplates => ({ ...PROFILES[profile], ...paths });

/** Adds a query parameter to a path. */
export const withQuery = (path: string, name: string, value: string): string =>
  `${path}${path.includes('?') ? '&' : '?'}${name}=${encodeURIComponent(value)}`;

/**
 * Replaces each `{name}` with the percent-encoded id, so an id cannot change the path. Throws TypeError if an
 * id or the template is missing.
 */
export const fillPath = (template: string | undefined, ids: Readonly<Record<string, string | undefined>>): string => {
  if (template === undefined) throw new TypeError('The settings have no path for this request.');
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const id = ids[name];
    if (id === undefined) throw new TypeError(`The path ${template} needs an id for ${name}.`);
    // A lone `.` or `..` is a path step, even percent-encoded.
    if (/^\.{0,2}$/.test(id)) throw new TypeError(`${JSON.stringify(id)} cannot be a ${name}.`);
    return encodeURIComponent(id);
  });
};

type Place = { readonly device?: string; readonly feature?: string };

/** The id under which a gateway's own features are read (reference of the platform, reading). */
const GATEWAY_DEVICE = 'gateway';

/** A read template; no device: gateway with all devices. Undefined if these paths have none. */
export const readTemplate = (paths: PathTemplates, { device, feature }: Place): string | undefined => {
  if (device === undefined) return paths.gateway_all;
  const own = device === GATEWAY_DEVICE;
  if (feature === undefined) return (own ? paths.gateway_features : undefined) ?? paths.device_features;
  return (own ? paths.gateway_feature : undefined) ?? paths.feature;
};

/** The template of a command. */
export const commandTemplate = (paths: PathTemplates, { device }: Place): string =>
  (device === GATEWAY_DEVICE ? paths.gateway_command : undefined) ?? paths.command;
