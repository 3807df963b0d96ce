import { accessSync, constants, lstatSync, readdirSync, statfsSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { CodedError, reasonOf, systemCode, UsageError } from '../shared/errors.ts';
import { makeFolder, ownerOf, PlainFileError, refuseForeignLink } from '../shared/plainFile.ts';

export const DATABASE_NAME = 'heating2mqtt.db';

/** The data folder is temporarily unusable (disk full): exit code 1. UsageError exits with 2. */
export class StorageError extends CodedError<'storage'> {}

/** System codes that persist at the next start until the settings or permissions change. */
const LASTING: ReadonlySet<string> = new Set([
  'EACCES',
  'EPERM',
  'ENOENT',
  'ENOTDIR',
  'EEXIST',
  'ERR_FS_EISDIR',
  'ELOOP',
  'ENAMETOOLONG',
  'ENOTSUP',
  'EOPNOTSUPP',
]);

/** The error for a data folder fault: UsageError or StorageError for system errors, else the cause. */
export const dataDirFault = (dir: string, cause: unknown): unknown => {
  if (cause instanceof PlainFileError)
    return new UsageError('folder_unusable', `data_dir ${dir} cannot be used: ${cause.message}`, { cause });
  const code = systemCode(cause);
  if (code === undefined) return cause;
  const why = `${reasonOf(cause)}${placeIn(dir, cause)}${ownerOf(dir, cause)}`;
  if (LASTING.has(code)) return new UsageError('folder_unusable', `data_dir ${dir} cannot be used: ${why}`, { cause });
  return new StorageError('storage', `data_dir ${dir} cannot be used now: ${why}`, { cause });
};

/** The affected file in the folder. */
const placeIn = (dir: string, cause: unknown): string => {
  const facts: Readonly<Record<string, unknown>> = cause instanceof Error ? { ...cause } : {};
  // A socket error has the path in `address`.
  const path = String(facts['path'] ?? facts['address'] ?? dir);
  return dirname(path) === dir ? ` (${basename(path)})` : '';
};

/** Creates the data folder for its owner only. UsageError (permanent) or StorageError (temporary). */
export const makeDataDir = (dir: string): void => {
  try {
    makeFolder(dir);
    const found = lstatSync(dir);
    if (found.isSymbolicLink()) refuseForeignLink(dir, found);
  } catch (cause) {
    throw dataDirFault(dir, cause);
  }
};

/** Throws UsageError or StorageError for an unusable folder, before a set-up that could not be saved. */
export const checkDataDir = (dir: string): void => {
  try {
    readdirSync(dir);
    accessSync(dir, constants.W_OK | constants.X_OK);
  } catch (cause) {
    // A missing folder is created later.
    if (systemCode(cause) !== 'ENOENT') throw dataDirFault(dir, cause);
  }
};

/** True if every user of the machine can change files in the folder. */
export const isOpenToAll = (dir: string): boolean => process.platform !== 'win32' && (statSync(dir).mode & 0o002) !== 0;

/** The free space for the folder: 0 if read-only, Infinity if unknown (folder not yet created). */
export const freeBytes = (dir: string): number => {
  try {
    accessSync(dir, constants.W_OK);
    const { blocks, bavail, bsize } = statfsSync(dir);
    return blocks > 0 ? bavail * bsize : Number.POSITIVE_INFINITY;
  } catch (cause) {
    return ['EROFS', 'EACCES'].includes(systemCode(cause) ?? '') ? 0 : Number.POSITIVE_INFINITY;
  }
};
