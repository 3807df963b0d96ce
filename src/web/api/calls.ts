import type { CallReport } from '../../api/answers.ts';
import type { LiveState } from '../live/liveState.ts';
import { RESTARTING, type Route } from '../routes.ts';

/** The calls of the last 24 hours by cause, and the report of `bridge/quota` as things stand now. */
export const callRoutes = (state: LiveState): readonly Route[] => [
  {
    method: 'GET',
    path: 'api/calls',
    access: 'session',
    handle: () => {
      const { view } = state;
      return view ? { status: 200, json: { ...view.reports.quota(), ...view.reports.calls() } satisfies CallReport } : RESTARTING;
    },
  },
];
