import type { LiveState } from '../live/liveState.ts';
import { type Route, refused } from '../routes.ts';

const NO_BRIDGE = refused(503, 'restarting', 'The bridge starts again.', { headers: { 'retry-after': '5' } });

/** The calls of the last 24 hours by cause, and the report of `bridge/quota` as things stand now. */
export const callRoutes = (state: LiveState): readonly Route[] => [
  {
    method: 'GET',
    path: 'api/calls',
    access: 'session',
    handle: () => {
      const { view } = state;
      return view ? { status: 200, json: { ...view.reports.quota(), causes: view.reports.calls() } } : NO_BRIDGE;
    },
  },
];
