import type { CheckLine, Outcome } from '../../api/answers.ts';
import type { Account } from '../../config/accounts.ts';
import { readTokens, soundTokens } from '../../platform/auth/tokenFile.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Log } from '../../shared/log.ts';
import type { SetupServices } from '../../web/setup/services.ts';
import { checkAll, testBroker } from '../check/check.ts';
import { checkAccounts } from '../check/checkAccounts.ts';
import { accountDevices } from '../check/checkDevices.ts';
import type { Report } from '../check/report.ts';
import { loginIn } from './accountLogins.ts';
import { pageBackups } from './backups.ts';

/** Services for the page. A running bridge may keep a login without its file. `accounts`: further ones. */
export const setupServices = (
  dataDir: string,
  clock: Clock,
  log: Log,
  hasLogin: () => boolean,
  accounts: () => readonly Account[],
): SetupServices => ({
  testBroker: async (settings): Promise<Outcome> => {
    const results = await testBroker(settings);
    const wrong = results.find(({ isGood }) => !isGood);
    if (wrong) return { ok: false, message: wrong.sentence, ...wrong.about };
    return { ok: true, message: results.map(({ sentence }) => sentence).join('; ') };
  },
  login: loginIn(dataDir, undefined, clock, log),
  loggedIn: (folder) => {
    try {
      const tokens = readTokens(folder);
      if (!tokens) return hasLogin() ? {} : undefined;
      return tokens.login_id === undefined ? {} : { as: tokens.login_id };
    } catch {
      // The next login replaces a damaged file.
      return undefined;
    }
  },
  hasTokens: (folder) => soundTokens(folder) !== undefined,
  findDevices: (settings) => accountDevices(settings, log),
  backup: pageBackups(dataDir, clock),
  check: async (settings) => {
    const lines: CheckLine[] = [];
    const reportOf =
      (about: Pick<CheckLine, 'isAccount'>): Report =>
      (mark, name, message, descriptor) => {
        const ok = mark !== 'FAIL';
        lines.push({ ok, note: mark === 'note', name, ...about, message, ...descriptor });
        return ok;
      };
    // Without a main account there are only the other accounts.
    const hasMain = settings.platform.client_id !== '';
    if (hasMain) await checkAll(settings, reportOf({}));
    await checkAccounts(accounts(), reportOf({ isAccount: true }), hasMain ? settings : undefined);
    return lines;
  },
});
