import { seasonText } from '../../language/versions/seasonText.ts';
import { isRecord, jsonObject } from '../../shared/json.ts';
import type { Place } from '../model/schedules.ts';
import { degrees, moment } from '../shell/format.ts';
import { language } from '../state/preferences.ts';
import { base, topics } from '../state/store.ts';

/** A note if a schedule follows the seasons: the current season and the next one. */
export const Season = ({ place: { schedule } }: { readonly place: Place }) => {
  const all = jsonObject(topics.value.get(`${base.value}/bridge/seasons`) ?? '')?.['schedules'];
  const found: unknown = Array.isArray(all)
    ? all.find((one: unknown) => isRecord(one) && one['device'] === schedule.device && one['feature'] === schedule.feature)
    : undefined;
  return isRecord(found) ? <p class="banner">{seasonText(found, language.value, { degrees, moment })}</p> : null;
};
