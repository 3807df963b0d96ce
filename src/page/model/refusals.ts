import { isRecord, jsonObject } from '../../shared/json.ts';
import type { Topics } from './device.ts';

/** What Viessmann refuses to this account, as `bridge/plan` says; without a device all of the gateway, without a feature all of the device; `installation` alone: its events. */
export type Refusal = {
  readonly installation?: string;
  readonly gateway?: string;
  readonly device?: string;
  readonly feature?: string;
  readonly command?: string;
  readonly since: string;
};

const isRefusal = (value: unknown): value is Refusal => isRecord(value) && typeof (value['installation'] ?? value['gateway']) === 'string';

/** All that is refused; empty where nothing is known of that. */
export const refusalsOf = (topics: Topics, base: string): readonly Refusal[] => {
  const all = jsonObject(topics.get(`${base}/bridge/plan`) ?? '')?.['refused'];
  return Array.isArray(all) ? all.filter(isRefusal) : [];
};

/** True where a command of this feature, or of one below this scope, is refused. */
export const isRefusedBelow = (refusals: readonly Refusal[], device: string, scope: string): boolean =>
  refusals.some(
    ({ command, feature = '', ...one }) =>
      command !== undefined && one.device === device && (feature === scope || feature.startsWith(`${scope}.`)),
  );
