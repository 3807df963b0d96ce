import { homeAssistantApp } from '../../config/homeAssistantApp.ts';
import { readSettings, type Sources } from '../../config/load.ts';
import type { CoreStatistics } from '../../hub/coreStatistics.ts';
import type { HubStatistics } from '../../web/api/past.ts';

/** The statistics of the Home Assistant that runs this app; else undefined. `url`: WebSocket, for tests. */
export const hubStatistics = (sources: Sources, url?: string): HubStatistics | undefined => {
  const app = homeAssistantApp(sources.env, sources.cwd);
  if (!app) return undefined;
  // Loaded late because it loads Node's WebSocket.
  const statistics = async (): Promise<CoreStatistics> => (await import('../../hub/coreStatistics.ts')).coreStatistics(app.token, url);
  return {
    // The page can change this setting while the bridge runs.
    state: () => (readSettings(sources).loaded.homeassistant.import ? 'on' : 'off'),
    import: async (series, ids) => (await statistics()).import(series, ids),
    clear: async (ids) => (await statistics()).clear(ids),
  };
};
