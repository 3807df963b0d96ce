import type { Events } from '../home/events.ts';
import type { House } from '../home/house.ts';
import { housesOf, type Site } from '../home/site.ts';
import { type Answer, jsonAnswer, notAllowed, notFound, type Request, validationError } from '../http/answer.ts';
import type { JsonObject } from '../http/json.ts';

/** The decoded parts of an equipment service URL: a list, or a gateway restart. */
export type Equipment = {
  readonly what: 'installations' | 'gateways' | 'devices' | 'reboot';
  readonly installation?: string;
  readonly gateway?: string;
};

const devicesOf = (house: House): readonly JsonObject[] => {
  const { gateway, gatewayFeatures, gatewayDevice, gatewayUnlisted, devices } = house.home;
  const own =
    gatewayFeatures === undefined || gatewayUnlisted || Object.hasOwn(devices, 'gateway')
      ? []
      : [{ id: 'gateway', ...(gatewayDevice ?? {}), online: house.online() }];
  const others = house.devices().map((id) => ({ id, ...devices[id], online: house.online(id) }));
  return [...own, ...others].map(({ id, online, model, type, roles }) => ({
    gatewaySerial: gateway,
    id,
    boilerSerial: `${gateway}B`,
    modelId: model ?? (id === 'gateway' ? 'Simulated_Gateway' : 'Simulated_Device'),
    status: online ? 'Online' : 'Offline',
    deviceType: type ?? (id === 'gateway' ? 'tcu' : 'heating'),
    roles: roles ?? [id === 'gateway' ? 'type:gateway' : 'type:heating'],
  }));
};

const gatewayOf = (house: House): JsonObject => ({
  serial: house.home.gateway,
  version: '1.4.0',
  aggregatedStatus: house.online() ? 'WorksProperly' : 'Offline',
  gatewayType: 'VitoconnectOptolink',
  installationId: house.home.installation,
  devices: devicesOf(house),
});

/** The address with the time zone, if a home has one. */
const addressOf = (houses: readonly House[]): JsonObject => {
  const timeZone = houses.find(({ home }) => home.timeZone !== undefined)?.home.timeZone;
  return timeZone === undefined ? {} : { address: { geolocation: { timeZone } } };
};

const installationsOf = ({ houses }: Site, withGateways: boolean): readonly JsonObject[] => {
  const own = [...Map.groupBy(houses, ({ home }) => home.installation)].map(
    ([id, members]): JsonObject => ({
      id,
      description: 'Simulated home',
      ...addressOf(members),
      accessLevel: 'Owner',
      gateways: members.map(gatewayOf),
    }),
  );
  const all = [...own, ...houses.flatMap(({ home }) => home.neighbours ?? [])];
  return all.map(({ gateways, ...rest }) => (withGateways ? { ...rest, gateways } : rest));
};

// Documented: default 50, maximum 1000.
const PAGE = '50';
const LONGEST_PAGE = 1000;

/** One page of a list, `{data, cursor}`: `limit` members after `cursor`; the last has no `cursor.next`. */
const pageOf = (all: readonly JsonObject[], { query }: Request): Answer => {
  const [cursor, limit] = [query.get('cursor') ?? '0', query.get('limit') ?? PAGE];
  if (!/^\d{1,4}$/.test(limit) || Number(limit) < 1 || Number(limit) > LONGEST_PAGE)
    return validationError([{ path: 'limit', message: `must be a whole number from 1 to ${LONGEST_PAGE}` }]);
  if (!/^\d{1,15}$/.test(cursor)) return validationError([{ path: 'cursor', message: 'must be the one that the page before ended with' }]);
  const end = Number(cursor) + Number(limit);
  return jsonAnswer(200, { data: all.slice(Number(cursor), end), cursor: end < all.length ? { next: String(end) } : {} });
};

/** The v2 equipment service: paged lists of installations, gateways and devices; a gateway's restart. */
export const listing = (request: Request, { what, installation, gateway }: Equipment, site: Site): Answer => {
  if (request.method !== (what === 'reboot' ? 'POST' : 'GET')) return notAllowed(request.method);
  if (what === 'installations') return pageOf(installationsOf(site, request.query.get('includeGateways') === 'true'), request);
  const houses = installation === undefined ? site.houses : housesOf(site, installation);
  if (houses.length === 0) return notFound('INSTALLATION', installation ?? '');
  if (what === 'gateways') return pageOf(houses.map(gatewayOf), request);
  const house = houses.find(({ home }) => home.gateway === gateway);
  if (!house) return notFound('GATEWAY', gateway ?? '');
  if (what === 'reboot') {
    // Frozen records continue with the values held back.
    house.thaw();
    return jsonAnswer(202, { data: { success: true, message: null, reason: null } });
  }
  return pageOf(devicesOf(house), request);
};

/** Events of an installation, in pages: first by `lastNDays`, then by cursor. Exactly one is allowed. */
export const events = (request: Request, installation: string, site: Site, log: Events, now: number): Answer => {
  if (request.method !== 'GET') return notAllowed(request.method);
  if (housesOf(site, installation).length === 0) return notFound('INSTALLATION', installation);
  const { query } = request;
  const days = query.get('lastNDays') ?? (/^\d+\./.exec(query.get('cursor') ?? '')?.[0].slice(0, -1) || '');
  if (query.has('lastNDays') === query.has('cursor') || !/^\d{1,3}$/.test(days))
    return validationError([{ path: 'lastNDays', message: 'must be a whole number, without a cursor beside it' }]);
  const start = query.get('cursor')?.replace(/^\d+\./, '') ?? '0';
  const limit = Number(query.get('limit') ?? PAGE);
  const all = log.list(installation, Number(days), now);
  const end = Number(start) + limit;
  return jsonAnswer(200, { data: all.slice(Number(start), end), cursor: { next: end < all.length ? `${days}.${end}` : '' } });
};
