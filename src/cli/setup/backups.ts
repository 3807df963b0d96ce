import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ACCOUNT_FILES, ACCOUNT_FOLDERS } from '../../config/accounts.ts';
import { PAGE_FILE } from '../../config/file.ts';
import { ACCOUNT_NAME } from '../../config/validation/accountEntries.ts';
import { areTokens } from '../../platform/auth/tokenFile.ts';
import type { Clock } from '../../shared/clock.ts';
import { reasonOf } from '../../shared/errors.ts';
import { readPlainFile } from '../../shared/plainFile.ts';
import { VERSION } from '../../shared/version.ts';
import { noBackup, readBackup, writeBackup } from '../../storage/backup/backupFile.ts';
import { databaseIn, prepareRestore } from '../../storage/backup/restore.ts';
import { DATABASE_NAME, makeDataDir, StorageError } from '../../storage/dataDir.ts';
import type { SetupServices } from '../../web/setup/services.ts';

const TOKENS = 'tokens.json';
/** The text files of a backup, by file name in `data_dir`. */
const TEXTS = [PAGE_FILE, TOKENS];
const MOST_TEXT_BYTES = 1024 * 1024;

/** The files of a further account, as paths below `data_dir`. */
const textsOf = (account: string): readonly string[] => [`${ACCOUNT_FILES}/${account}.yaml`, `${ACCOUNT_FOLDERS}/${account}/${TOKENS}`];
const databaseOf = (account: string): string => `${ACCOUNT_FOLDERS}/${account}/${DATABASE_NAME}`;

/** The account that owns this file; undefined for any other path. */
const accountOf = (path: string): string | undefined => {
  const [, inFiles, inFolders] = new RegExp(`^(?:${ACCOUNT_FILES}/([^/]+)\\.yaml|${ACCOUNT_FOLDERS}/([^/]+)/[^/]+)$`).exec(path) ?? [];
  const account = inFiles ?? inFolders;
  return account !== undefined && ACCOUNT_NAME.test(account) ? account : undefined;
};

const accountsIn = (paths: readonly string[]): readonly string[] => [...new Set(paths.flatMap((path) => accountOf(path) ?? []))];

const PATHS = {
  isText: (path: string): boolean => TEXTS.includes(path) || accountsIn([path]).some((account) => textsOf(account).includes(path)),
  isDatabase: (path: string): boolean => accountsIn([path]).some((account) => databaseOf(account) === path),
};

const namesIn = (folder: string): readonly string[] => (existsSync(folder) ? readdirSync(folder) : []);

/** Backups of the page: its settings, further accounts, logins and databases as one file. */
export const pageBackups = (dataDir: string, clock: Clock): SetupServices['backup'] => ({
  make: async () => {
    try {
      const accounts = accountsIn([
        ...namesIn(join(dataDir, ACCOUNT_FILES)).map((name) => `${ACCOUNT_FILES}/${name}`),
        ...namesIn(join(dataDir, ACCOUNT_FOLDERS)).map((name) => `${ACCOUNT_FOLDERS}/${name}/${TOKENS}`),
      ]);
      const present = [...TEXTS, ...accounts.flatMap(textsOf)].filter((path) => existsSync(join(dataDir, path)));
      const texts = present.map((path) => [path, readPlainFile(join(dataDir, path), MOST_TEXT_BYTES).toString('utf8')] as const);
      const databases = accounts.flatMap((account) => {
        const database = databaseIn(join(dataDir, ACCOUNT_FOLDERS, account));
        return database ? [[databaseOf(account), database] as const] : [];
      });
      const backup = { texts: Object.fromEntries(texts), database: databaseIn(dataDir), databases: Object.fromEntries(databases) };
      return await writeBackup(backup, VERSION, clock.now());
    } catch (cause) {
      throw new StorageError('storage', `No backup can be made in ${dataDir} now: ${reasonOf(cause)}.`, { cause });
    }
  },
  read: async (bytes) => {
    const backup = await readBackup(bytes, PATHS);
    const { [PAGE_FILE]: settings = '' } = backup.texts;
    for (const [path, text] of Object.entries(backup.texts))
      if (path.endsWith(TOKENS) && !areTokens(text)) throw noBackup(`its ${path} contains no tokens`);
    makeDataDir(dataDir);
    // Accounts that are not in the backup stay unchanged.
    const accounts = accountsIn([...Object.keys(backup.texts), ...Object.keys(backup.databases ?? {})]);
    const places = { texts: [...TEXTS, ...accounts.flatMap(textsOf)], databases: [DATABASE_NAME, ...accounts.map(databaseOf)] };
    const hasMain = TOKENS in backup.texts || backup.database !== undefined;
    const files = Object.fromEntries(
      accounts.flatMap((account) => {
        const { [`${ACCOUNT_FILES}/${account}.yaml`]: text } = backup.texts;
        return text === undefined ? [] : [[account, text] as const];
      }),
    );
    const hasOthers = Object.keys(files).length > 0;
    return { settings, hasMain, hasOthers, accounts, files, prepare: () => prepareRestore(dataDir, places, backup, clock.now()) };
  },
});
