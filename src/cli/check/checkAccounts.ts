import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { shownAccount } from '../../accounts/gatewayOwners.ts';
import { ACCOUNT_FOLDERS, type Account, accountMistake, brokenRules } from '../../config/accounts.ts';
import { DEVELOPER_PORTAL } from '../../config/profiles.ts';
import type { Settings } from '../../config/settings.ts';
import { commandFor } from '../../language/accounts/loginHelp.ts';
import { soundTokens } from '../../platform/auth/tokenFile.ts';
import { askBridge, reportBridge } from './checkBridge.ts';
import { descriptor, type Mark, type MessageDescriptor, type Report } from './report.ts';

type Line = readonly [mark: Mark, sentence: string, descriptor?: MessageDescriptor | undefined];

/**
 * Reports one line for each healthy account, and one for each problem; true if no person must act. `main`: the
 * settings of the main account.
 */
export const checkAccounts = async (accounts: readonly Account[], report: Report, main?: Settings): Promise<boolean> => {
  let isGood = true;
  const settings = [...(main ? [main] : []), ...accounts.flatMap((one) => ('settings' in one ? one.settings : []))];
  for (const account of accounts)
    for (const [mark, ...line] of [...(await linesOf(account)), ...sameClient(account, settings)])
      isGood = report(mark, account.name, ...line) && isGood;
  return isGood;
};

/** A note if an earlier account has the same client: it is not known whether the platform counts by user too. */
const sameClient = (account: Account, all: readonly Settings[]): readonly Line[] => {
  if (!('settings' in account)) return [];
  const { client_id: client, auth_url: service } = account.settings.platform;
  const first = all.find(({ platform }) => platform.client_id === client && platform.auth_url === service);
  if (first === undefined || first === account.settings) return [];
  const other = first.account || '';
  const sentence = `its client_id is also that of ${shownAccount(other)}, so the platform may count the calls of both together: register a client for each account at ${DEVELOPER_PORTAL}, write its id here and log in again`;
  return [['note', sentence, descriptor('same_client', { account: other })]];
};

const linesOf = async (account: Account): Promise<readonly Line[]> => {
  const { name } = account;
  if ('mistakes' in account)
    return [['FAIL', accountMistake(account.mistakes), descriptor('wrong_settings', brokenRules(account.mistakes))]];
  const answer = await askBridge(account.settings.data_dir);
  if (answer !== undefined) {
    const lines: Line[] = [];
    reportBridge(answer, 'check', (mark, _, ...line) => {
      if (mark !== 'ok') lines.push([mark, ...line]);
      return mark !== 'FAIL';
    });
    return lines.length > 0 ? lines : [['ok', 'it is connected and logged in, and reads work', descriptor('bridge_broker')]];
  }
  const folder = account.settings.data_dir;
  if (!soundTokens(folder)) return [['FAIL', `not logged in; run ${commandFor('login', name)}`, descriptor('login_login_needed')]];
  return [['note', `it is not running; ${commandFor('check', name)} tests it`, descriptor('no_bridge', { folder })]];
};

/** `check --health` without a main account: true if the first account that answers is alive. */
export const areAccountsAlive = async (accounts: readonly Account[], report: Report): Promise<boolean> => {
  for (const account of accounts) {
    const answer = 'settings' in account ? await askBridge(account.settings.data_dir) : undefined;
    if (answer !== undefined) return reportBridge(answer, 'health', report);
  }
  return report('FAIL', 'bridge', 'no account is running');
};

/** The same for a fleet worker, which is also healthy without any account. */
export const isWorkerAlive = async (dataDir: string, report: Report): Promise<boolean> => {
  const folder = join(dataDir, ACCOUNT_FOLDERS);
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const answer = await askBridge(join(folder, name));
    if (answer !== undefined) return reportBridge(answer, 'health', report);
  }
  return report('note', 'worker', 'it serves no account now; heating2mqtt fleet list shows which worker serves each account');
};
