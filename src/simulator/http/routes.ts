import type { Place } from '../api/equipment.ts';
import type { Equipment } from '../api/listing.ts';

/** The endpoint of a URL. `api` of `unknown` is true for paths of the services that need a token. */
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

/** Builds a route from the decoded parts of a URL. */
type MakeRoute = (place: Readonly<Record<string, string>>) => Route;

const ROUTES: readonly (readonly [path: string, make: MakeRoute])[] = [
  // The IoT service paths: v1, v2, and the relative URL in records.
  ...[
    `/iot/v1/equipment${GATEWAY}(?:/devices/:device)?/features(?:${COMMAND}|/)?`,
    `/iot/v2/features${GATEWAY}(?:/devices/:device)?/features(?:${COMMAND}|/)?`,
    '/iot/v2/features/installations/:installation/features(?:/:feature|/)?',
    `/iot/v1/gateways/:gateway(?:/devices/:device)?/features${COMMAND}`,
  ].map((path) => [path, (place: Place): Route => ({ to: 'equipment', place })] as const),
  // The v2 equipment service; each path can end with a slash.
  ...(
    [
      ['installations', '/installations'],
      ['gateways', '/gateways'],
      ['gateways', '/installations/:installation/gateways'],
      ['reboot', `${GATEWAY}/reboot`],
      ['devices', `${GATEWAY}/devices`],
    ] as const
  ).map(
    ([what, path]) => [`/iot/v2/equipment${path}/?`, (place: object): Route => ({ to: 'listing', place: { what, ...place } })] as const,
  ),
  ['/iot/v2/events-history/installations/:installation/events/?', ({ installation = '' }) => ({ to: 'events', installation })],
];

const PATTERNS = ROUTES.map(([path, make]) => [patternOf(path), make] as const);

/** The named parts of a URL, decoded; undefined if one cannot be decoded. */
const readPlace = (groups: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> | undefined => {
  try {
    return Object.fromEntries(
      Object.entries(groups).flatMap(([name, text]) => (text === undefined ? [] : [[name, decodeURIComponent(text)]])),
    );
  } catch {
    return undefined;
  }
};

/** The endpoint of a path (without query, still percent-encoded). */
export const route = (path: string): Route => {
  const fixed = Object.hasOwn(FIXED, path) ? FIXED[path] : undefined;
  if (fixed) return { to: fixed };
  for (const [pattern, make] of PATTERNS) {
    const found = pattern.exec(path);
    const place = found && readPlace(found.groups ?? {});
    if (place) return make(place);
  }
  return { to: 'unknown', api: /^\/(?:iot|users)\//.test(path) };
};
