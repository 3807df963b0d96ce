import type { CallReport } from '../../api/answers.ts';
import type { LiveState } from '../live/liveState.ts';
import { get, ofBridge, type Route } from '../routes.ts';

/** The calls of the last 24 hours by cause, and the report of `bridge/quota` as things stand now. */
export const callRoutes = (state: LiveState): readonly Route[] => [
  get(
    'api/calls',
    ofBridge(state, ({ reports }) => ({ status: 200, json: { ...reports.quota(), ...reports.calls() } satisfies CallReport })),
  ),
];
