import type { House } from '../home/house.ts';
import type { FeatureRecord } from '../home/record.ts';
import { type Answer, jsonAnswer, notAllowed, type Request } from '../http/answer.ts';
import { readSelection } from './select.ts';

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
export const listFeatures = (request: Request, device: string | undefined, house: House): Answer =>
  answerWith(request, device === undefined && withDevices(request) ? everything(house) : house.records(device));

/** The records of an installation: none are its own; with `includeDevicesFeatures=true` those of all gateways that can be reached. */
export const listInstallation = (request: Request, filtered: boolean, houses: readonly House[]): Answer => {
  if (request.method !== (filtered ? 'POST' : 'GET')) return notAllowed(request.method);
  return answerWith(request, withDevices(request) ? houses.filter((house) => house.online()).flatMap(everything) : []);
};
