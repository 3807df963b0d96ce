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
import { isObject, type JsonObject, parseJson } from '../http/json.ts';
import { readSelection } from './select.ts';

/** The decoded parts of an address of the IoT service. `device` is undefined for features of the gateway, `gateway` for those of the installation. */
export type Place = {
  readonly installation?: string;
  readonly gateway?: string;
  readonly device?: string;
  readonly feature?: string;
  readonly command?: string;
};

const SUCCESS = { success: true, message: null, reason: null };

/** The last segment of a list's address for a POST with the filters in the body. */
const FILTER = 'filter';

/** The records of a gateway and of all its devices; disabled ones are left out (documented). */
const everything = (house: House): readonly FeatureRecord[] =>
  [undefined, ...house.devices()].flatMap((device) => house.records(device)).filter(({ presence }) => presence === 'enabled');

const answerWith = (request: Request, records: readonly FeatureRecord[]): Answer => {
  const selection = readSelection(request);
  if ('refusal' in selection) return selection.refusal;
  return jsonAnswer(200, { data: records.filter(selection.wanted).map((record) => record.show()) });
};

const withDevices = (request: Request): boolean => request.query.get('includeDevicesFeatures') === 'true';

/** The records of a device or a gateway: read with GET, or (`…/features/filter`) with POST. `includeDevicesFeatures=true` adds a gateway's devices. */
const listFeatures = (request: Request, device: string | undefined, house: House): Answer =>
  answerWith(request, device === undefined && withDevices(request) ? everything(house) : house.records(device));

/** The records of an installation: it has none itself; with `includeDevicesFeatures=true` those of all reachable gateways. */
const listInstallation = (request: Request, filtered: boolean, houses: readonly House[]): Answer => {
  if (request.method !== (filtered ? 'POST' : 'GET')) return notAllowed(request.method);
  return answerWith(request, withDevices(request) ? houses.filter((house) => house.online()).flatMap(everything) : []);
};

/** The house behind the named gateway, or the refusal: not found or offline. */
const findHouse = (
  { installation, gateway = '', device: named }: Place,
  site: Site,
): { readonly house: House; readonly device: string | undefined } | { readonly refusal: Answer } => {
  const houses = installation === undefined ? site.houses : housesOf(site, installation);
  if (houses.length === 0) return { refusal: notFound('INSTALLATION', installation ?? '') };
  const house = houses.find(({ home }) => home.gateway === gateway);
  if (!house) return { refusal: notFound('GATEWAY', gateway) };
  // The list of equipment shows the gateway as a device, but its features belong to the gateway.
  const device = named === 'gateway' && !Object.hasOwn(house.home.devices, named) ? undefined : named;
  if (device !== undefined && !house.devices().includes(device)) return { refusal: notFound('DEVICE', device) };
  if (!house.online()) return { refusal: communicationError('GATEWAY_OFFLINE') };
  return house.online(device) ? { house, device } : { refusal: communicationError('DEVICE_OFFLINE') };
};

const addEvent = (record: FeatureRecord, name: string, body: JsonObject, house: House, site: Site, at: number): void => {
  const { installation, gateway, devices } = house.home;
  const device = record.device === undefined ? {} : { deviceId: record.device, modelId: devices[record.device]?.model ?? '' };
  site.events.add({
    at,
    installation,
    gateway,
    type: 'feature-changed',
    body: { ...device, featureName: record.name, commandName: name, commandBody: body },
  });
};

const execute = (request: Request, record: FeatureRecord, name: string, house: House, site: Site, now: number): Answer => {
  const { behaviour } = site;
  if (request.contentType !== 'application/json') return unsupportedType();
  const sent = parseJson(request.body);
  if (!isObject(sent)) return validationError([{ path: '', message: 'must be a JSON object' }]);
  const command = record.presence === 'enabled' && Object.hasOwn(record.commands, name) ? record.commands[name] : undefined;
  // Devices answer unknown commands, and commands that are not executable now, with a communication error.
  if (!command || record.isExecutable(command) !== true) return communicationError('COMMAND_NOT_FOUND');
  const problems = checkArguments(sent, command.params ?? {}, record);
  if (problems.length > 0) return validationError(problems);
  const adapted = behaviour.adaptNext;
  behaviour.adaptNext = false;
  const args = adapted ? adaptArguments(sent, command.params ?? {}) : sent;
  house.effect(record.device, effects(record, name, command, args), now);
  addEvent(record, name, args, house, site, now);
  return jsonAnswer(200, { data: adapted ? { ...SUCCESS, reason: 'WARNING_PARAMETERS_CHANGED' } : SUCCESS });
};

const installationLevel = (request: Request, { installation = '', feature }: Place, site: Site, now: number): Answer => {
  const houses = housesOf(site, installation);
  if (houses.length === 0) return notFound('INSTALLATION', installation);
  for (const house of houses) house.advance(now);
  if (feature === undefined || feature === FILTER) return listInstallation(request, feature === FILTER, houses);
  return request.method === 'GET' ? notFound('FEATURE', feature) : notAllowed(request.method);
};

/** The IoT service: lists, single features and commands. Checked in this order: address, method, content type, body. */
export const equipment = (request: Request, place: Place, site: Site, now: number): Answer => {
  const { gateway, feature, command } = place;
  if (gateway === undefined) return installationLevel(request, place, site, now);
  const found = findHouse(place, site);
  if ('refusal' in found) return found.refusal;
  const { house, device } = found;
  const { method } = request;
  house.advance(now);
  if (feature === undefined) return method === 'GET' ? listFeatures(request, device, house) : notAllowed(method);
  if (feature === FILTER && command === undefined) return method === 'POST' ? listFeatures(request, device, house) : notAllowed(method);
  const record = house.record(device, feature);
  if (!record) return notFound('FEATURE', feature);
  if (command !== undefined) return method === 'POST' ? execute(request, record, command, house, site, now) : notAllowed(method);
  if (method !== 'GET') return notAllowed(method);
  return jsonAnswer(200, site.behaviour.wrapped ? { data: record.show() } : record.show());
};
