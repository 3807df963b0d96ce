import { seasonText } from '../../language/versions/seasonText.ts';
import { isRecord, jsonObject } from '../../shared/json.ts';
import type { Place } from '../model/schedules.ts';
import { degrees, moment } from '../shell/format.ts';
import { language } from '../state/preferences.ts';
import { base, topics } from '../state/store.ts';

/** A note where a schedule follows the seasons: which one it has, and which comes. */
export const Season = ({ place: { schedule } }: { readonly place: Place }) => {
  const all = jsonObject(topics.value.get(`${base.value}/bridge/seasons`) ?? '')?.['schedules'];
  const found: unknown = Array.isArray(all)
    ? all.find((one: unknown) => isRecord(one) && one['device'] === schedule.device && one['feature'] === schedule.feature)
    : undefined;
  return isRecord(found) ? <p class="banner">{seasonText(found, language.value, { degrees, moment })}</p> : null;
};
