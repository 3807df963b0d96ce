import type { RefusedPlace } from '../../language/answers/refusals.ts';
import { isRecord, jsonObject } from '../../shared/json.ts';
import type { Topics } from './device.ts';

const isRefusal = (value: unknown): value is RefusedPlace =>
  isRecord(value) && typeof (value['installation'] ?? value['gateway']) === 'string';

/** All that is refused; empty where nothing is known of that. */
export const refusalsOf = (topics: Topics, base: string): readonly RefusedPlace[] => {
  const all = jsonObject(topics.get(`${base}/bridge/plan`) ?? '')?.['refused'];
  return Array.isArray(all) ? all.filter(isRefusal) : [];
};

/** True where a command of this feature, or of one below this scope, is refused. */
export const isRefusedBelow = (refusals: readonly RefusedPlace[], device: string, scope: string): boolean =>
  refusals.some(
    ({ command, feature = '', ...one }) =>
      command !== undefined && one.device === device && (feature === scope || feature.startsWith(`${scope}.`)),
  );

/** True where all of the device is refused: what is shown of it is old. */
export const isDeviceRefused = (refusals: readonly RefusedPlace[], device: string): boolean =>
  refusals.some((one) => one.device === device && one.feature === undefined);
