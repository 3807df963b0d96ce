import { isDeepStrictEqual } from 'node:util';
import type { SettingsReport, SettingsWritten } from '../../api/answers.ts';
import { settingsOfOthers } from '../../config/accounts.ts';
import { settingsList } from '../../config/editing/settingsList.ts';
import { type Plan, writePlan } from '../../config/editing/settingsStore.ts';
import { allOverruled, isUnset, readSettings, type SettingsRead } from '../../config/load.ts';
import type { Settings } from '../../config/settings.ts';
import type { Mistake } from '../../config/validation/mistake.ts';
import { codeOf, messageOf } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import { get, ok, post, type Route, refused, type WebAnswer } from '../routes.ts';
import { planListeners } from '../security/listeners.ts';
import {
  type Changes,
  changesIn,
  type Draft,
  NO_CHANGES,
  PASSWORD_NEEDED,
  shortPassword,
  shownMistakes,
  withHashedPassword,
  withMistakes,
} from './draft.ts';
import { accountsElsewhere, secretsElsewhere, withAccounts } from './keptSecrets.ts';
import type { SetupHost, SetupServices } from './services.ts';

/** Time to send an answer before the listeners close. */
const LEAVE_MS = 200;

/** Writes settings and starts the bridge with them; the only place that does. */
export class SettingsWriter {
  readonly #host: SetupHost;
  readonly #log: Log;
  #isBusy = false;
  /** Why the last change was reverted after its answer had been sent. */
  problem: string | undefined;
  /** Its code, if there is one. */
  problemCode: string | undefined;

  constructor(host: SetupHost, log: Log) {
    this.#host = host;
    this.#log = log;
  }

  /** True until the bridge has started with the last change, or the change was reverted. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  /**
   * With `answerFirst` the listeners may close: the answer is sent before the restart. `others`: the settings
   * of the plan if there are further accounts but no main one.
   */
  async apply(
    plan: Plan,
    { answerFirst, others }: { readonly answerFirst: boolean; readonly others?: Settings | undefined },
    applied?: () => void,
  ): Promise<WebAnswer> {
    const settings = plan.read.settings ?? others;
    const mistakes = mistakesIn(plan, others);
    if (mistakes.length > 0 || !settings) return withMistakes(shownMistakes(mistakes));
    if (this.#isBusy) return BUSY;
    const restore = writePlan(plan);
    this.#log.info({ file: plan.file }, 'the page changed the settings; the bridge restarts with them');
    const takeBack = (): void => {
      try {
        restore();
      } catch (why) {
        this.#log.error({ why: messageOf(why), file: plan.file }, 'the previous settings could not be restored: see the file .before');
      }
    };
    const start = (): Promise<string | undefined> =>
      this.#start(() => this.#host.restart(settings, { hasMain: !others, takeBack }), applied);
    const json: SettingsWritten = { file: plan.file, overruled: allOverruled(plan.read) };
    if (answerFirst) return this.#answerFirst(start, json);
    const why = await start();
    if (why === undefined) return ok(json);
    const message = `The bridge does not start with these settings, so the previous settings are in force again. ${why}`;
    return { status: 422, json: { error: 'not_started', message, code: this.problemCode, problem: why } };
  }

  /** Starts the bridge with a backup's files. `prepare` checks them and returns their install function. */
  restore(
    settings: Settings,
    { prepare, hasMain }: { readonly prepare: () => () => () => void; readonly hasMain: boolean },
    applied: () => void,
  ): WebAnswer {
    if (this.#isBusy) return BUSY;
    const swap = prepare();
    this.#log.info({}, 'a backup was restored; the bridge restarts with it');
    return this.#answerFirst(() => this.#start(() => this.#host.restart(settings, { swap, hasMain }), applied));
  }

  #answerFirst(start: () => Promise<unknown>, json: object = {}): WebAnswer {
    this.#isBusy = true;
    setTimeout(() => void start(), LEAVE_MS);
    return { status: 202, json };
  }

  /** Returns why the bridge does not start, as the error message. */
  async #start(restart: () => Promise<void>, applied?: () => void): Promise<string | undefined> {
    this.problem = undefined;
    this.problemCode = undefined;
    this.#isBusy = true;
    try {
      await restart();
      applied?.();
      return undefined;
    } catch (cause) {
      this.problem = messageOf(cause);
      this.problemCode = codeOf(cause);
      this.#log.error({ why: this.problem }, 'the bridge does not start with these settings; the previous settings are in force again');
      return this.problem;
    } finally {
      this.#isBusy = false;
    }
  }
}

const BUSY = refused(409, 'busy', 'Another change is being applied. Try again in a moment.');
const NO_SETTINGS = refused(409, 'setup', 'There are no settings yet: finish the set-up first.');

/** Without a main account, its required settings are not missing. */
const mistakesIn = ({ mistakes }: Plan, others: Settings | undefined): readonly Mistake[] =>
  others ? mistakes.filter(({ rule }) => rule !== 'required') : mistakes;

/** True if the changes restrict a remote page to this machine: the page could not revert them. */
const locksOut = (changes: Changes, web: Settings['web'] | undefined): boolean =>
  ['web.password', 'web.listen'].some((key) => key in changes) &&
  web !== undefined &&
  planListeners(web, { isContainer: false, mode: 'run' }).warning !== undefined;

/** The settings with their origins, and their changes. */
export const settingsRoutes = (
  draft: Draft,
  writer: SettingsWriter,
  host: SetupHost,
  { loggedIn, hasTokens: hasTokensIn }: Pick<SetupServices, 'loggedIn' | 'hasTokens'>,
): readonly Route[] => {
  const list = (): WebAnswer => {
    const { read, file } = draft.plan();
    const { problem, problemCode, isBusy } = writer;
    return ok<SettingsReport>({ busy: isBusy, file, settings: settingsList(read), problem, problemCode });
  };

  const change = async (changes: Changes): Promise<WebAnswer> => {
    const now = readSettings(host.sources);
    const othersNow = settingsOfOthers(host.sources, now);
    if (!othersNow && isUnset(now)) return NO_SETTINGS;
    const short = shortPassword(changes);
    if (short.length > 0) return withMistakes(short);
    const hashed = await withHashedPassword(changes);
    const { read } = draft.plan();
    const settings = read.settings ?? othersNow;
    const plan = draft.plan(hashed);
    // A change on the page cannot remove the main account.
    const others = othersNow && settingsOfOthers(host.sources, plan.read);
    const web = (plan.read.settings ?? others)?.web;
    const hasTokens = settings !== undefined && loggedIn(settings.data_dir) !== undefined;
    const elsewhere = settings ? secretsElsewhere({ loaded: read.loaded, settings }, plan.read.loaded, changes, hasTokens) : [];
    const isRight = mistakesIn(plan, others).length === 0;
    if (isRight && elsewhere.length > 0) return withMistakes(elsewhere);
    const accountsOf = (one: SettingsRead) => withAccounts(host.sources, one);
    const ofAccounts = isRight
      ? accountsElsewhere(accountsOf(read), accountsOf(plan.read), (one) => hasTokensIn(one.settings.data_dir))
      : [];
    if (ofAccounts.length > 0) return withMistakes(ofAccounts);
    if (isRight && locksOut(changes, web)) return withMistakes(PASSWORD_NEEDED);
    return writer.apply(plan, { answerFirst: !isDeepStrictEqual(settings?.web, web), others });
  };

  return [
    get('api/settings', list),
    post('api/settings', ({ body }) => {
      const changes = changesIn(body);
      return changes ? change(changes) : NO_CHANGES;
    }),
  ];
};
