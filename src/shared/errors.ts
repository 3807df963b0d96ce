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

/** Of which account a sentence is: a further one by its name, undefined for the main one, false for one of a fleet, which no command line knows. */
export type AccountName = string | false | undefined;

/** What people run for this account; undefined for one of a fleet. */
export const commandFor = (command: 'login' | 'check', account: AccountName): string | undefined =>
  account === false ? undefined : `heating2mqtt ${command}${account === undefined ? '' : ` --account ${account}`}`;

const IN_FLEET = [
  ['on the page, or run `heating2mqtt login`', 'on the page of the worker that serves this account'],
  ['; `heating2mqtt check --devices` prints them', ''],
  ['Run `heating2mqtt login` beside the bridge instead', 'Log in as before, or remove the account from the fleet and add it again'],
] as const;

/** The same sentence for this account: commands without the name of a further one are for the main one. One that names it stays. */
export const forAccount = (sentence: string, account: AccountName): string => {
  if (account === false) return IN_FLEET.reduce((said, [command, page]) => said.replaceAll(command, page), sentence);
  return account === undefined
    ? sentence
    : sentence.replaceAll(/heating2mqtt (?:login|check)\b(?! --account)/gu, `$& --account ${account}`);
};

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
