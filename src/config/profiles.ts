import type { Loaded } from './schema.ts';

type Platform = Loaded['platform'];
type Named = Pick<Platform, 'profile' | 'base_url'>;

/** Defaults of each profile. Only the live service has known addresses. */
const DEFAULTS = {
  v1: { base_url: '', auth_url: '', scope: 'IoT User' },
  v2: {
    base_url: 'https://api.viessmann-climatesolutions.com',
    auth_url: 'https://iam.viessmann-climatesolutions.com',
    scope: 'IoT User offline_access',
  },
} as const;

/** The site to register a client of the live service. */
export const DEVELOPER_PORTAL = 'https://app.developer.viessmann-climatesolutions.com/';

/** The profile in use. `auto` is v1 if an address is set: only the documented platform needs one. */
export const profileOf = ({ profile, base_url }: Named): 'v1' | 'v2' => {
  if (profile !== 'auto') return profile;
  return base_url === '' ? 'v2' : 'v1';
};

/** The advice if `base_url` alone decides the profile; undefined if the profile is clear. */
export const profileHint = ({ profile, base_url }: Named): string | undefined =>
  profile === 'auto' && base_url !== ''
    ? 'platform.base_url is set and platform.profile is not, which means profile v1. Set profile: v1 to confirm it, or profile: v2 for the live service'
    : undefined;

/** Addresses and scope in use: the settings, else the defaults of the profile. */
export const addressesOf = (platform: Platform) => {
  const { base_url, auth_url, scope } = platform;
  const defaults = DEFAULTS[profileOf(platform)];
  return { base_url: base_url || defaults.base_url, auth_url: auth_url || defaults.auth_url, scope: scope ?? defaults.scope };
};

/** True if the platform has a device list, so that devices can be discovered. */
export const findsDevices = (platform: Named & Pick<Platform, 'paths'>): boolean =>
  profileOf(platform) === 'v2' || platform.paths.installations !== null;

/** True if one call reads a gateway with all its devices. */
export const readsGateways = (platform: Named & Pick<Platform, 'paths'>): boolean =>
  profileOf(platform) === 'v2' || platform.paths.gateway_all !== null;
