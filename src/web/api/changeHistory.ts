import type { GetAnswers } from '../../api/answers.ts';
import type { LiveState } from '../live/liveState.ts';
import { get, ofBridge, type Route, refused } from '../routes.ts';

/** So many come with one answer. */
const MOST = 50;

/** What the bridge has changed in the last year, the newest first. */
export const changeHistoryRoutes = (state: LiveState): readonly Route[] => [
  get(
    'api/change-history',
    ofBridge(state, ({ changes }, { query }) => {
      const [before, device, feature] = ['before', 'device', 'feature'].map((name) => query.get(name) ?? undefined);
      if (before !== undefined && !/^\d{1,15}$/u.test(before)) return refused(422, 'invalid', 'before is the key of a change.');
      if (feature !== undefined && device === undefined) return refused(422, 'invalid', 'A feature is named with its device.');
      const which = {
        ...(before === undefined ? {} : { before: Number(before) }),
        ...(device === undefined ? {} : { device }),
        ...(feature === undefined ? {} : { feature }),
      };
      const found = changes.newest(which, MOST + 1);
      const undo = device === undefined || feature === undefined ? [] : changes.undoOf(device, feature);
      const json: GetAnswers['api/change-history'] = { changes: found.slice(0, MOST), more: found.length > MOST, undo };
      return { status: 200, json };
    }),
  ),
];
