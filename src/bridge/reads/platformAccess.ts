import { EventEmitter } from 'node:events';
import type { Clock } from '../../shared/clock.ts';
import { failureOf } from '../../shared/failures.ts';
import type { Log } from '../../shared/log.ts';
import type { AuthReport, CallFailure } from '../ports.ts';
import { type ReadTarget, readKey } from '../state/readTarget.ts';
import type { RateLimiter } from './rateLimiter.ts';
import { isOfDay } from './rateLimitResponse.ts';

/** Whether the platform accepts calls: it can refuse a valid login (401, 403) or pause all calls (429). */
export const platformAccess = (auth: () => AuthReport, quota: RateLimiter, clock: Pick<Clock, 'now'>, log: Log) => {
  const events = new EventEmitter<{ changed: []; limitTold: [perDay: number] }>();
  let login: string | undefined;
  /** Reads refused (402, 403) since the last one that worked, with their failures. */
  const refusedReads = new Map<string, CallFailure>();
  let refusal: { readonly since: string; readonly message: string } | undefined;

  /** The tokens are loaded: a different login later is a new one. */
  const start = (): void => {
    login = loginOf(auth());
  };

  /** The state of the tokens changed; true if they come from another login. */
  const tokensChanged = (): boolean => {
    const before = login;
    login = loginOf(auth());
    return login !== before;
  };

  /** Any call to the platform failed. */
  const callFailed = (failure: CallFailure): void => {
    if (failure.code === 'rate_limited') limited(failure);
    if (failureOf(failure.code).refusesLogin === 'yes') refused(failure);
  };

  /** A read failed; `planned`: the current reads. */
  const readFailed = (read: ReadTarget, failure: CallFailure, planned: readonly ReadTarget[]): void => {
    callFailed(failure);
    if (failureOf(failure.code).closesRead !== 'read') return;
    refusedReads.set(readKey(read.target), failure);
    const all = planned.map(({ target }) => refusedReads.get(readKey(target)));
    // A refusal only due to the plan is a separate problem.
    const ofRights = all.includes(undefined) ? undefined : all.find((one) => one && failureOf(one.code).refusesLogin === 'if_all');
    if (ofRights) refused(ofRights);
  };

  const readWorked = (): void => {
    if (quota.worked()) log.info({}, 'the platform accepts calls again');
    refusedReads.clear();
    if (refusal === undefined) return;
    refusal = undefined;
    events.emit('changed');
  };

  /** The content of `bridge/auth`: a fault of the tokens themselves has priority. */
  const report = (): AuthReport => {
    const tokens = auth();
    const isValid = tokens.state === 'ok' || tokens.state === 'refreshing';
    return refusal && isValid ? { ...tokens, state: 'failing', ...refusal } : tokens;
  };

  const limited = (failure: CallFailure): void => {
    if (failure.limitCalls !== undefined && isOfDay(failure)) events.emit('limitTold', failure.limitCalls);
    if (!quota.refused(failure)) return;
    const until = new Date(clock.now() + quota.pausedForMs()).toISOString();
    log.warn({ until }, 'the platform refuses further calls (429); no call is made until then');
  };

  const refused = ({ message }: CallFailure): void => {
    if (refusal?.message === message) return;
    refusal = { since: refusal?.since ?? new Date(clock.now()).toISOString(), message };
    events.emit('changed');
  };

  return Object.assign(events, { start, tokensChanged, callFailed, readFailed, readWorked, report });
};

/** Logins are distinguished by when they end. */
const loginOf = ({ consent_expires_at: consent, login_needed_at: end }: AuthReport): string | undefined => consent ?? end;
