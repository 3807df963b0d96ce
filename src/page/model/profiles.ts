import type { NamedWeek } from '../../editor/types.ts';
import { readJsonWeek } from '../../schedule/jsonWeek.ts';
import { readTextWeek } from '../../schedule/text/weekText.ts';
import { validateWeek } from '../../schedule/validateWeek.ts';
import { isRecord, jsonObject } from '../../shared/json.ts';

/** The profiles as `bridge/info` shows the settings, by name; those that cannot be read are left out. */
export const profilesOf = (info: string | undefined): readonly NamedWeek[] =>
  Object.entries(writtenProfiles(info)).flatMap(([name, written]) => {
    const text = typeof written === 'string' ? written : undefined;
    const isText = text !== undefined && !/^\s*[[{]/u.test(text);
    const week = isText ? readTextWeek(text) : readJsonWeek(text === undefined ? written : jsonObject(text));
    const days = validateWeek(week, {}, undefined);
    return days.ok ? [{ name, week: Object.fromEntries(days.value) }] : [];
  });

/** The profiles as they are written in the settings. */
const writtenProfiles = (info: string | undefined): Readonly<Record<string, unknown>> => {
  const settings = jsonObject(info ?? '')?.['settings'];
  const schedules = isRecord(settings) ? settings['schedules'] : undefined;
  const profiles = isRecord(schedules) ? schedules['profiles'] : undefined;
  return isRecord(profiles) ? profiles : {};
};
