import type { CheckLine, Facts, Outcome } from '../../api/answers.ts';
import { brokerOptionsOf } from '../../brokerOptions.ts';
import type { Account } from '../../config/accounts.ts';
import { probeBroker, serversOf } from '../../mqtt/connect.ts';
import { pageLogin } from '../../platform/auth/pageLogin.ts';
import { readTokens, soundTokens, tokenFile } from '../../platform/auth/tokenFile.ts';
import type { Clock } from '../../shared/clock.ts';
import { messageOf } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import { countBeside } from '../../storage/callRepository.ts';
import type { SetupServices } from '../../web/setup/services.ts';
import { addressOf, brokerNeeds, checkAll, missingRightLines, thrown } from '../check/check.ts';
import { checkAccounts } from '../check/checkAccounts.ts';
import { accountDevices } from '../check/checkDevices.ts';
import type { Report } from '../check/report.ts';
import { pageBackups } from './backups.ts';

/** What the page uses of broker, login and platform; a running bridge may have a login whose file was deleted. `accounts`: further ones. */
export const setupServices = (
  dataDir: string,
  clock: Clock,
  log: Log,
  hasLogin: () => boolean,
  accounts: () => readonly Account[],
): SetupServices => ({
  testBroker: async (settings): Promise<Outcome> => {
    const works: string[] = [];
    let facts: Facts = {};
    try {
      const servers = serversOf(brokerOptionsOf(settings));
      for (const server of servers) {
        facts = addressOf(server, servers);
        const { url, version, missing } = await probeBroker(server, brokerNeeds(settings));
        const [first] = missingRightLines(missing, settings);
        if (first) return { ok: false, message: first[0], code: first[1].code, facts: { ...facts, ...first[1].facts } };
        works.push(`${url} answers and speaks MQTT ${version}`);
      }
      return { ok: true, message: works.join('; ') };
    } catch (cause) {
      return { ok: false, message: messageOf(cause), code: 'settings', facts, ...thrown(cause, facts) };
    }
  },
  login: pageLogin({
    store: tokenFile(dataDir),
    account: undefined,
    clock,
    log,
    onCall: () => void countBeside(dataDir, clock.now()),
  }),
  loggedIn: (folder) => {
    try {
      const tokens = readTokens(folder);
      if (!tokens) return hasLogin() ? {} : undefined;
      return tokens.login_id === undefined ? {} : { as: tokens.login_id };
    } catch {
      // A damaged file is replaced by the next login.
      return undefined;
    }
  },
  hasTokens: (folder) => soundTokens(folder) !== undefined,
  findDevices: accountDevices,
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
    // Without a main account there are the others alone.
    if (settings.platform.client_id !== '') await checkAll(settings, reportOf({}));
    await checkAccounts(accounts(), reportOf({ isAccount: true }));
    return lines;
  },
});
