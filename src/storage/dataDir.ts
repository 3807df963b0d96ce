import { accessSync, constants, lstatSync, readdirSync, statfsSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { CodedError, messageOf, systemCode, UsageError } from '../shared/errors.ts';
import { makeFolder, PlainFileError, refuseForeignLink } from '../shared/plainFile.ts';

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

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'no permission',
  EPERM: 'no permission',
  ENOENT: 'it does not exist',
  ENOTDIR: 'a part of its path is not a folder',
  EEXIST: 'there is a file with this name',
  ERR_FS_EISDIR: 'there is a folder with this name',
  ELOOP: 'its links lead in a circle',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota of this user is used up',
  EROFS: 'the file system is read-only',
  EIO: 'the disk cannot be read or written',
};

const NO_SOCKETS = 'its file system has no sockets, as a network drive; use a folder on a disk of this machine';

/** The message for a failed file operation. */
export const sentenceOf = (cause: unknown): string => {
  const code = systemCode(cause) ?? '';
  // Missing permissions for user or folder cause EACCES instead.
  const isSocket = cause instanceof Error && 'syscall' in cause && cause.syscall === 'listen';
  if (isSocket && ['EPERM', 'ENOTSUP', 'EOPNOTSUPP'].includes(code)) return NO_SOCKETS;
  return REASONS[code] ?? messageOf(cause);
};

/** The error for a data folder fault: UsageError or StorageError for system errors, else the cause. */
export const dataDirFault = (dir: string, cause: unknown): unknown => {
  if (cause instanceof PlainFileError)
    return new UsageError('folder_unusable', `data_dir ${dir} cannot be used: ${cause.message}`, { cause });
  const code = systemCode(cause);
  if (code === undefined) return cause;
  const why = `${sentenceOf(cause)}${placeIn(dir, cause)}${code === 'EACCES' ? ownerOf(dir) : ''}`;
  if (LASTING.has(code)) return new UsageError('folder_unusable', `data_dir ${dir} cannot be used: ${why}`, { cause });
  return new StorageError('storage', `data_dir ${dir} cannot be used now: ${why}`, { cause });
};

/** The folder's owner if different, for example root for a container that runs as user 1000. */
const ownerOf = (dir: string): string => {
  try {
    const [{ uid }, own] = [statSync(dir), process.getuid?.()];
    return uid === own ? '' : `: the folder belongs to user ${uid}, and heating2mqtt runs as user ${own}`;
  } catch {
    return '';
  }
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
