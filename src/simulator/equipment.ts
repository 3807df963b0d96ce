import { adaptArguments } from './adapt.ts';
import { type Answer, communicationError, failure, jsonAnswer, notAllowed, type Request } from './answer.ts';
import { checkArguments } from './constraints.ts';
import { effects } from './effects.ts';
import type { House } from './house.ts';
import { isObject, parseJson } from './json.ts';
import type { FeatureRecord } from './record.ts';

/** Ways of the platform that the control path can change while it runs. */
export type Manner = { wrapped: boolean; adaptNext: boolean; v1Retired: boolean };

/** What an address of the IoT service names, decoded. `device` is undefined on the gateway's own level. */
export type Place = {
  readonly installation?: string;
  readonly gateway: string;
  readonly device?: string;
  readonly feature?: string;
  readonly command?: string;
};

const notFound = (what: 'INSTALLATION' | 'GATEWAY' | 'DEVICE' | 'FEATURE', id: string): Answer =>
  failure(404, `${what}_NOT_FOUND`, `${what}_NOT_FOUND`, { extendedPayload: { reason: `${what}_NOT_FOUND`, id } });

const SUCCESS = { success: true, message: null, reason: null };

const findPlace = (place: Place, house: House): Answer | undefined => {
  const { installation, gateway, device } = place;
  if (installation !== undefined && installation !== String(house.home.installation)) return notFound('INSTALLATION', installation);
  if (gateway !== house.home.gateway) return notFound('GATEWAY', gateway);
  return device !== undefined && !house.devices().includes(device) ? notFound('DEVICE', device) : undefined;
};

/** All records of a device; of the gateway its own, with `includeDevicesFeatures=true` also those of its devices but without disabled ones. */
const list = (request: Request, place: Place, house: House): Answer => {
  if (place.device !== undefined || request.query.get('includeDevicesFeatures') !== 'true') {
    const shown = house
      .records(place.device)
      .filter(({ presence }) => presence === 'enabled' || request.query.get('skipDisabled') !== 'true');
    return jsonAnswer(200, { data: shown.map((record) => record.show()) });
  }
  const records = [undefined, ...house.devices()].flatMap((device) => house.records(device));
  return jsonAnswer(200, { data: records.filter(({ presence }) => presence === 'enabled').map((record) => record.show()) });
};

const validationError = (details: readonly { readonly path: string; readonly message: string }[]): Answer =>
  failure(400, 'VALIDATION_ERROR', 'Validation error', {
    extendedPayload: { reason: 'INVALID_PARAMETERS', details: details.map(({ path, message }) => ({ path, message })) },
  });

const execute = (request: Request, record: FeatureRecord, name: string, house: House, manner: Manner, now: number): Answer => {
  if (request.contentType !== 'application/json') {
    return failure(400, 'UNSUPPORTED_MEDIA_TYPE', 'The content type must be application/json.');
  }
  const sent = parseJson(request.body);
  if (!isObject(sent)) return validationError([{ path: '', message: 'must be a JSON object' }]);
  const command = record.presence === 'enabled' && Object.hasOwn(record.commands, name) ? record.commands[name] : undefined;
  // Devices answer a command that they do not have, or not now, with an error of communication.
  if (!command || record.isExecutable(command) !== true) return communicationError('COMMAND_NOT_FOUND');
  const problems = checkArguments(sent, command.params ?? {}, record);
  if (problems.length > 0) return validationError(problems);
  const adapted = manner.adaptNext;
  manner.adaptNext = false;
  const args = adapted ? adaptArguments(sent, command.params ?? {}) : sent;
  house.effect(record.device, effects(record, name, command, args), now);
  return jsonAnswer(200, { data: adapted ? { ...SUCCESS, reason: 'WARNING_PARAMETERS_CHANGED' } : SUCCESS });
};

/** The IoT service: lists, single features and commands, judged in this order: address, method, type of content, body. */
export const equipment = (request: Request, place: Place, house: House, manner: Manner, now: number): Answer => {
  const refusal = findPlace(place, house);
  if (refusal) return refusal;
  if (place.feature === undefined) return request.method === 'GET' ? list(request, place, house) : notAllowed(request.method);
  const record = house.record(place.device, place.feature);
  if (!record) return notFound('FEATURE', place.feature);
  if (place.command !== undefined) {
    return request.method === 'POST' ? execute(request, record, place.command, house, manner, now) : notAllowed(request.method);
  }
  if (request.method !== 'GET') return notAllowed(request.method);
  return jsonAnswer(200, manner.wrapped ? { data: record.show() } : record.show());
};
