import type { Loaded } from './schema.ts';

type Platform = Loaded['platform'];

/** Defaults that depend on the profile. Only the live service has known addresses. */
const DEFAULTS = {
  v1: { base_url: '', auth_url: '', scope: 'IoT User' },
  v2: {
    base_url: 'https://api.viessmann-climatesolutions.com',
    auth_url: 'https://iam.viessmann-climatesolutions.com',
    scope: 'IoT User offline_access',
  },
} as const;

/** Addresses and scope in force: the settings, else the defaults of the profile. */
export const addressesOf = ({ profile, base_url, auth_url, scope }: Platform) => ({
  base_url: base_url || DEFAULTS[profile].base_url,
  auth_url: auth_url || DEFAULTS[profile].auth_url,
  scope: scope ?? DEFAULTS[profile].scope,
});

/** True where the platform has a list of devices, so that they are found by asking. */
export const findsDevices = ({ profile, paths }: Pick<Platform, 'profile' | 'paths'>): boolean =>
  profile === 'v2' || paths.installations !== null;

/** True where one call reads a gateway with all its devices. */
export const readsGateways = ({ profile, paths }: Pick<Platform, 'profile' | 'paths'>): boolean =>
  profile === 'v2' || paths.gateway_all !== null;
