import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { nearestWords } from '../shared/closestMatch.ts';
import { codeOf, UsageError } from '../shared/errors.ts';
import { isRecord } from '../shared/json.ts';
import { fileId, ownerOf } from '../shared/plainFile.ts';
import { readFileAt } from './file.ts';
import { readSettings, type SettingsRead, type Sources, settingsErrorOf, settingsIn } from './load.ts';
import { LEAVES, valueAt } from './schema.ts';
import type { Settings } from './settings.ts';
import { checkAccountName } from './validation/accountEntries.ts';
import { shown, under, wrong } from './validation/checks.ts';
import { knownKeys } from './validation/knownKeys.ts';
import { keyText, located, type Mistake, type Path, type Problem, SettingsError, toIssue } from './validation/mistake.ts';

/** Folder in `data_dir` with one file per account; the file has the account's name. */
export const ACCOUNT_FILES = 'accounts.d';
/** Folder in `data_dir` with a folder per account. */
export const ACCOUNT_FOLDERS = 'accounts';

/** A further account: its settings, or its mistakes. */
export type Account = {
  /** If its name is wrong or taken, its place: `accounts[1]`, `accounts.d/bridge.yaml`. */
  readonly name: string;
  /** Absolute path of its file in `accounts.d`; undefined if it is in the settings file. */
  readonly file?: string;
} & ({ readonly settings: Settings } | { readonly mistakes: readonly Mistake[]; readonly isUnnamed?: true });

/** Settings of the whole process, and settings of the main account that apply only to its home. */
const PROCESS_KEYS = ['accounts', 'data_dir', 'mqtt.base', 'mqtt.url', 'mqtt.client_id'];
const PROCESS_SECTIONS = ['web', 'log'];
const isProcessSetting = (key: string): boolean =>
  PROCESS_KEYS.includes(key) || PROCESS_SECTIONS.some((section) => key.startsWith(`${section}.`));
const isOfMainAccount = (key: string): boolean =>
  ['platform.client_id', 'devices', 'accounts', 'mqtt.client_id', 'schedules.seasons'].includes(key) ||
  /^(?:calendar|prices|web)\./.test(key);

type Entry = {
  readonly name: string;
  /** The display name if its name is wrong or taken. */
  readonly position: string;
  /** The mistakes of a settings row as a whole, such as its name. */
  readonly ofRow: readonly Mistake[];
  readonly file?: string;
  readonly tree: unknown;
  readonly placeOf: (path: Path) => string;
  readonly mistakes: readonly Mistake[];
};

/**
 * All further accounts, in the order of the settings, then of the file names. `main`: the settings of the
 * process. Throws a UsageError if `accounts.d` cannot be read.
 */
export const readAccounts = (sources: Sources, main: SettingsRead): readonly Account[] => {
  const entries = entriesOf(sources, main);
  return entries.map((entry, index) => {
    const account = readAccount(main, entry, entries.slice(0, index));
    if ('settings' in account) return { ...account, settings: { ...account.settings, account: account.name } };
    return account.isUnnamed ? { ...account, name: entry.position } : account;
  });
};

const entriesOf = (sources: Sources, main: SettingsRead): readonly Entry[] => [...inSettings(main), ...inFiles(sources, main)];

/** The account of a fleet row. `entry`: as in `accounts.d`. */
export const accountOfRow = (main: SettingsRead, name: string, entry: unknown): Account => {
  const row = { name, position: name, ofRow: [], tree: entry, placeOf: () => `the row of ${name}`, mistakes: [] };
  const account = readAccount(main, row, []);
  return 'settings' in account ? { ...account, settings: { ...account.settings, account: false } } : account;
};

/** Settings of a process that has only further accounts; else undefined. `hasMore`: more will follow. */
export const settingsOfOthers = (sources: Sources, main: SettingsRead, hasMore = false): Settings | undefined =>
  hasNoMain(main) && (hasMore || entriesOf(sources, main).length > 0) ? main.settingsSoFar : undefined;

/** True if `platform.client_id` is missing. With it, a missing setting belongs to the main account. */
const hasNoMain = ({ settings, loaded }: SettingsRead): boolean => settings === undefined && loaded.platform.client_id === '';

/** The settings of an account, or of the main one. Throws a SettingsError, which may name the accounts. */
export const loadAccount = (sources: Sources, name?: string): Settings => {
  const main = readSettings(sources);
  if (name === undefined && !(hasNoMain(main) && main.settingsSoFar)) return settingsIn(main);
  const all = readAccounts(sources, main);
  const account = all.find((one) => one.name === name);
  if (account && 'settings' in account) return account.settings;
  if (account) throw accountErrorOf(account.mistakes);
  const names = all.flatMap((one) => ('mistakes' in one && one.isUnnamed ? [] : one.name));
  if (names.length === 0 && !main.settings) throw settingsErrorOf(main);
  const fault =
    name === undefined
      ? ({ rule: 'required', what: 'is missing; the settings have no main account' } as const)
      : ({ rule: 'unknown', what: `there is no account ${shown(name)}`, nearest: nearestWords(name, names) } as const);
  const what = { path: [], ...fault };
  throw accountErrorOf([{ ...what, place: '--account', allowed: names.join(', ') || 'none: the settings have no accounts' }]);
};

const accountErrorOf = (mistakes: readonly Mistake[]): SettingsError =>
  new SettingsError(mistakes, 'docs/accounts.md describes the settings of an account.');

/** The mistakes of an account in one sentence. */
export const accountMistake = (mistakes: readonly Mistake[]): string => mistakes.map((one) => toIssue(one).message).join('; ');

