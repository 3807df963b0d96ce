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
import { type Log, withFacts } from '../shared/log.ts';
import { makeFolder } from '../shared/plainFile.ts';
import { oneAtATime } from '../shared/serialQueue.ts';
import { Account, summaryOf, withOwners } from './account.ts';
import { accountsTopic } from './accountsTopic.ts';
import type { GatewayOwners } from './gatewayOwners.ts';

/** 300 accounts start within a minute; simultaneous starts would block each other's connections. */
const START_EVERY_MS = 150;

/**
 * Above this number, V8's young generation does not grow (up to 30 MB otherwise), and the heap grows by 18
 * instead of 60 percent (scripts/starter.ts) before a collection (docs/fleet.md).
 */
const FEW_ACCOUNTS = 10;
const FLAGS_OF_MANY = ['--semi-space-growth-factor=1', '--heap-growing-percent=18'];

const NOT_CLEARED =
  'the account is removed; it was not running or its broker was not reachable, so topics that it has published stay at the broker. To clear them, add the entry again, and remove it while the account runs';

export type AccountsParts = {
  readonly sources: Sources;
  readonly owners: GatewayOwners;
  /** The bridge of the main account; undefined if there is none or it does not run. */
  readonly main: () => App | undefined;
  readonly clock: Clock;
  readonly log: Log;
};

type Entries = { readonly entries: readonly AccountSettings[]; readonly settings: Settings };

const isUnnamed = (one: AccountSettings): boolean => 'mistakes' in one && one.isUnnamed === true;

