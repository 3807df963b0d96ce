import { useEffect, useState } from 'preact/hooks';
import { type Measured, measuredPlaces } from '../../schedule/hints/facts.ts';
import { propertyTopic } from '../../topics/topicNames.ts';
import { valueAt } from '../model/device.ts';
import type { Place } from '../model/schedules.ts';
import { getJson, isLetIn } from '../state/api.ts';
import { base } from '../state/store.ts';

/** Two changes of a week are rarely closer, and a winter looks the same for so long. */
const DAYS = 28;

/** What was measured of a schedule and of what it steers, asked for once; undefined until then, and where the server does not say. */
export const useMeasured = ({ device, schedule: { feature } }: Place): Measured | undefined => {
  const places = Object.entries(measuredPlaces(feature, (name, property) => valueAt(device, name, property)));
  const topics = places.map(([key, place]) => [key, propertyTopic(base.value, device.name, place.feature, place.property)] as const);
  const [measured, setMeasured] = useState<Measured>();
  const mayLoad = isLetIn.value;
  useEffect(() => {
    if (!mayLoad) return undefined;
    let isCurrent = true;
    const answers = topics.map(async ([key, topic]) => {
      const answer = await getJson('api/history', `?topic=${encodeURIComponent(topic)}&days=${DAYS}`);
      return [key, answer] as const;
    });
    Promise.all(answers).then(
      (all) => {
        const now = Math.max(0, ...all.map(([, answer]) => answer.now));
        const points = Object.fromEntries(all.map(([key, answer]) => [key, answer.points]));
        if (isCurrent) setMeasured({ zone: device.zone, now, points });
      },
      // The other hints need no history.
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [JSON.stringify(topics), mayLoad]);
  return measured;
};