/** The same as facts: the broken rule by place. */
export const brokenRules = (mistakes: readonly Mistake[]): Readonly<Record<string, string>> =>
  Object.fromEntries(mistakes.map(({ place, path, rule }) => [[place, keyText(path)].filter((part) => part !== '').join(': '), rule]));

const inSettings = ({ loaded, originOf, file, page, rowMistakes }: SettingsRead): readonly Entry[] => {
  const leaf = LEAVES.find(({ key }) => key === 'accounts');
  const from = leaf && originOf(leaf);
  const holder = from?.kind === 'page' ? page : file;
  const place = (index: number, path: Path): string =>
    from?.kind === 'file' || from?.kind === 'page' ? (holder?.placeOf(['accounts', index, ...path]) ?? '') : (from?.where ?? '');
  return (Array.isArray(loaded.accounts) ? loaded.accounts : []).map((row: unknown, index) => {
    const tree = asRecord(row);
    const ofRow = rowMistakes.filter(({ path }) => path[1] === index).map((one) => ({ ...one, path: one.path.slice(2) }));
    const name = typeof tree['name'] === 'string' ? tree['name'] : '';
    return { name, position: `accounts[${index}]`, ofRow, tree, placeOf: (path) => place(index, path), mistakes: [] };
  });
};

const inFiles = ({ cwd }: Sources, { dataDir }: SettingsRead): readonly Entry[] => {
  if (dataDir === undefined) return [];
  const folder = join(dataDir, ACCOUNT_FILES);
  return filesIn(folder).flatMap((file) => {
    const path = join(folder, file);
    const read = readFileAt(path, cwd);
    if (!read) return [];
    const { tree, placeOf, mistakes } = read;
    return [{ name: file.replace(/\.yaml$/, ''), position: `${ACCOUNT_FILES}/${file}`, ofRow: [], file: path, tree, placeOf, mistakes }];
  });
};

const filesIn = (folder: string): readonly string[] => {
  try {
    // Programs leave hidden files beside edited ones. A file that ends in .yml has a wrong name.
    return readdirSync(folder)
      .filter((file) => /^[^.].*\.ya?ml$/.test(file))
      .toSorted();
  } catch (cause) {
    const code = codeOf(cause);
    if (code === 'ENOENT' && fileId(folder) === undefined) return [];
    const dataDir = dirname(folder);
    if (code === 'ENOTDIR' && !existsSync(folder))
      throw new UsageError('folder_unusable', `data_dir ${dataDir} cannot be used: it, or a folder above it, is a file`, { cause });
    // An empty list would be wrong: all accounts would be withdrawn.
    throw new UsageError('file_unreadable', `the folder ${folder} cannot be read (${code}${ownerOf(dataDir, cause)})`, { cause });
  }
};

const readAccount = (main: SettingsRead, entry: Entry, before: readonly Entry[]): Account => {
  const { name, file, placeOf, ofRow } = entry;
  const about = { name, ...(file === undefined ? {} : { file }) };
  const ofName = ofRow.length > 0 ? ofRow : located(nameProblems(name, main, before), placeOf);
  if (ofName.length > 0) return { ...about, mistakes: ofName, isUnnamed: true };
  const { values, problems } = knownKeys(isRecord(entry.tree) ? asSettings(entry.tree) : entry.tree);
  const mistakes = [...entry.mistakes, ...located([...problems, ...processSettings(values)], placeOf)];
  if (mistakes.length > 0 || main.dataDir === undefined) return { ...about, mistakes };
  const decided = new Map([...decidedBy(values), ['mqtt.base', `${main.loaded.mqtt.base}/${name}`], ['web.enabled', false]]);
  const read = main.withAccount({ decided, dataDir: join(main.dataDir, ACCOUNT_FOLDERS, name), placeOf });
  return read.settings ? { ...about, settings: read.settings } : { ...about, mistakes: read.mistakes };
};

/** `client_id` is short for `platform.client_id`. */
const asSettings = ({ name: _, client_id, ...own }: Tree): Tree => {
  const platform = own['platform'] ?? {};
  return client_id === undefined || !isRecord(platform) ? own : { ...own, platform: { ...platform, client_id } };
};

const nameProblems = (name: string, main: SettingsRead, before: readonly Entry[]): readonly Problem[] => {
  const devices = Array.isArray(main.loaded.devices) ? main.loaded.devices.map((device) => device.name) : [];
  const twice = 'is already the name of another account';
  if (before.some((one) => one.name === name)) return under(['name'], wrong('twice', `${shown(name)} ${twice}`));
  if (devices.includes(name)) return under(['name'], wrong('twice', `${shown(name)} is already the name of a device`, 'another name'));
  return under(['name'], checkAccountName(name, {}));
};

const processSettings = (values: unknown): readonly Problem[] =>
  LEAVES.filter(({ key, path }) => isProcessSetting(key) && valueAt(values, path) !== undefined).flatMap(({ path }) =>
    under(path, wrong('fixed', 'applies to all accounts, so it cannot be set for one', 'only in the main settings')),
  );

/** The settings of an account, and defaults for those that it does not inherit from the process. */
const decidedBy = (values: Tree): readonly (readonly [key: string, value: unknown])[] =>
  LEAVES.flatMap(({ key, path, setting }) => {
    const value = valueAt(values, path) ?? (isOfMainAccount(key) ? setting.default : undefined);
    return value === undefined ? [] : [[key, value] as const];
  });

type Tree = Readonly<Record<string, unknown>>;
const asRecord = (value: unknown): Tree => (isRecord(value) ? value : {});