/** All accounts besides the main one (settings, `accounts.d`). `read`: settings that were just read. */
export const makeAccounts = ({ sources, owners, main, clock, log }: AccountsParts, read?: SettingsRead) => {
  let running: readonly Account[] = [];
  let names: ReadonlySet<string> = new Set();
  let base = '';
  let dataDir = '';
  let mainSettings: Settings | undefined;
  let shown: ReturnType<typeof accountsTopic> | undefined;
  /** The settings with which the topic was published. */
  let topicAt = '';
  /** The entries that the process read for its start. */
  let first: Entries | undefined;
  let isHalted = false;
  const stopping = new AbortController();
  const inTurn = oneAtATime();

  /** True for topics of one of these accounts, not of the main one. */
  const isForeign = (topic: string): boolean => {
    const start = `${base}/`;
    return topic.startsWith(start) && names.has(topic.slice(start.length, topic.indexOf('/', start.length)));
  };

  const list = (): readonly AccountSummary[] => {
    const app = main();
    const first = app ? [summaryOf('', app, owners.ownedByOthers(''), clock.now())] : [];
    return withOwners([...first, ...running.map((account) => account.summary())]);
  };

  /** The state, the connection or the login of an account has changed, also of the main one. */
  const changed = (): void => shown?.changed();

  const view = (name: string): App['view'] | undefined => (name === '' ? main()?.view : find(name)?.app?.view);

  const settingsFor = (name: string): Settings | undefined => (name === '' ? mainSettings : find(name)?.settings);

  /**
   * Reads the entries again: starts new accounts, restarts changed ones, stops missing ones and clears their
   * topics. `stoppedToo` also starts stopped accounts. Invalid process settings change nothing. Resolves when
   * all are started. Never rejects.
   */
  const reconcile = async ({ stoppedToo = false } = {}): Promise<void> => {
    await adapt(stoppedToo).catch((cause: unknown) =>
      log.error({ why: messageOf(cause) }, 'the list of accounts cannot be read; all accounts stay unchanged'),
    );
  };

  /** The same. Rejects with a SettingsError or UsageError; then nothing changes. */
  const adapt = (stoppedToo: boolean): Promise<void> =>
    inTurn(async () => {
      if (isHalted) return;
      const { signal } = stopping;
      if (signal.aborted) return;
      const { entries, settings } = first ?? readEntries();
      first = undefined;
      const before = running;
      const accounts = entries.map(
        (entry) => before.find(({ name }) => name === entry.name) ?? new Account(entry, { owners, clock, log, changed }),
      );
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
    if (await account.stop({ withdraw: true })) log.info({ account: name }, 'the account was removed; its folder stays');
    else if (!isUnnamed(entry)) log.warn({ account: name }, NOT_CLEARED);
  };

  /** Throws a SettingsError or UsageError; then nothing changes. */
  const readEntries = (known?: SettingsRead): Entries => {
    const now = known ?? readSettings(sources);
    const settings = now.settingsSoFar;
    if (!settings) throw settingsErrorOf(now);
    const listed = readAccounts(sources, now);
    // At the position of the row with the wrong name: of two accounts, the first one gets a shared gateway.
    const at = listed.findIndex((one) => one.file === undefined && isUnnamed(one));
    const entries = at < 0 ? listed : listed.toSpliced(at, 0, ...mistyped(listed));
    base = now.loaded.mqtt.base;
    dataDir = now.dataDir ?? '';
    mainSettings = now.settings;
    names = new Set(entries.filter((one) => !isUnnamed(one)).map(({ name }) => name));
    return { entries, settings };
  };

  /**
   * Missing rows keep running while another row has a wrong name: it may be a typo of theirs, so their topics
   * stay.
   */
  const mistyped = (listed: readonly AccountSettings[]): readonly AccountSettings[] =>
    running
      .map(({ entry }) => entry)
      .filter((one) => one.file === undefined && !isUnnamed(one) && !listed.some(({ name }) => name === one.name));

  /** Publishes `bridge/accounts` with these settings. */
  const showTopic = async (settings: Settings): Promise<void> => {
    const at = JSON.stringify([settings.mqtt, settings.supervisor]);
    if (running.length === 0 || at !== topicAt || shown?.isStopped()) {
      await shown?.stop({ clear: true });
      shown = undefined;
    }
    if (running.length === 0 || shown) return;
    try {
      shown = accountsTopic(settings, list, clock, withFacts(log, { topic: 'bridge/accounts' }));
      topicAt = at;
    } catch (cause) {
      log.error({ why: messageOf(cause) }, 'bridge/accounts cannot be published');
    }
  };

  const add = async ({ name, client_id }: { readonly name: string; readonly client_id: string }): Promise<void> => {
    const [mistake] = checkAccountName(name, {});
    if (mistake) throw new UsageError('account_name', sentenceOf(mistake));
    if (find(name)) throw new UsageError('account_exists', `the account "${name}" already exists`);
    const folder = join(dataDir, ACCOUNT_FILES);
    const file = join(folder, `${name}.yaml`);
    makeFolder(folder);
    try {
      writeFileSync(file, stringify({ client_id }), { mode: 0o600, flag: 'wx' });
    } catch (cause) {
      if (codeOf(cause) === 'EEXIST')
        throw new UsageError('account_file', `the file ${file} already exists: choose another name, or remove the file first`, { cause });
      // On a full disk the file is created without its content.
      rmSync(file, { force: true });
      throw cause;
    }
    try {
      await adapt(false);
      // An account with the name of a device has no entry.
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
        `the account "${name}" is in the settings: remove it there, then send SIGHUP to the bridge or restart it`,
      );
    // With an error in the settings, the account would keep running without its file.
    readEntries();
    rmSync(file, { force: true });
    await adapt(false);
  };

  /** Writes pending changes to the databases. */
  const flush = (): void => {
    for (const { app } of running) app?.flush();
  };

  /** Stops all accounts until `resume`, while their files are replaced. Never rejects. */
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

  /** Stops all accounts at once. `withdraw` clears their topics. Never rejects. */
  const stopAll = async ({ withdraw = false } = {}): Promise<void> => {
    stopping.abort();
    // After a running change.
    await inTurn(() => Promise.all([...running.map((one) => one.stop({ withdraw })), shown?.stop({ clear: withdraw })]));
  };

  const find = (name: string): Account | undefined => running.find((account) => account.name === name);

  try {
    const entries = readEntries(read);
    if (read) first = entries;
  } catch {
    // The first `reconcile` reports the reason.
  }

  return { isForeign, list, changed, view, settings: settingsFor, reconcile, add, remove, flush, halt, resume, stop: stopAll };
};

export type Accounts = ReturnType<typeof makeAccounts>;
