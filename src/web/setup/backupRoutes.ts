import { accountOfRow, settingsOfOthers } from '../../config/accounts.ts';
import { readFileAt } from '../../config/file.ts';
import { readSettings } from '../../config/load.ts';
import { LEAVES } from '../../config/schema.ts';
import type { Clock } from '../../shared/clock.ts';
import { get, post, type Route, type WebAnswer, type WebRequest } from '../routes.ts';
import { type Draft, mistakeOf, PASSWORD_NEEDED, shownMistakes, withMistakes } from './draft.ts';
import { accountsElsewhere, PRIVATE, secretsElsewhere, withAccounts } from './keptSecrets.ts';
import type { SetupHost, SetupServices } from './services.ts';
import type { SettingsWriter } from './settingsRoutes.ts';

/** A database takes some MB; compressed, a third of that. */
const MOST_FILE_BYTES = 64 * 1024 * 1024;

/** A backup to download, and its restore, which is checked completely before any change. */
export const backupRoutes = (
  draft: Draft,
  writer: SettingsWriter,
  host: SetupHost,
  { backup, hasTokens }: Pick<SetupServices, 'backup' | 'hasTokens'>,
  clock: Clock,
): readonly Route[] => {
  const download = async (): Promise<WebAnswer> => {
    host.flush();
    const day = new Date(clock.now()).toISOString().slice(0, 10);
    return {
      status: 200,
      headers: { 'content-disposition': `attachment; filename="heating2mqtt-${day}.backup.gz"` },
      content: { type: 'application/gzip', bytes: await backup.make() },
    };
  };

  const restore = async ({ body, isIngress }: WebRequest): Promise<WebAnswer> => {
    const {
      settings: pageText,
      hasMain,
      hasOthers,
      accounts,
      files,
      prepare,
    } = await backup.read(Buffer.isBuffer(body) ? body : Buffer.alloc(0));
    const now = readSettings(host.sources);
    const read = readSettings({ ...host.sources, pageText });
    const othersNow = settingsOfOthers(host.sources, now);
    // A missing client id for a login in the backup is a mistake; otherwise there is no main account.
    const isAlone = othersNow !== undefined || !hasMain;
    const others = isAlone ? settingsOfOthers(host.sources, read, hasOthers) : undefined;
    const settings = read.settings ?? others;
    if (!settings) return withMistakes(shownMistakes(read.mistakes));
    // A password from a lower layer must not go to the backup's broker. The login comes with the backup.
    const isInBackup = LEAVES.some((leaf) => leaf.key === 'mqtt.password' && read.originOf(leaf).kind === 'page');
    const elsewhere = secretsElsewhere(
      { loaded: now.loaded, settings: now.settings ?? othersNow },
      read.loaded,
      isInBackup ? { 'mqtt.password': null } : {},
      false,
    );
    if (elsewhere.length > 0) return withMistakes(elsewhere);
    // Accounts missing from the backup stay, with their logins; those in it have their own login, or none.
    const brought = Object.entries(files).map(([name, text]) => accountOfRow(read, name, readFileAt(name, host.sources.cwd, text)?.tree));
    const there = withAccounts(host.sources, read);
    const then = { ...there, accounts: [...there.accounts.filter(({ name }) => !(name in files)), ...brought] };
    const ofAccounts = accountsElsewhere(
      withAccounts(host.sources, now),
      then,
      (one) => !accounts.includes(one.name) && hasTokens(one.settings.data_dir),
    );
    const added = PRIVATE.filter((key) => settings[key].allow_private && !now.loaded[key].allow_private).map((key) =>
      mistakeOf(`${key}.allow_private`, 'fixed', 'can only be set in the settings file of this machine'),
    );
    if (ofAccounts.length + added.length > 0) return withMistakes([...ofAccounts, ...added]);
    if (host.entry() === 'code' && !isIngress && settings.web.password === undefined) return withMistakes(PASSWORD_NEEDED);
    return writer.restore(settings, { prepare, hasMain: others === undefined }, () => draft.clear());
  };

  return [get('api/backup', download), { ...post('api/backup/restore', restore), mostFileBytes: MOST_FILE_BYTES }];
};
