import type { Calls } from '../control/calls.ts';
import type { Faults } from '../control/faults.ts';
import type { Events } from '../home/events.ts';
import type { House } from '../home/house.ts';
import type { Site } from '../home/site.ts';
import { type Answer, failure, jsonAnswer, notAllowed, type Request } from '../http/answer.ts';
import type { JsonObject } from '../http/json.ts';
import { route } from '../http/routes.ts';
import { equipment } from './equipment.ts';
import { authorize, type Client, token } from './identity.ts';
import { events, listing } from './listing.ts';
import type { Tokens } from './tokens.ts';

/** The parts of the simulated platform. `now` returns epoch ms. */
export type Platform = Site & {
  /** The first house. */
  readonly house: House;
  readonly tokens: Tokens;
  readonly faults: Faults;
  readonly events: Events;
  readonly calls: Calls;
  client: Client;
  readonly now: () => number;
};

/** The error for a request without a valid token of this scope; undefined if the token is valid. */
const refuseToken = ({ authorization }: Request, scope: 'IoT' | 'User', { tokens }: Platform): Answer | undefined => {
  const token = /^Bearer +([\w.~+/=-]+)$/i.exec(authorization ?? '')?.[1];
  if (token === undefined) return failure(401, 'UNAUTHORIZED', 'Request contain invalid token', { error: 'NO TOKEN AVAILABLE' });
  const scopes = tokens.scopes(token);
  if (!scopes) return failure(401, 'UNAUTHORIZED', 'Token provided in request is expired or invalid.', { error: 'EXPIRED TOKEN' });
  return scopes.includes(scope) ? undefined : failure(403, 'UNAUTHORIZED', `The token lacks the scope ${scope}.`);
};

const INSTALLATIONS = 'GET /iot/v2/equipment/installations';
const FEATURES = 'GET /iot/v2/features/installations/{installationId}/gateways/{gatewaySerial}/devices/{deviceId}/features';

/** The live service's answer for a retired v1 path; undefined for other paths or before the retirement. */
const gone = ({ path }: Request, { behaviour }: Platform): Answer | undefined =>
  behaviour.v1Retired && path.startsWith('/iot/v1/')
    ? failure(410, 'GONE', 'This endpoint has been deprecated and is no longer available. Please use the replacement.', {
        extendedPayload: path.includes('/features')
          ? { sunsetDate: '2025-10-31T12:00:00.000Z', replacement: FEATURES }
          : { sunsetDate: '2025-12-15T12:00:00.000Z', replacement: INSTALLATIONS },
      })
    : undefined;

/** `/users/v1/users/me`: the whole record with `sections=identity`, else without `properties`. */
const user = (request: Request, record: JsonObject): Answer => {
  if (request.method !== 'GET') return notAllowed(request.method);
  const sections = request.query.get('sections')?.split(',') ?? [];
  const unknown = sections.filter((section) => section !== 'identity');
  if (unknown.length > 0) return failure(400, 'VALIDATION_ERROR', `Unknown section ${unknown.join(', ')}.`);
  const { properties, ...outside } = record;
  return jsonAnswer(200, sections.includes('identity') ? { ...outside, properties } : outside);
};

const unknown = (request: Request): Answer => failure(404, 'ENDPOINT_NOT_FOUND', `There is nothing at ${request.path}.`);

/** The platform's answer if no fault is active. */
export const respond = (request: Request, platform: Platform): Answer => {
  const { house, tokens, client, now } = platform;
  const target = route(request.path);
  switch (target.to) {
    case 'authorize':
      return authorize(request, client, tokens);
    case 'token':
      return token(request, client, tokens);
    case 'user':
      return refuseToken(request, 'User', platform) ?? user(request, house.home.user);
    case 'equipment':
      return refuseToken(request, 'IoT', platform) ?? gone(request, platform) ?? equipment(request, target.place, platform, now());
    case 'listing':
      return refuseToken(request, 'IoT', platform) ?? listing(request, target.place, platform);
    case 'events':
      return refuseToken(request, 'IoT', platform) ?? events(request, target.installation, platform, platform.events, now());
    case 'unknown':
      return (target.api ? refuseToken(request, 'IoT', platform) : undefined) ?? gone(request, platform) ?? unknown(request);
    case 'control':
    case 'calls':
      return unknown(request);
    default:
      return target satisfies never;
  }
};
