import type { Place } from './equipment.ts';

/** What an address names. `unknown` says which service it would belong to, for whether a token is asked for. */
export type Route =
  | { readonly to: 'authorize' | 'token' | 'user' | 'control' | 'calls' }
  | { readonly to: 'equipment'; readonly place: Place }
  /** The list of installations; of one its gateways; of a gateway its devices. */
  | { readonly to: 'listing'; readonly installation?: string; readonly gateway?: string }
  | { readonly to: 'unknown'; readonly api: boolean };

const FIXED: Readonly<Record<string, 'authorize' | 'token' | 'user' | 'control' | 'calls'>> = {
  '/idp/v2/authorize': 'authorize',
  '/idp/v2/token': 'token',
  '/idp/v3/authorize': 'authorize',
  '/idp/v3/token': 'token',
  '/users/v1/users/me': 'user',
  '/control': 'control',
  '/control/calls': 'calls',
};

// The paths of v1, of v2, and the relative address that records carry, below the IoT service.
const EQUIPMENT: readonly RegExp[] = [
  /^\/iot\/v1\/equipment\/installations\/(?<installation>[^/]+)\/gateways\/(?<gateway>[^/]+)(?:\/devices\/(?<device>[^/]+))?\/features(?:\/(?<feature>[^/]+)(?:\/commands\/(?<command>[^/]+))?|\/)?$/,
  /^\/iot\/v2\/features\/installations\/(?<installation>[^/]+)\/gateways\/(?<gateway>[^/]+)(?:\/devices\/(?<device>[^/]+))?\/features(?:\/(?<feature>[^/]+)(?:\/commands\/(?<command>[^/]+))?|\/)?$/,
  /^\/iot\/v1\/gateways\/(?<gateway>[^/]+)(?:\/devices\/(?<device>[^/]+))?\/features\/(?<feature>[^/]+)(?:\/commands\/(?<command>[^/]+))?$/,
];

const LISTING = /^\/iot\/v2\/equipment\/installations(?:\/(?<installation>[^/]+)\/gateways(?:\/(?<gateway>[^/]+)\/devices)?)?\/?$/;

const decode = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
};

const readPlace = (groups: Readonly<Record<string, string | undefined>>): Place | undefined => {
  const entries = Object.entries(groups).flatMap(([name, text]) => (text === undefined ? [] : [[name, decode(text)] as const]));
  if (entries.some(([, text]) => text === undefined)) return undefined;
  const { gateway = '', ...rest } = Object.fromEntries(entries.flatMap(([name, text]) => (text === undefined ? [] : [[name, text]])));
  return { gateway, ...rest };
};

/** The endpoint behind a path (without its query, still percent-encoded). */
export const route = (path: string): Route => {
  const fixed = Object.hasOwn(FIXED, path) ? FIXED[path] : undefined;
  if (fixed) return { to: fixed };
  for (const pattern of EQUIPMENT) {
    const groups = pattern.exec(path)?.groups;
    const place = groups && readPlace(groups);
    if (place) return { to: 'equipment', place };
  }
  const listing = LISTING.exec(path)?.groups;
  if (listing) {
    const { installation, gateway } = listing;
    return { to: 'listing', ...(installation === undefined ? {} : { installation }), ...(gateway === undefined ? {} : { gateway }) };
  }
  return { to: 'unknown', api: /^\/(?:iot|users)\//.test(path) };
};
