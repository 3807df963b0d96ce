import type { NamedWeek } from '../../editor/types.ts';
import { namedWeeks } from '../../schedule/profile.ts';
import { isRecord, jsonObject } from '../../shared/json.ts';

/** The profiles in `bridge/info`, by name, without unreadable ones. */
export const profilesOf = (info: string | undefined): readonly NamedWeek[] => {
  const settings = jsonObject(info ?? '')?.['settings'];
  const schedules = isRecord(settings) ? settings['schedules'] : undefined;
  return namedWeeks(isRecord(schedules) ? schedules['profiles'] : undefined);
};
