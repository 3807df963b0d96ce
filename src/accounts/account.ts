import type { AccountState, AccountSummary } from '../api/accounts.ts';
import { type App, type Guard, startApp } from '../app.ts';
import { type Account as AccountSettings, accountMistake, brokenRules } from '../config/accounts.ts';
import type { Settings } from '../config/settings.ts';
import { type Clock, growingMs, later, MINUTE_MS } from '../shared/clock.ts';
import { codeOf, messageOf } from '../shared/errors.ts';
import { type Log, withFacts } from '../shared/log.ts';
import { oneAtATime } from '../shared/serialQueue.ts';
import { type GatewayOwners, shownAccount } from './gatewayOwners.ts';

const FIRST_RETRY_MS = 30_000;
const LONGEST_RETRY_MS = 900_000;
const LOGIN_DUE_MS = 30 * 86_400_000;

/** The retry time if the takeover is not certain: a crashing broker looks the same. */
const SEEMS_TAKEN_RETRY_MS = 3_600_000;

const TAKEN_OVER =
  'another process serves this account: it uses the same client id at the broker. This process stops the account; stop the other process, then send SIGHUP to this one or restart it';
const SEEMS_TAKEN_OVER =
  'another process seems to serve this account with the same client id: the connection to the broker ends again and again after seconds. This process stops the account for an hour; stop the other process, then send SIGHUP to this one or restart it';
const TAKEN_FROM_LEASE =
  'another process uses the client id of this account at the broker without its lease, probably a worker that was paused; such a worker stops within seconds. This worker serves the account again in half a minute';

/** The reaction to a taken client id. Without `againMs` a person must act. In a fleet the lease decides. */
export const whenTaken = (isReported: boolean, hasLease: boolean): Taken => {
  if (hasLease) return { why: TAKEN_FROM_LEASE, code: 'client_id_taken', againMs: FIRST_RETRY_MS };
  return { code: 'taken_over', ...(isReported ? { why: TAKEN_OVER } : { why: SEEMS_TAKEN_OVER, againMs: SEEMS_TAKEN_RETRY_MS }) };
};

type Taken = { readonly why: string; readonly code: string; readonly againMs?: number };

type AccountProblem = Pick<AccountSummary, 'problem' | 'problemCode' | 'problemFacts'>;

export type AccountParts = {
  readonly owners: GatewayOwners;
  readonly clock: Clock;
  readonly log: Log;
  /** In a fleet. */
  readonly guard?: Guard;
  /** The state, the connection, the login or an owner of its gateways has changed. */
  readonly changed: () => void;
};

/** An account besides the main one: an independent bridge in this process. */
export class Account {
  readonly name: string;
  readonly #parts: AccountParts;
  readonly #log: Log;
  #entry: AccountSettings;
  #app: App | undefined;
  #state: AccountState = 'starting';
  #problem: AccountProblem = {};
  #failures = 0;
  /** It was stopped from outside: only `restart` starts it again. */
  #isEnded = false;
  /** Cancels the wait for the next attempt. */
  #waiting = new AbortController();
  /** Starts and stops run one at a time. */
  readonly #inTurn = oneAtATime();

  constructor(entry: AccountSettings, parts: AccountParts) {
    this.name = entry.name;
    this.#entry = entry;
    this.#parts = parts;
    this.#log = ofAccount(parts.log, entry.name);
  }

  get entry(): AccountSettings {
    return this.#entry;
  }

  get settings(): Settings | undefined {
    return 'settings' in this.#entry ? this.#entry.settings : undefined;
  }

  get app(): App | undefined {
    return this.#app;
  }

  /** Starts the account unless `stop` was called; retries if it does not start. Never rejects. */
  start(): Promise<void> {
    return this.#inTurn(async () => (this.#isEnded ? undefined : this.#start()));
  }

