/** An error with a closed list of codes. The message says what to do; `cause` is for the debug log. */
export class CodedError<Code extends string> extends Error {
  readonly code: Code;
  constructor(code: Code, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
}

/** From `settings` on: settings that cannot work on this machine. The page also has them in German. */
export type UsageCode =
  | 'usage'
  | 'settings'
  | 'file_unreadable'
  | 'folder_unusable'
  | 'newer_database'
  | 'no_list'
  | 'other_runs'
  | 'page_unreachable'
  | 'account_name'
  | 'account_exists'
  | 'account_file'
  | 'account_unknown'
  | 'account_fixed'
  | 'account_settings';

/** A wrong argument or setting: printed as a sentence without a stack trace; exit code 2. */
export class UsageError extends CodedError<UsageCode> {}

/** The message of any thrown value. */
export const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

/** libuv reports UNKNOWN for an exceeded quota on Linux. */
const EDQUOT = -122;

/** The code of an error, such as `ENOENT`; undefined without one. */
export const codeOf = (cause: unknown): string | undefined => {
  if (!(cause instanceof Error && 'code' in cause && typeof cause.code === 'string')) return undefined;
  return 'errno' in cause && cause.errno === EDQUOT ? 'EDQUOT' : cause.code;
};

/** The code of a failed system call, such as `ENOSPC`; undefined for any other error. */
export const systemCode = (cause: unknown): string | undefined =>
  cause instanceof Error && 'syscall' in cause ? codeOf(cause) : undefined;

/** True for an error from SQLite, not for a program error. */
export const isSqliteError = (cause: unknown): cause is Error & { readonly errcode: number } =>
  codeOf(cause) === 'ERR_SQLITE_ERROR' && cause instanceof Error && 'errcode' in cause;

/** SQLite's primary result code of an error: <https://sqlite.org/rescode.html>. */
export const primaryCode = ({ errcode }: { readonly errcode: number }): number => errcode & 0xff;

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'no permission',
  EPERM: 'no permission',
  ENOENT: 'it does not exist',
  ENOTDIR: 'a part of its path is not a folder',
  EEXIST: 'there is a file with this name',
  ERR_FS_EISDIR: 'there is a folder with this name',
  ELOOP: 'its symbolic links form a loop',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota of this user is used up',
  EROFS: 'the file system is read-only',
  EIO: 'the disk cannot be read or written',
};

const NO_SOCKETS = 'its file system does not support sockets (for example, a network drive); use a folder on a local disk';

/** Why a file operation failed, in words. */
export const reasonOf = (cause: unknown): string => {
  const code = systemCode(cause) ?? '';
  // Missing permissions for user or folder cause EACCES instead.
  const isSocket = cause instanceof Error && 'syscall' in cause && cause.syscall === 'listen';
  if (isSocket && ['EPERM', 'ENOTSUP', 'EOPNOTSUPP'].includes(code)) return NO_SOCKETS;
  return REASONS[code] ?? messageOf(cause);
};
