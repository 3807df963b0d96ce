import { isRecord, jsonObject } from '../../shared/json.ts';
import type { Place } from '../model/schedules.ts';
import { degrees, moment } from '../shell/format.ts';
import { base, topics } from '../state/store.ts';
import { words } from './words.ts';

/** Which season a schedule has, and which comes, where it follows them. */
export const Season = ({ place: { schedule } }: { readonly place: Place }) => {
  const w = words.value;
  const all = jsonObject(topics.value.get(`${base.value}/bridge/seasons`) ?? '')?.['schedules'];
  const found: unknown = Array.isArray(all)
    ? all.find((one: unknown) => isRecord(one) && one['device'] === schedule.device && one['feature'] === schedule.feature)
    : undefined;
  if (!isRecord(found)) return null;
  const { season, next, next_at: nextAt, mean, limit, waits } = found;
  const parts = [
    w.seasonNow(w.season[String(season)] ?? '?'),
    ...(typeof mean === 'number' && typeof limit === 'number' ? [w.seasonMean(degrees(mean), degrees(limit))] : []),
    ...(typeof next === 'string' && typeof nextAt === 'string' ? [w.seasonNext(w.season[next] ?? next, moment(nextAt))] : []),
    ...(typeof waits === 'string' ? [w.seasonWaits[waits] ?? waits] : []),
  ];
  return <p class="banner">{parts.join('; ')}.</p>;
};