  /** Stops the account and starts it with these settings. Never rejects. */
  restart(entry: AccountSettings): Promise<void> {
    this.#isEnded = false;
    return this.#inTurn(async () => {
      await this.#stop('starting');
      this.#entry = entry;
      await this.#start();
    });
  }

  /** `withdraw` clears its topics. False if the broker was lost before the end or the account did not run. */
  stop(options?: { readonly withdraw?: boolean }): Promise<boolean> {
    this.#isEnded = true;
    return this.#inTurn(() => this.#stop('stopped', undefined, options));
  }

  summary(): AccountSummary {
    const { owners, clock } = this.#parts;
    if (!this.#app) return { name: this.name, state: this.#state, broker: false, login: 'unknown', ...this.#problem };
    return summaryOf(this.name, this.#app, owners.ownedByOthers(this.name), clock.now());
  }

  async #start(): Promise<void> {
    const { owners, clock, changed } = this.#parts;
    if (this.#app) return;
    if ('mistakes' in this.#entry) {
      const { mistakes } = this.#entry;
      const problem = accountMistake(mistakes);
      this.#log.error({ mistakes: mistakes.length }, `this account was not started, because its settings are wrong: ${problem}`);
      return this.#is('wrong_settings', { problem, problemCode: 'wrong_settings', problemFacts: brokenRules(mistakes) });
    }
    this.#is('starting');
    try {
      this.#app = await startApp(this.#entry.settings, this.#log, clock, {
        gateways: owners.of(this.name, this.#log, changed),
        guard: this.#parts.guard,
        changed,
        onTaken: (error) => void this.#giveUp('stopped', error.message, error.code),
        onClientIdTaken: (isReported) => {
          const { why, code, againMs } = whenTaken(isReported, this.#parts.guard !== undefined);
          void this.#giveUp('taken_over', why, code, againMs);
          return true;
        },
      });
      this.#failures = 0;
      this.#is('running');
    } catch (cause) {
      this.#retry(messageOf(cause), codeOf(cause));
    }
  }

  #retry(why: string, code: string | undefined): void {
    const pauseMs = growingMs(FIRST_RETRY_MS, this.#failures, LONGEST_RETRY_MS);
    this.#failures += 1;
    if (this.#problem.problem !== why) this.#log.error({ why }, 'this account could not be started; it is tried again');
    this.#is('stopped', { problem: why, problemCode: code });
    this.#startIn(pauseMs);
  }

  #startIn(pauseMs: number): void {
    this.#waiting.abort();
    this.#waiting = new AbortController();
    later(this.#parts.clock, pauseMs, this.#waiting.signal, () => this.start());
  }

  async #giveUp(state: AccountState, why: string, code: string, againMs?: number): Promise<void> {
    await this.#inTurn(async () => {
      if (!this.#app) return;
      this.#log.error({}, why);
      await this.#stop(state, { problem: why, problemCode: code });
      if (againMs !== undefined) this.#startIn(againMs);
    });
  }

  async #stop(state: AccountState, problem?: AccountProblem, options?: { readonly withdraw?: boolean }): Promise<boolean> {
    this.#waiting.abort();
    const app = this.#app;
    this.#app = undefined;
    let isTaken = false;
    try {
      isTaken = (await app?.stop(options)) ?? false;
    } catch (cause) {
      this.#log.error({ why: messageOf(cause) }, 'this account did not stop cleanly');
    }
    this.#is(state, problem);
    return isTaken;
  }

  #is(state: AccountState, problem: AccountProblem = {}): void {
    this.#state = state;
    this.#problem = problem;
    this.#parts.changed();
  }
}

/** The status of a running account. `others`: gateways that it sees and other accounts publish. */
export const summaryOf = (name: string, app: App, [other]: ReturnType<GatewayOwners['ownedByOthers']>, nowMs: number): AccountSummary => {
  const { auth, auth_message, problem, problem_code, broker, last_success_s, waits } = app.status();
  const { consent_expires_at: consentEnd, login_needed_at: end } = app.view.reports.auth();
  const loginDueMs = Date.parse(consentEnd ?? end ?? '');
  const isDue = loginDueMs - nowMs < LOGIN_DUE_MS;
  const elsewhere = other && {
    problem: `The gateway ${other.gateway} is published by ${shownAccount(other.account)}.`,
    problemCode: 'gateway',
    problemFacts: { ...other },
  };
  const why = (): AccountProblem => {
    if (auth === 'login_needed') return { problem: auth_message, problemCode: auth };
    if (elsewhere) return elsewhere;
    return waits ? withoutCalls(app.view.reports.quota().reset_at) : { problem, problemCode: problem_code };
  };
  return {
    name,
    state: 'running',
    broker,
    login: auth === 'login_needed' ? 'needed' : isDue ? 'due' : 'ok',
    ...(Number.isNaN(loginDueMs) ? {} : { loginDueMs }),
    ...(last_success_s === undefined ? {} : { lastReadMs: nowMs - last_success_s * 1000 }),
    ...why(),
  };
};

/** The summaries of all accounts: where the owner of a gateway needs a login, the account that leaves it out says so. */
export const withOwners = (all: readonly AccountSummary[]): readonly AccountSummary[] =>
  all.map((one) => {
    const { problemCode, problem = '', problemFacts: facts } = one;
    const owner = problemCode === 'gateway' ? all.find(({ name }) => name === facts?.['account']) : undefined;
    if (owner?.login !== 'needed') return one;
    return { ...one, problem: problem.replace(/\.$/, ', which needs a login.'), problemFacts: { ...facts, login: 'needed' } };
  });

/** Nothing is read: the platform refuses calls until `resetAt`, or the allowance is used up. */
const withoutCalls = (resetAt: string | undefined): AccountProblem => {
  if (resetAt === undefined) return { problem: 'No call to the platform is left for reads now.', problemCode: 'no_quota' };
  // The instant is calculated from two clocks, so it differs by milliseconds each time.
  const until = new Date(Math.round(Date.parse(resetAt) / MINUTE_MS) * MINUTE_MS).toISOString();
  return { problem: `The platform accepts no calls until ${until}.`, problemCode: 'rate_limited', problemFacts: { until } };
};

/** A log that adds the account to each line. */
export const ofAccount = (log: Log, account: string): Log => withFacts(log, { account });
