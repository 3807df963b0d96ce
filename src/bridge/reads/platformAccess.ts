import { EventEmitter } from 'node:events';
import type { Clock } from '../../shared/clock.ts';
import { failureOf } from '../../shared/failures.ts';
import type { Log } from '../../shared/log.ts';
import type { AuthReport, CallFailure } from '../ports.ts';
import { type ReadTarget, readKey } from '../state/readTarget.ts';
import type { RateLimiter } from './rateLimiter.ts';
import { isOfDay } from './rateLimitResponse.ts';

/** Whether the platform takes calls: it can refuse a login whose tokens are valid (401, 403), or all calls for some time (429). */
export class PlatformAccess extends EventEmitter<{ changed: []; limitTold: [perDay: number] }> {
  readonly #auth: () => AuthReport;
  readonly #quota: RateLimiter;
  readonly #clock: Pick<Clock, 'now' | 'elapsedMs'>;
  readonly #log: Log;
  #login: string | undefined;
  /** Reads that were refused (403) since the last one that worked. */
  readonly #refusedReads = new Set<string>();
  #refusal: { readonly since: string; readonly message: string } | undefined;

  /** `auth` gives the state of the tokens. */
  constructor(auth: () => AuthReport, quota: RateLimiter, clock: Pick<Clock, 'now' | 'elapsedMs'>, log: Log) {
    super();
    this.#auth = auth;
    this.#quota = quota;
    this.#clock = clock;
    this.#log = log;
  }

  /** The tokens are loaded: a login later than theirs is a new one. */
  start(): void {
    this.#login = loginOf(this.#auth());
  }

  /** The state of the tokens changed; true where they come from another login. */
  tokensChanged(): boolean {
    const before = this.#login;
    this.#login = loginOf(this.#auth());
    return this.#login !== before;
  }

  /** Any call to the platform failed. */
  callFailed(failure: CallFailure): void {
    if (failure.code === 'rate_limited') this.#limited(failure);
    if (failureOf(failure.code).refusesLogin === 'yes') this.#refused(failure);
  }

  /** A read failed; `planned` are the reads in force. */
  readFailed(read: ReadTarget, failure: CallFailure, planned: readonly ReadTarget[]): void {
    this.callFailed(failure);
    if (failureOf(failure.code).refusesLogin !== 'if_all') return;
    this.#refusedReads.add(readKey(read.target));
    if (planned.every(({ target }) => this.#refusedReads.has(readKey(target)))) this.#refused(failure);
  }

  readWorked(): void {
    if (this.#quota.worked()) this.#log.info({}, 'the platform takes calls again');
    this.#refusedReads.clear();
    if (this.#refusal === undefined) return;
    this.#refusal = undefined;
    this.emit('changed');
  }

  /** What `bridge/auth` says: a fault of the tokens themselves comes first. */
  report(): AuthReport {
    const tokens = this.#auth();
    const isValid = tokens.state === 'ok' || tokens.state === 'refreshing';
    return this.#refusal && isValid ? { ...tokens, state: 'failing', ...this.#refusal } : tokens;
  }

  #limited(failure: CallFailure): void {
    const nowMs = this.#clock.elapsedMs();
    if (failure.limitCalls !== undefined && isOfDay(failure)) this.emit('limitTold', failure.limitCalls);
    if (!this.#quota.refused(failure, nowMs)) return;
    const until = new Date(this.#clock.now() + this.#quota.pausedForMs(nowMs)).toISOString();
    this.#log.warn({ until }, 'the platform refuses further calls (429); nothing is sent until then');
  }

  #refused({ message }: CallFailure): void {
    if (this.#refusal?.message === message) return;
    this.#refusal = { since: this.#refusal?.since ?? new Date(this.#clock.now()).toISOString(), message };
    this.emit('changed');
  }
}

/** A login differs from the one before in when it ends. */
const loginOf = ({ consent_expires_at: consent, login_needed_at: end }: AuthReport): string | undefined => consent ?? end;
