import type { RefusedPlace } from '../../language/answers/refusals.ts';
import { isRecord, jsonObject } from '../../shared/json.ts';
import type { Topics } from './device.ts';

const isRefusal = (value: unknown): value is RefusedPlace =>
  isRecord(value) && typeof (value['installation'] ?? value['gateway']) === 'string';

/** All refusals; empty if unknown. */
export const refusalsOf = (topics: Topics, base: string): readonly RefusedPlace[] => {
  const all = jsonObject(topics.get(`${base}/bridge/plan`) ?? '')?.['refused'];
  return Array.isArray(all) ? all.filter(isRefusal) : [];
};

/** True if a command of this feature, or below this scope, is refused. */
export const isRefusedBelow = (refusals: readonly RefusedPlace[], device: string, scope: string): boolean =>
  refusals.some(
    ({ command, feature = '', ...one }) =>
      command !== undefined && one.device === device && (feature === scope || feature.startsWith(`${scope}.`)),
  );

/** True if the whole device is refused: its shown values are old. */
export const isDeviceRefused = (refusals: readonly RefusedPlace[], device: string): boolean =>
  refusals.some((one) => one.device === device && one.feature === undefined);
