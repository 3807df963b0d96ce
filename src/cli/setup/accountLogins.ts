import { ofAccount } from '../../accounts/account.ts';
import type { Settings } from '../../config/settings.ts';
import { type PageLogin, pageLogin } from '../../platform/auth/pageLogin.ts';
import { tokenFile } from '../../platform/auth/tokenFile.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Log } from '../../shared/log.ts';
import { countBeside } from '../../storage/callRepository.ts';
import { makeDataDir } from '../../storage/dataDir.ts';
import type { AccountsParts } from '../../web/accounts/accountsRoutes.ts';

/** The login on the page, with its tokens in this folder. */
export const loginIn = (folder: string, account: Settings['account'], clock: Clock, log: Log): PageLogin =>
  pageLogin({ store: tokenFile(folder), account, clock, log, onCall: () => void countBeside(folder, clock.now()) });

/** Logins of further accounts; created at first use and kept, because each holds started logins. */
export const accountLogins = (clock: Clock, log: Log): AccountsParts['login'] => {
  const logins = new Map<string, PageLogin>();
  return (name, { data_dir: folder, account }) => {
    const known = logins.get(folder);
    if (known) return known;
    makeDataDir(folder);
    const login = loginIn(folder, account, clock, name === '' ? log : ofAccount(log, name));
    logins.set(folder, login);
    return login;
  };
};
