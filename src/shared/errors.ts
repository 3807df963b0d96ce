/** An error with a closed list of codes and a sentence that says what to do next; `cause` is kept for the debug log. */
export class CodedError<Code extends string> extends Error {
  readonly code: Code;
  constructor(code: Code, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
}

/** `settings` and what follows it: settings that cannot work on this machine. The page says these in German too. */
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

/** The sentence of whatever was thrown. */
export const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

/** What libuv calls UNKNOWN where a quota is used up on Linux. */
const EDQUOT = -122;

/** The code of an error, as `ENOENT`; undefined where it has none. */
export const codeOf = (cause: unknown): string | undefined => {
  if (!(cause instanceof Error && 'code' in cause && typeof cause.code === 'string')) return undefined;
  return 'errno' in cause && cause.errno === EDQUOT ? 'EDQUOT' : cause.code;
};

/** The code of a failed system call, as `ENOSPC`; undefined for any other error. */
export const systemCode = (cause: unknown): string | undefined =>
  cause instanceof Error && 'syscall' in cause ? codeOf(cause) : undefined;

/** True for an error that SQLite reports, as opposed to a mistake in the program. */
export const isSqliteError = (cause: unknown): cause is Error & { readonly errcode: number } =>
  codeOf(cause) === 'ERR_SQLITE_ERROR' && cause instanceof Error && 'errcode' in cause;

/** SQLite's primary result code of an error: <https://sqlite.org/rescode.html>. */
export const primaryCode = ({ errcode }: { readonly errcode: number }): number => errcode & 0xff;
