import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ACCOUNT_FOLDERS, type Account, accountMistake, brokenRules } from '../../config/accounts.ts';
import { commandFor } from '../../language/accounts/loginHelp.ts';
import { soundTokens } from '../../platform/auth/tokenFile.ts';
import { askBridge, reportBridge } from './checkBridge.ts';
import { descriptor, type Mark, type MessageDescriptor, type Report } from './report.ts';

type Line = readonly [mark: Mark, sentence: string, descriptor?: MessageDescriptor | undefined];

/** Reports one line for each healthy account, and one for each problem; true if no person must act. */
export const checkAccounts = async (accounts: readonly Account[], report: Report): Promise<boolean> => {
  let isGood = true;
  for (const account of accounts)
    for (const [mark, ...line] of await linesOf(account)) isGood = report(mark, account.name, ...line) && isGood;
  return isGood;
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
