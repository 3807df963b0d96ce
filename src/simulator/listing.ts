import { type Answer, failure, jsonAnswer, notAllowed, type Request } from './answer.ts';
import type { House } from './house.ts';
import type { JsonObject } from './json.ts';

// As documented: 50 where nothing is said, at most 1000.
const PAGE = 50;
const LONGEST_PAGE = 1000;

const devicesOf = (house: House): readonly JsonObject[] => {
  const { gateway, gatewayFeatures, devices } = house.home;
  const own =
    gatewayFeatures === undefined ? [] : [{ id: 'gateway', modelId: 'Simulated_Gateway', deviceType: 'tcu', roles: ['type:gateway'] }];
  const others = house.devices().map((id) => {
    const { model = 'Simulated_Device', type = 'heating', roles = ['type:heating'] } = devices[id] ?? {};
    return { id, modelId: model, deviceType: type, roles };
  });
  return [...own, ...others].map((device) => ({ gatewaySerial: gateway, boilerSerial: `${gateway}B`, status: 'Online', ...device }));
};

const gatewayOf = (house: House): JsonObject => ({
  serial: house.home.gateway,
  version: '1.4.0',
  aggregatedStatus: 'WorksProperly',
  gatewayType: 'VitoconnectOptolink',
  devices: devicesOf(house),
});

const installationsOf = (house: House, withGateways: boolean): readonly JsonObject[] => {
  const { installation, neighbours = [] } = house.home;
  const own = { id: installation, description: 'Simulated home', accessLevel: 'Owner', gateways: [gatewayOf(house)] };
  return [own, ...neighbours].map(({ gateways, ...rest }) => (withGateways ? { ...rest, gateways } : rest));
};

const page = (all: readonly JsonObject[], { query }: Request): Answer => {
  const from = Number(query.get('cursor') ?? 0);
  const limit = Number(query.get('limit') ?? PAGE);
  if (!Number.isInteger(from) || from < 0 || !Number.isInteger(limit) || limit < 1 || limit > LONGEST_PAGE)
    return failure(400, 'VALIDATION_ERROR', 'Validation error');
  const next = from + limit < all.length ? { next: String(from + limit) } : {};
  return jsonAnswer(200, { data: all.slice(from, from + limit), cursor: next });
};

/** The equipment service of v2: installations page by page, the gateways of one, the devices of a gateway. */
export const listing = (request: Request, place: { readonly installation?: string; readonly gateway?: string }, house: House): Answer => {
  const { installation, gateway } = place;
  if (request.method !== 'GET') return notAllowed(request.method);
  if (installation === undefined) return page(installationsOf(house, request.query.get('includeGateways') === 'true'), request);
  if (installation !== String(house.home.installation)) return failure(404, 'INSTALLATION_NOT_FOUND', 'INSTALLATION_NOT_FOUND');
  if (gateway === undefined) return jsonAnswer(200, { data: [gatewayOf(house)] });
  if (gateway !== house.home.gateway) return failure(404, 'GATEWAY_NOT_FOUND', 'GATEWAY_NOT_FOUND');
  return jsonAnswer(200, { data: devicesOf(house) });
};
