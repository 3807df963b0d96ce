import type { GetAnswers } from '../../api/answers.ts';
import type { LiveState } from '../live/liveState.ts';
import { get, ofBridge, type Route, refused } from '../routes.ts';

/** How a device ran, by day. A device of which nothing is kept has no rows. */
export const performanceRoutes = (state: LiveState): readonly Route[] => [
  get(
    'api/performance',
    ofBridge(state, ({ performance }, { query }) => {
      const device = query.get('device') ?? '';
      if (device === '') return refused(400, 'bad_request', 'device is needed: its name in topics.');
      return { status: 200, json: { ...performance.named(device), prices: performance.prices } satisfies GetAnswers['api/performance'] };
    }),
  ),
];
