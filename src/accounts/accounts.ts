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
import type { AccountsView } from '../web/accountsView.ts';
import { Account, summaryOf } from './account.ts';
import { AccountsTopic } from './accountsTopic.ts';
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

/** All accounts of the process beside the main one, as their entries in the settings and in `accounts.d` say. */
export class Accounts implements AccountsView {
  readonly #parts: AccountsParts;
  #accounts: readonly Account[] = [];
  #names: ReadonlySet<string> = new Set();
  #base = '';
  #dataDir = '';
  #main: Settings | undefined;
  #topic: AccountsTopic | undefined;
  /** By which settings. */
  #topicAt = '';
  /** What the process has just read for its start. */
  #first: Entries | undefined;
  #isHalted = false;
  readonly #stopping = new AbortController();
  readonly #inTurn = oneAtATime();

  /** `main`: the settings of the process, where they have just been read. */
  constructor(parts: AccountsParts, main?: SettingsRead) {
    this.#parts = parts;
    try {
      const entries = this.#read(main);
      if (main) this.#first = entries;
    } catch {
      // The first `reconcile` says why.
    }
  }

  /** True for topics that belong to one of these accounts, not to the main one. */
  readonly isForeign = (topic: string): boolean => {
    const start = `${this.#base}/`;
    return topic.startsWith(start) && this.#names.has(topic.slice(start.length, topic.indexOf('/', start.length)));
  };

  list(): readonly AccountSummary[] {
    const { main, owners, clock } = this.#parts;
    const app = main();
    const first = app ? [summaryOf('', app, owners.ownedByOthers(''), clock.now())] : [];
    return [...first, ...this.#accounts.map((account) => account.summary())];
  }

  view(name: string): App['view'] | undefined {
    return name === '' ? this.#parts.main()?.view : this.#find(name)?.app?.view;
  }

  settings(name: string): Settings | undefined {
    return name === '' ? this.#main : this.#find(name)?.settings;
  }

  /**
   * Reads the entries again: starts those that are new, stops those that are missing and withdraws their topics, starts those anew that have
   * changed, and leaves the others alone. `stoppedToo`: starts those that have stopped. Where the settings of the process are wrong, all stay
   * as they are. Resolves when all are started. Never rejects.
   */
  async reconcile({ stoppedToo = false } = {}): Promise<void> {
    await this.#reconcile(stoppedToo).catch((cause: unknown) =>
      this.#parts.log.error({ why: messageOf(cause) }, 'the accounts cannot be read again; all stay as they are'),
    );
  }

