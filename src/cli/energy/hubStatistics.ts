import { homeAssistantApp } from '../../config/homeAssistantApp.ts';
import { readSettings, type Sources } from '../../config/load.ts';
import type { CoreStatistics } from '../../hub/coreStatistics.ts';
import type { HubStatistics } from '../../web/api/past.ts';

/** The statistics of the Home Assistant that this is an app of; undefined elsewhere. `url` is another place of its WebSocket, for tests. */
export const hubStatistics = (sources: Sources, url?: string): HubStatistics | undefined => {
  const app = homeAssistantApp(sources.env, sources.cwd);
  if (!app) return undefined;
  // Loaded late: it brings Node's WebSocket.
  const statistics = async (): Promise<CoreStatistics> => (await import('../../hub/coreStatistics.ts')).coreStatistics(app.token, url);
  return {
    // The page can change it while the bridge runs.
    state: () => (readSettings(sources).loaded.homeassistant.import ? 'on' : 'off'),
    import: async (series, ids) => (await statistics()).import(series, ids),
    clear: async (ids) => (await statistics()).clear(ids),
  };
};
