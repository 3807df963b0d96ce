import { type Measured, measuredPlaces } from '../../schedule/hints/facts.ts';
import { propertyTopic } from '../../topics/topicNames.ts';
import { valueAt } from '../model/device.ts';
import type { Place } from '../model/schedules.ts';
import { historyOf } from '../state/api.ts';
import { useLoaded } from '../state/loaded.ts';
import { base } from '../state/store.ts';

/** Two changes of a week are rarely closer, and a winter looks the same for so long. */
const DAYS = 28;

/** What was measured of a schedule and of what it steers, asked for once; undefined until then, and where the server does not say. */
export const useMeasured = ({ device, schedule: { feature } }: Place): Measured | undefined => {
  const places = Object.entries(measuredPlaces(feature, (name, property) => valueAt(device, name, property)));
  const topics = places.map(([key, place]) => [key, propertyTopic(base.value, device.name, place.feature, place.property)] as const);
  const load = async (): Promise<Measured> => {
    const all = await Promise.all(topics.map(async ([key, topic]) => [key, await historyOf(topic, DAYS)] as const));
    const now = Math.max(0, ...all.map(([, answer]) => answer.now));
    return { zone: device.zone, now, points: Object.fromEntries(all.map(([key, answer]) => [key, answer.points])) };
  };
  const [measured] = useLoaded(load, [JSON.stringify(topics)]);
  // The other hints need no history.
  return measured === 'failed' ? undefined : measured;
};
