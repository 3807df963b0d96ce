import type { GetAnswers } from '../../api/answers.ts';
import type { Clock } from '../../shared/clock.ts';
import type { LiveState } from '../live/liveState.ts';
import { get, ofBridge, type Route } from '../routes.ts';

const YEAR_MS = 366 * 86_400_000;

/** What each device has told of faults in the last year, the newest first. */
export const faultRoutes = (state: LiveState, clock: Clock): readonly Route[] => [
  get(
    'api/faults',
    ofBridge(state, (view) => {
      const faults = view.faults.devices(clock.now() - YEAR_MS).map(({ name, tells, lives }) => ({
        device: name,
        tells,
        faults: lives.map(({ code, kind, text, since, until, clock: own }) => ({ code, kind, text, since, until, clock: own })),
      }));
      return { status: 200, json: { faults } satisfies GetAnswers['api/faults'] };
    }),
  ),
];
