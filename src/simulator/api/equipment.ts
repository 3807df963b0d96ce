import { adaptArguments } from '../home/adapt.ts';
import { checkArguments } from '../home/constraints.ts';
import { effects } from '../home/effects.ts';
import type { House } from '../home/house.ts';
import type { FeatureRecord } from '../home/record.ts';
import { housesOf, type Site } from '../home/site.ts';
import {
  type Answer,
  communicationError,
  jsonAnswer,
  notAllowed,
  notFound,
  type Request,
  unsupportedType,
  validationError,
} from '../http/answer.ts';
import { isObject, parseJson } from '../http/json.ts';

/**
 * The decoded parts of an IoT service URL. Gateway features have no `device`, those of an installation no
 * `gateway`.
 */
export type Place = {
  readonly installation?: string;
  readonly gateway?: string;
  readonly device?: string;
  readonly feature?: string;
  readonly command?: string;
};

const SUCCESS = { success: true, message: null, reason: null };

const isAsked = (request: Request, name: string): boolean => request.query.get(name) === 'true';

/** The records of a gateway and its devices, without disabled ones (documented). */
const everything = (house: House): readonly FeatureRecord[] =>
  [undefined, ...house.devices()].flatMap((device) => house.records(device)).filter(({ presence }) => presence === 'enabled');

const answerWith = (request: Request, records: readonly FeatureRecord[]): Answer => {
  if (request.method !== 'GET') return notAllowed(request.method);
  const shown = isAsked(request, 'skipDisabled') ? records.filter(({ presence }) => presence === 'enabled') : records;
  return jsonAnswer(200, { data: shown.map((record) => record.show()) });
};

/** The records of a device or a gateway. `includeDevicesFeatures=true` adds a gateway's devices. */
const listFeatures = (request: Request, device: string | undefined, house: House): Answer => {
  const isAll = device === undefined && isAsked(request, 'includeDevicesFeatures');
  return answerWith(request, isAll ? everything(house) : house.records(device));
};

/** The house of the gateway, or the error: not found or offline. */
const findHouse = (
  { installation, gateway = '', device: named }: Place,
  site: Site,
): { readonly house: House; readonly device: string | undefined } | { readonly refusal: Answer } => {
  const houses = installation === undefined ? site.houses : housesOf(site, installation);
  if (houses.length === 0) return { refusal: notFound('INSTALLATION', installation ?? '') };
  const house = houses.find(({ home }) => home.gateway === gateway);
  if (!house) return { refusal: notFound('GATEWAY', gateway) };
  // The equipment list shows the gateway as a device, but its features belong to the gateway.
  const device = named === 'gateway' && !Object.hasOwn(house.home.devices, named) ? undefined : named;
  if (device !== undefined && !house.devices().includes(device)) return { refusal: notFound('DEVICE', device) };
  if (!house.online()) return { refusal: communicationError('GATEWAY_OFFLINE') };
  return house.online(device) ? { house, device } : { refusal: communicationError('DEVICE_OFFLINE') };
};

const execute = (request: Request, record: FeatureRecord, name: string, house: House, { behaviour }: Site, now: number): Answer => {
  if (request.contentType !== 'application/json') return unsupportedType();
  const sent = parseJson(request.body);
  if (!isObject(sent)) return validationError([{ path: '', message: 'must be a JSON object' }]);
  const command = record.presence === 'enabled' && Object.hasOwn(record.commands, name) ? record.commands[name] : undefined;
  // Devices answer unknown and currently not executable commands with a communication error.
  if (!command || record.isExecutable(command) !== true) return communicationError('COMMAND_NOT_FOUND');
  const problems = checkArguments(sent, command.params ?? {}, record);
  if (problems.length > 0) return validationError(problems);
  const adapted = behaviour.adaptNext;
  behaviour.adaptNext = false;
  const args = adapted ? adaptArguments(sent, command.params ?? {}) : sent;
  house.effect(record.device, effects(record, name, command, args), now);
  return jsonAnswer(200, { data: adapted ? { ...SUCCESS, reason: 'WARNING_PARAMETERS_CHANGED' } : SUCCESS });
};

/** An installation has no records of its own; `includeDevicesFeatures=true`: those of reachable gateways. */
const installationLevel = (request: Request, { installation = '', feature }: Place, site: Site, now: number): Answer => {
  const houses = housesOf(site, installation);
  if (houses.length === 0) return notFound('INSTALLATION', installation);
  for (const house of houses) house.advance(now);
  if (feature !== undefined) return request.method === 'GET' ? notFound('FEATURE', feature) : notAllowed(request.method);
  const all = isAsked(request, 'includeDevicesFeatures') ? houses.filter((house) => house.online()).flatMap(everything) : [];
  return answerWith(request, all);
};

/** The IoT service: lists, single features, commands. Check order: address, method, content type, body. */
export const equipment = (request: Request, place: Place, site: Site, now: number): Answer => {
  const { gateway, feature, command } = place;
  if (gateway === undefined) return installationLevel(request, place, site, now);
  const found = findHouse(place, site);
  if ('refusal' in found) return found.refusal;
  const { house, device } = found;
  const { method } = request;
  house.advance(now);
  if (feature === undefined) return listFeatures(request, device, house);
  const record = house.record(device, feature);
  if (!record) return notFound('FEATURE', feature);
  if (command !== undefined) return method === 'POST' ? execute(request, record, command, house, site, now) : notAllowed(method);
  if (method !== 'GET') return notAllowed(method);
  return jsonAnswer(200, site.behaviour.wrapped ? { data: record.show() } : record.show());
};
