import { readAccounts } from '../../config/accounts.ts';
import { readSettings, type Sources } from '../../config/load.ts';
import type { Route } from '../../web/routes.ts';
import type { WebParts } from '../../web/server.ts';
import type { OneTimeCode } from '../../web/setup/oneTimeCode.ts';
import type { Host } from '../host.ts';

/** The routes for set-up and settings, loaded with the page. `code` allows a set-up from other machines. */
export const pageRoutes =
  (sources: Sources, dataDir: string, host: () => Host, code?: OneTimeCode) =>
  async (parts: WebParts): Promise<readonly Route[]> => {
    const [{ setupRoutes }, { setupServices }] = await Promise.all([
      import('../../web/setup/setupRoutes.ts'),
      import('./setupServices.ts'),
    ]);
    const around = {
      sources,
      entry: () => host().web()?.entry() ?? 'none',
      restart: (...given: Parameters<Host['restart']>) => host().restart(...given),
      flush: () => host().flush(),
      loggedIn: () => parts.state.view?.pollNow(),
      needsLogin: () => parts.state.view?.reports.auth().state === 'login_needed',
      ...(code ? { code } : {}),
    };
    const hasLogin = (): boolean => (parts.state.view?.reports.auth().state ?? 'login_needed') !== 'login_needed';
    return setupRoutes(
      around,
      setupServices(dataDir, parts.clock, parts.log, hasLogin, () => readAccounts(sources, readSettings(sources))),
      parts,
    );
  };
