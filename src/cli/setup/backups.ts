import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PAGE_FILE } from '../../config/file.ts';
import { areTokens } from '../../platform/auth/tokenFile.ts';
import type { Clock } from '../../shared/clock.ts';
import { readPlainFile } from '../../shared/plainFile.ts';
import { VERSION } from '../../shared/version.ts';
import { noBackup, readBackup, writeBackup } from '../../storage/backup/backupFile.ts';
import { databaseIn, prepareRestore } from '../../storage/backup/restore.ts';
import { makeDataDir, StorageError, sentenceOf } from '../../storage/dataDir.ts';
import type { SetupServices } from '../../web/setup/services.ts';

const TOKENS = 'tokens.json';
/** The texts of a backup, by the name of their file in `data_dir`. */
const TEXTS = [PAGE_FILE, TOKENS];
const MOST_TEXT_BYTES = 1024 * 1024;

/** What the page does with backups: settings of the page, login and database as one file. */
export const pageBackups = (dataDir: string, clock: Clock): SetupServices['backup'] => ({
  make: async () => {
    try {
      const present = TEXTS.filter((name) => existsSync(join(dataDir, name)));
      const texts = present.map((name) => [name, readPlainFile(join(dataDir, name), MOST_TEXT_BYTES).toString('utf8')] as const);
      return await writeBackup({ texts: Object.fromEntries(texts), database: databaseIn(dataDir) }, VERSION, clock.now());
    } catch (cause) {
      throw new StorageError('storage', `No backup can be made in ${dataDir} now: ${sentenceOf(cause)}.`, { cause });
    }
  },
  read: async (bytes) => {
    const backup = await readBackup(bytes, TEXTS);
    const { [PAGE_FILE]: settings = '', [TOKENS]: tokens } = backup.texts;
    if (tokens !== undefined && !areTokens(tokens)) throw noBackup(`its ${TOKENS} holds no tokens`);
    makeDataDir(dataDir);
    return { settings, prepare: () => prepareRestore(dataDir, TEXTS, backup, clock.now()) };
  },
});
