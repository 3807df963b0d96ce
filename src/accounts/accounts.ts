import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { stringify } from 'yaml';
import type { AccountSummary } from '../api/accounts.ts';
import type { App } from '../app.ts';
import { ACCOUNT_FILES, type Account as AccountSettings, accountMistake, readAccounts } from '../config/accounts.ts';
import { readSettings, type SettingsRead, type Sources, settingsErrorOf } from '../config/load.ts';
import type { Settings } from '../config/settings.ts';
import { checkAccountName } from '../config/validation/accountEntries.ts';
import { sentenceOf } from '../config/validation/mistake.ts';
import type { Clock } from '../shared/clock.ts';
import { codeOf, messageOf, UsageError } from '../shared/errors.ts';
import type { Log } from '../shared/log.ts';
import { makeFolder } from '../shared/plainFile.ts';
import { oneAtATime } from '../shared/serialQueue.ts';
import { Account, summaryOf } from './account.ts';
import { accountsTopic } from './accountsTopic.ts';
import type { GatewayOwners } from './gatewayOwners.ts';

/** 300 accounts start within a minute; together they would keep each other from being heard. */
const START_EVERY_MS = 150;

/** Of more accounts V8's young generation does not grow any more (up to 30 MB), and its heap by 18 percent in place of 60 (scripts/starter.ts) before it is collected (docs/fleet.md). */
const FEW_ACCOUNTS = 10;
const FLAGS_OF_MANY = ['--semi-space-growth-factor=1', '--heap-growing-percent=18'];

const NOT_CLEARED =
  'the account is removed; it did not run, or its broker was away, so what it had published stays there. To clear it put its entry back, and remove it while it runs';

export type AccountsParts = {
  readonly sources: Sources;
  readonly owners: GatewayOwners;
  /** The bridge of the main account; undefined where there is none, or it does not run. */
  readonly main: () => App | undefined;
  readonly clock: Clock;
  readonly log: Log;
};

type Entries = { readonly entries: readonly AccountSettings[]; readonly settings: Settings };

const isUnnamed = (one: AccountSettings): boolean => 'mistakes' in one && one.isUnnamed === true;

