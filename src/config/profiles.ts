import type { Loaded } from './schema.ts';

type Platform = Loaded['platform'];

/** What a profile brings beside its paths, for settings that are not set. Only the live service has addresses that are known beforehand. */
const DEFAULTS = {
  v1: { base_url: '', auth_url: '', scope: 'IoT User' },
  v2: {
    base_url: 'https://api.viessmann-climatesolutions.com',
    auth_url: 'https://iam.viessmann-climatesolutions.com',
    scope: 'IoT User offline_access',
  },
} as const;

/** Addresses and scope in force: what is set, else what the profile brings. */
export const addressesOf = ({ profile, base_url, auth_url, scope }: Platform) => ({
  base_url: base_url || DEFAULTS[profile].base_url,
  auth_url: auth_url || DEFAULTS[profile].auth_url,
  scope: scope ?? DEFAULTS[profile].scope,
});

/** True where the platform can be asked which devices there are. */
export const findsDevices = ({ profile, paths }: Pick<Platform, 'profile' | 'paths'>): boolean =>
  profile === 'v2' || paths.installations !== null;

/** True where one call reads a gateway with all its devices. */
export const readsGateways = ({ profile, paths }: Pick<Platform, 'profile' | 'paths'>): boolean =>
  profile === 'v2' || paths.gateway_all !== null;
