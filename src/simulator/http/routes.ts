import type { Place } from '../api/equipment.ts';
import type { Equipment } from '../api/listing.ts';

/** The endpoint of an address. `api` of `unknown` is true below the services that need a token. */
export type Route =
  | { readonly to: 'authorize' | 'token' | 'user' | 'control' | 'calls' }
  | { readonly to: 'equipment'; readonly place: Place }
  | { readonly to: 'listing'; readonly place: Equipment }
  | { readonly to: 'events'; readonly installation: string }
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

/** The pattern of a path whose variable segments are written as `:name`. */
const patternOf = (path: string): RegExp => new RegExp(`^${path.replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`);

const GATEWAY = '/installations/:installation/gateways/:gateway';
const COMMAND = '/:feature(?:/commands/:command)?';

// The paths of v1, of v2, and the relative address that records carry, below the IoT service.
const EQUIPMENT = [
  `/iot/v1/equipment${GATEWAY}(?:/devices/:device)?/features(?:${COMMAND}|/)?`,
  `/iot/v2/features${GATEWAY}(?:/devices/:device)?/features(?:${COMMAND}|/)?`,
  '/iot/v2/features/installations/:installation/features(?:/:feature|/)?',
  `/iot/v1/gateways/:gateway(?:/devices/:device)?/features${COMMAND}`,
].map(patternOf);

// The equipment service of v2; each path can end with a slash.
const LISTING = (
  [
    ['installations', '/installations'],
    ['gateways', '/gateways'],
    ['gateways', '/installations/:installation/gateways'],
    ['reboot', `${GATEWAY}/reboot`],
    ['devices', `${GATEWAY}/devices`],
  ] as const
).map(([what, path]) => ({ what, pattern: patternOf(`/iot/v2/equipment${path}/?`) }));

const EVENTS = patternOf('/iot/v2/events-history/installations/:installation/events/?');

const decode = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
};

/** The named parts of an address, decoded; undefined where one cannot be. */
const readPlace = (groups: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> | undefined => {
  const entries = Object.entries(groups).flatMap(([name, text]) => (text === undefined ? [] : [[name, decode(text)] as const]));
  if (entries.some(([, text]) => text === undefined)) return undefined;
  return Object.fromEntries(entries.flatMap(([name, text]) => (text === undefined ? [] : [[name, text]])));
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
  for (const { what, pattern } of LISTING) {
    const match = pattern.exec(path);
    const place = match && readPlace(match.groups ?? {});
    if (place) return { to: 'listing', place: { what, ...place } };
  }
  const installation = decode(EVENTS.exec(path)?.groups?.['installation'] ?? '');
  if (installation) return { to: 'events', installation };
  return { to: 'unknown', api: /^\/(?:iot|users)\//.test(path) };
};
