import type { GetAnswers } from '../../api/answers.ts';
import type { LiveState } from '../live/liveState.ts';
import { RESTARTING, type Route, refused, type WebRequest } from '../routes.ts';

/** How a device ran, by day. A device of which nothing is kept has no rows. */
export const performanceRoutes = (state: LiveState): readonly Route[] => [
  {
    method: 'GET',
    path: 'api/performance',
    access: 'session',
    handle: ({ query }: WebRequest) => {
      if (!state.view) return RESTARTING;
      const { performance } = state.view;
      const device = query.get('device') ?? '';
      if (device === '') return refused(400, 'bad_request', 'device is needed: its name in topics.');
      return { status: 200, json: { ...performance.named(device), prices: performance.prices } satisfies GetAnswers['api/performance'] };
    },
  },
];
