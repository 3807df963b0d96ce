import type { House } from '../home/house.ts';
import { housesOf, type Site } from '../home/site.ts';
import { type Answer, jsonAnswer, notAllowed, notFound, type Request } from '../http/answer.ts';
import type { JsonObject } from '../http/json.ts';
import { pageOf } from './page.ts';

/** The decoded parts of an address of the equipment service: a list, one member, the state of a gateway, or its restart. */
export type Equipment = {
  readonly what: 'installations' | 'installation' | 'gateways' | 'gateway' | 'devices' | 'device' | 'status' | 'reboot';
  readonly installation?: string;
  readonly gateway?: string;
  readonly device?: string;
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

/** The address with the time zone, where a home has one. */
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

const one = (list: readonly JsonObject[], key: string, id: string, kind: 'INSTALLATION' | 'DEVICE'): Answer => {
  const found = list.find((member) => String(member[key]) === id);
  return found ? jsonAnswer(200, { data: found }) : notFound(kind, id);
};

/** The answer about a gateway that exists. */
const ofGateway = (request: Request, { what, device = '' }: Equipment, house: House): Answer => {
  switch (what) {
    case 'gateway':
      return jsonAnswer(200, { data: gatewayOf(house) });
    case 'status': {
      const { serial = '', aggregatedStatus = '' } = gatewayOf(house);
      return jsonAnswer(200, { data: { serial, aggregatedStatus } });
    }
    case 'device':
      return one(devicesOf(house), 'id', device, 'DEVICE');
    case 'reboot':
      // The platform accepts the request; the gateway restarts later.
      return jsonAnswer(202, { data: { success: true, message: null, reason: null } });
    default:
      return pageOf(devicesOf(house), request);
  }
};

/** The equipment service of v2: installations, gateways and devices, as lists in pages and one by one; a gateway's state and restart. */
export const listing = (request: Request, place: Equipment, site: Site): Answer => {
  const { what, installation, gateway } = place;
  if (request.method !== (what === 'reboot' ? 'POST' : 'GET')) return notAllowed(request.method);
  const withGateways = request.query.get('includeGateways') === 'true';
  if (what === 'installations') return pageOf(installationsOf(site, withGateways), request);
  if (what === 'installation') return one(installationsOf(site, withGateways), 'id', installation ?? '', 'INSTALLATION');
  const houses = installation === undefined ? site.houses : housesOf(site, installation);
  if (houses.length === 0) return notFound('INSTALLATION', installation ?? '');
  if (what === 'gateways') return pageOf(houses.map(gatewayOf), request);
  const house = houses.find(({ home }) => home.gateway === gateway);
  return house ? ofGateway(request, place, house) : notFound('GATEWAY', gateway ?? '');
};
