import type { NamedWeek } from '../../editor/types.ts';
import { namedWeeks } from '../../schedule/profile.ts';
import { isRecord, jsonObject } from '../../shared/json.ts';

/** The profiles as `bridge/info` shows the settings, by name; those that cannot be read are left out. */
export const profilesOf = (info: string | undefined): readonly NamedWeek[] => {
  const settings = jsonObject(info ?? '')?.['settings'];
  const schedules = isRecord(settings) ? settings['schedules'] : undefined;
  return namedWeeks(isRecord(schedules) ? schedules['profiles'] : undefined);
};