  /** The same. Rejects with a SettingsError or UsageError where all stay as they are. */
  #reconcile(stoppedToo: boolean): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#isHalted) return;
      const { owners, clock, log } = this.#parts;
      const { signal } = this.#stopping;
      if (signal.aborted) return;
      const { entries, settings } = this.#first ?? this.#read();
      this.#first = undefined;
      const before = this.#accounts;
      const changed = (): void => this.#topic?.changed();
      const accounts = entries.map(
        (entry) => before.find(({ name }) => name === entry.name) ?? new Account(entry, { owners, clock, log, changed }),
      );
      this.#accounts = accounts;
      if (accounts.length > FEW_ACCOUNTS) for (const flag of FLAGS_OF_MANY) process.getBuiltinModule('node:v8').setFlagsFromString(flag);
      owners.setOrder(['', ...this.#names]);
      await Promise.all(before.filter((one) => !accounts.includes(one)).map((account) => this.#withdraw(account)));
      await this.#showTopic(settings);
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
  }

  async #withdraw(account: Account): Promise<void> {
    const { log } = this.#parts;
    const { name, entry } = account;
    if (await account.stop({ withdraw: true })) log.info({ account: name }, 'the account is removed; its folder stays');
    else if (!isUnnamed(entry)) log.warn({ account: name }, NOT_CLEARED);
  }

  /** Throws a SettingsError or UsageError, and changes nothing then. */
  #read(read?: SettingsRead): Entries {
    const { sources } = this.#parts;
    const main = read ?? readSettings(sources);
    const settings = main.settingsSoFar;
    if (!settings) throw settingsErrorOf(main);
    const listed = readAccounts(sources, main);
    // In the place of the row with the wrong name: the first of two accounts with one gateway has it.
    const at = listed.findIndex((one) => one.file === undefined && isUnnamed(one));
    const entries = at < 0 ? listed : listed.toSpliced(at, 0, ...this.#mistyped(listed));
    this.#base = main.loaded.mqtt.base;
    this.#dataDir = main.dataDir ?? '';
    this.#main = main.settings;
    this.#names = new Set(entries.filter((one) => !isUnnamed(one)).map(({ name }) => name));
    return { entries, settings };
  }

  /** Rows that are missing while another row has a wrong name go on: its name may be theirs with a mistake, which is no reason to withdraw topics. */
  #mistyped(listed: readonly AccountSettings[]): readonly AccountSettings[] {
    return this.#accounts
      .map(({ entry }) => entry)
      .filter((one) => one.file === undefined && !isUnnamed(one) && !listed.some(({ name }) => name === one.name));
  }

  /** `bridge/accounts`, by these settings. */
  async #showTopic(settings: Settings): Promise<void> {
    const { clock, log } = this.#parts;
    const at = JSON.stringify([settings.mqtt, settings.supervisor]);
    if (this.#accounts.length === 0 || at !== this.#topicAt || this.#topic?.isStopped) {
      await this.#topic?.stop({ clear: true });
      this.#topic = undefined;
    }
    if (this.#accounts.length === 0 || this.#topic) return;
    try {
      this.#topic = new AccountsTopic(settings, () => this.list(), clock, log);
      this.#topicAt = at;
      this.#topic.start();
    } catch (cause) {
      log.error({ why: messageOf(cause) }, 'bridge/accounts cannot be published');
    }
  }

  async add({ name, client_id }: { readonly name: string; readonly client_id: string }): Promise<void> {
    const [mistake] = checkAccountName(name, {});
    if (mistake) throw new UsageError('account_name', sentenceOf(mistake));
    if (this.#find(name)) throw new UsageError('account_exists', `there is an account "${name}" already`);
    const folder = join(this.#dataDir, ACCOUNT_FILES);
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
      await this.#reconcile(false);
      // One with the name of a device has none.
      const entry = this.#accounts.find((one) => one.entry.file === file)?.entry;
      if (entry && 'mistakes' in entry) throw new UsageError('account_settings', accountMistake(entry.mistakes));
    } catch (cause) {
      rmSync(file, { force: true });
      await this.reconcile();
      throw cause;
    }
  }

  async remove(name: string): Promise<void> {
    const account = this.#find(name);
    if (!account) throw new UsageError('account_unknown', `there is no account "${name}"`);
    const { file } = account.entry;
    if (file === undefined)
      throw new UsageError(
        'account_fixed',
        `the account "${name}" stands in the settings: remove it there, then send SIGHUP to the bridge or start it again`,
      );
    rmSync(file, { force: true });
    await this.#reconcile(false);
  }

  /** Writes to their databases what waits in memory. */
  readonly flush = (): void => {
    for (const { app } of this.#accounts) app?.flush();
  };

  /** Stops all, and starts none before `resume`, as their files are replaced meanwhile. Never rejects. */
  readonly halt = (): Promise<void> =>
    this.#inTurn(async () => {
      this.#isHalted = true;
      await Promise.all(this.#accounts.map((account) => account.stop()));
    });

  readonly resume = (): void => {
    const stoppedToo = this.#isHalted;
    this.#isHalted = false;
    void this.reconcile({ stoppedToo });
  };

  /** Stops all at once. `withdraw`: their topics are cleared. Never rejects. */
  async stop({ withdraw = false } = {}): Promise<void> {
    this.#stopping.abort();
    // After a change that is under way.
    await this.#inTurn(() => Promise.all([...this.#accounts.map((one) => one.stop({ withdraw })), this.#topic?.stop({ clear: withdraw })]));
  }

  #find(name: string): Account | undefined {
    return this.#accounts.find((account) => account.name === name);
  }
}