/** All accounts of the process beside the main one, as their entries in the settings and in `accounts.d` say. `read`: the settings, where they have just been read. */
export const makeAccounts = ({ sources, owners, main, clock, log }: AccountsParts, read?: SettingsRead) => {
  let running: readonly Account[] = [];
  let names: ReadonlySet<string> = new Set();
  let base = '';
  let dataDir = '';
  let mainSettings: Settings | undefined;
  let shown: ReturnType<typeof accountsTopic> | undefined;
  /** By which settings it was shown. */
  let topicAt = '';
  /** What the process has just read for its start. */
  let first: Entries | undefined;
  let isHalted = false;
  const stopping = new AbortController();
  const inTurn = oneAtATime();

  /** True for topics that belong to one of these accounts, not to the main one. */
  const isForeign = (topic: string): boolean => {
    const start = `${base}/`;
    return topic.startsWith(start) && names.has(topic.slice(start.length, topic.indexOf('/', start.length)));
  };

  const list = (): readonly AccountSummary[] => {
    const app = main();
    const first = app ? [summaryOf('', app, owners.ownedByOthers(''), clock.now())] : [];
    return [...first, ...running.map((account) => account.summary())];
  };

  const view = (name: string): App['view'] | undefined => (name === '' ? main()?.view : find(name)?.app?.view);

  const settingsFor = (name: string): Settings | undefined => (name === '' ? mainSettings : find(name)?.settings);

  /**
   * Reads the entries again: starts those that are new, stops those that are missing and withdraws their topics, starts those anew that have
   * changed, and leaves the others alone. `stoppedToo`: starts those that have stopped. Where the settings of the process are wrong, all stay
   * as they are. Resolves when all are started. Never rejects.
   */
  const reconcile = async ({ stoppedToo = false } = {}): Promise<void> => {
    await adapt(stoppedToo).catch((cause: unknown) =>
      log.error({ why: messageOf(cause) }, 'the accounts cannot be read again; all stay as they are'),
    );
  };

  /** The same. Rejects with a SettingsError or UsageError where all stay as they are. */
  const adapt = (stoppedToo: boolean): Promise<void> =>
    inTurn(async () => {
      if (isHalted) return;
      const { signal } = stopping;
      if (signal.aborted) return;
      const { entries, settings } = first ?? readEntries();
      first = undefined;
      const before = running;
      const accounts = entries.map((entry) => before.find(({ name }) => name === entry.name) ?? new Account(entry, { owners, clock, log }));
      running = accounts;
      if (accounts.length > FEW_ACCOUNTS) for (const flag of FLAGS_OF_MANY) process.getBuiltinModule('node:v8').setFlagsFromString(flag);
      owners.setOrder(['', ...names]);
      await Promise.all(before.filter((one) => !accounts.includes(one)).map((account) => withdraw(account)));
      await showTopic(settings);
      const started: Promise<void>[] = [];
      for (const [index, account] of accounts.entries()) {
        const entry = entries[index] ?? account.entry;
        const isKnown = before.includes(account) && isDeepStrictEqual(account.entry, entry);
        if (signal.aborted || (isKnown && (account.app || !stoppedToo))) continue;
        started.push(account.restart(entry));
        if ('settings' in entry) await clock.sleep(START_EVERY_MS, signal).catch(() => undefined);
      }
      await Promise.all(started);
    });

  const withdraw = async (account: Account): Promise<void> => {
    const { name, entry } = account;
    if (await account.stop({ withdraw: true })) log.info({ account: name }, 'the account is removed; its folder stays');
    else if (!isUnnamed(entry)) log.warn({ account: name }, NOT_CLEARED);
  };

  /** Throws a SettingsError or UsageError, and changes nothing then. */
  const readEntries = (known?: SettingsRead): Entries => {
    const now = known ?? readSettings(sources);
    const settings = now.settingsSoFar;
    if (!settings) throw settingsErrorOf(now);
    const listed = readAccounts(sources, now);
    // In the place of the row with the wrong name: the first of two accounts with one gateway has it.
    const at = listed.findIndex((one) => one.file === undefined && isUnnamed(one));
    const entries = at < 0 ? listed : listed.toSpliced(at, 0, ...mistyped(listed));
    base = now.loaded.mqtt.base;
    dataDir = now.dataDir ?? '';
    mainSettings = now.settings;
    names = new Set(entries.filter((one) => !isUnnamed(one)).map(({ name }) => name));
    return { entries, settings };
  };

  /** Rows that are missing while another row has a wrong name go on: its name may be theirs with a mistake, which is no reason to withdraw topics. */
  const mistyped = (listed: readonly AccountSettings[]): readonly AccountSettings[] =>
    running
      .map(({ entry }) => entry)
      .filter((one) => one.file === undefined && !isUnnamed(one) && !listed.some(({ name }) => name === one.name));

  /** `bridge/accounts`, by these settings. */
  const showTopic = async (settings: Settings): Promise<void> => {
    const at = JSON.stringify([settings.mqtt, settings.supervisor]);
    if (running.length === 0 || at !== topicAt || shown?.isStopped()) {
      await shown?.stop({ clear: true });
      shown = undefined;
    }
    if (running.length === 0 || shown) return;
    try {
      shown = accountsTopic(settings, list, clock, log);
      topicAt = at;
    } catch (cause) {
      log.error({ why: messageOf(cause) }, 'bridge/accounts cannot be published');
    }
  };

  const add = async ({ name, client_id }: { readonly name: string; readonly client_id: string }): Promise<void> => {
    const [mistake] = checkAccountName(name, {});
    if (mistake) throw new UsageError('account_name', sentenceOf(mistake));
    if (find(name)) throw new UsageError('account_exists', `there is an account "${name}" already`);
    const folder = join(dataDir, ACCOUNT_FILES);
    const file = join(folder, `${name}.yaml`);
    makeFolder(folder);
    try {
      writeFileSync(file, stringify({ client_id }), { mode: 0o600, flag: 'wx' });
    } catch (cause) {
      if (codeOf(cause) === 'EEXIST')
        throw new UsageError('account_file', `there is a file ${file} already: take another name, or remove it first`, { cause });
      // A full disk takes the file without its text.
      rmSync(file, { force: true });
      throw cause;
    }
    try {
      await adapt(false);
      // One with the name of a device has none.
      const entry = running.find((one) => one.entry.file === file)?.entry;
      if (entry && 'mistakes' in entry) throw new UsageError('account_settings', accountMistake(entry.mistakes));
    } catch (cause) {
      rmSync(file, { force: true });
      await reconcile();
      throw cause;
    }
  };

  const remove = async (name: string): Promise<void> => {
    const account = find(name);
    if (!account) throw new UsageError('account_unknown', `there is no account "${name}"`);
    const { file } = account.entry;
    if (file === undefined)
      throw new UsageError(
        'account_fixed',
        `the account "${name}" stands in the settings: remove it there, then send SIGHUP to the bridge or start it again`,
      );
    // Where they hold a mistake the account would run on without its file.
    readEntries();
    rmSync(file, { force: true });
    await adapt(false);
  };

  /** Writes to their databases what waits in memory. */
  const flush = (): void => {
    for (const { app } of running) app?.flush();
  };

  /** Stops all, and starts none before `resume`, as their files are replaced meanwhile. Never rejects. */
  const halt = (): Promise<void> =>
    inTurn(async () => {
      isHalted = true;
      await Promise.all(running.map((account) => account.stop()));
    });

  const resume = (): void => {
    const stoppedToo = isHalted;
    isHalted = false;
    void reconcile({ stoppedToo });
  };

  /** Stops all at once. `withdraw`: their topics are cleared. Never rejects. */
  const stopAll = async ({ withdraw = false } = {}): Promise<void> => {
    stopping.abort();
    // After a change that is under way.
    await inTurn(() => Promise.all([...running.map((one) => one.stop({ withdraw })), shown?.stop({ clear: withdraw })]));
  };

  const find = (name: string): Account | undefined => running.find((account) => account.name === name);

  try {
    const entries = readEntries(read);
    if (read) first = entries;
  } catch {
    // The first `reconcile` says why.
  }

  return { isForeign, list, view, settings: settingsFor, reconcile, add, remove, flush, halt, resume, stop: stopAll };
};

export type Accounts = ReturnType<typeof makeAccounts>;
