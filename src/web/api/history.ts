import type { TopicHistory } from '../../api/answers.ts';
import type { Clock } from '../../shared/clock.ts';
import type { LiveState } from '../live/liveState.ts';
import { get, ofBridge, type Route, refused } from '../routes.ts';

const DAY_MS = 86_400_000;

/** The values that a topic had. */
export const historyRoutes = (state: LiveState, clock: Clock): readonly Route[] => [
  get(
    'api/history',
    ofBridge(state, ({ series }, { query }) => {
      const topic = query.get('topic') ?? '';
      const kept = series.days;
      const asked = Number(query.get('days') ?? kept);
      if (topic === '' || !(asked >= 0)) return refused(400, 'bad_request', 'topic, and days as a number, are needed.');
      const days = Math.min(asked, kept);
      const now = clock.now();
      const since = now - days * DAY_MS;
      // What is later than now is from before a clock was set right; what held at the begin is shown from there on.
      const known = series.of(topic, since).filter(({ at }) => at <= now);
      const points = known.map(({ at, value }) => [Math.max(at, since), value] as const);
      return { status: 200, json: { topic, kept, since, now, points } satisfies TopicHistory };
    }),
  ),
];
