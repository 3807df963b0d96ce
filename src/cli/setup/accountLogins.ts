import { ofAccount } from '../../accounts/account.ts';
import { type PageLogin, pageLogin } from '../../platform/auth/pageLogin.ts';
import { tokenFile } from '../../platform/auth/tokenFile.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Log } from '../../shared/log.ts';
import { countBeside } from '../../storage/callRepository.ts';
import { makeDataDir } from '../../storage/dataDir.ts';
import type { AccountsParts } from '../../web/accounts/accountsRoutes.ts';

/** Logins of further accounts; created at first use and kept, because each holds started logins. */
export const accountLogins = (clock: Clock, log: Log): AccountsParts['login'] => {
  const logins = new Map<string, PageLogin>();
  return (name, { data_dir: folder, account }) => {
    const known = logins.get(folder);
    if (known) return known;
    makeDataDir(folder);
    const onCall = (): void => void countBeside(folder, clock.now());
    const login = pageLogin({ store: tokenFile(folder), account, clock, log: name === '' ? log : ofAccount(log, name), onCall });
    logins.set(folder, login);
    return login;
  };
};
