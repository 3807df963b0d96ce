import type { GetAnswers, ImportState, PostAnswers } from '../../api/answers.ts';
import type { BridgeView } from '../../bridge/bridgeView.ts';
import { codeOf, messageOf } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import { get, ofBridge, ok, post, type Route } from '../routes.ts';

type Series = ReturnType<BridgeView['past']['series']>;

/** The statistics of the hub in which this app runs. Both functions reject with a message and a code. */
export type HubStatistics = {
  readonly state: () => ImportState;
  /** Replaces all series with these ids. */
  readonly import: (series: Series, ids: readonly string[]) => Promise<void>;
  readonly clear: (ids: readonly string[]) => Promise<void>;
};

const OFF = 'The import into Home Assistant is disabled by the setting homeassistant.import';

/** The consumption before the bridge counted, and its import into Home Assistant. */
export const pastRoutes = (
  state: { readonly view: Pick<BridgeView, 'past'> | undefined },
  log: Log,
  hub?: HubStatistics,
): readonly Route[] => {
  const work = (path: string, what: string, act: (hub: HubStatistics, series: Series, ids: readonly string[]) => Promise<void>): Route => {
    const handle = ofBridge(state, async ({ past }) => {
      const answer = ok<PostAnswers['api/past/import']>;
      const series = past.series();
      if (hub?.state() !== 'on') return answer({ ok: false, code: 'off', message: OFF });
      try {
        await act(hub, series, past.ids());
        log.info({ statistics: series.map(({ id }) => id) }, `the past was ${what} Home Assistant`);
        return answer({ ok: true, message: `${series.length} statistics were ${what} Home Assistant.`, facts: { count: series.length } });
      } catch (cause) {
        log.warn({ why: messageOf(cause) }, `the past was not ${what} Home Assistant`);
        return answer({ ok: false, code: codeOf(cause) ?? 'unreachable', message: messageOf(cause) });
      }
    });
    return post(path, handle);
  };
  return [
    get(
      'api/past',
      ofBridge(state, ({ past }) => ok<GetAnswers['api/past']>({ past: past.series(), import: hub?.state() ?? 'none' })),
    ),
    work('api/past/import', 'imported into', ({ import: into }, series, ids) => into(series, ids)),
    work('api/past/clear', 'removed from', ({ clear }, _, ids) => clear(ids)),
  ];
};
