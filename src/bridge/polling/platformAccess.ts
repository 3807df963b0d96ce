import type { Clock } from '../../shared/clock.ts';
import type { CallFailure } from '../ports.ts';
import type { AuthReport } from '../status/statusReports.ts';
import { type ReadTarget, readKey } from './readTarget.ts';

/** Whether the platform lets the login in: tokens can be right, and renewed as often as one likes, and be refused all the same. */
export class PlatformAccess {
  readonly #clock: Pick<Clock, 'now'>;
  /** Reads that were refused (403) since the last one that worked. */
  readonly #refused = new Set<string>();
  #shut: { readonly since: string; readonly message: string } | undefined;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** A call failed; true where that is news. A token refused (401) straight after its renewal is refused for every call. */
  callFailed(failure: CallFailure): boolean {
    return failure.code === 'token_expired' && this.#shutOut(failure);
  }

  /** A read failed; true where that is news: each of `reads`, those in force, was refused by now. */
  readFailed(read: ReadTarget, failure: CallFailure, reads: readonly ReadTarget[]): boolean {
    if (failure.code !== 'forbidden') return false;
    this.#refused.add(readKey(read.target));
    return reads.every(({ target }) => this.#refused.has(readKey(target))) && this.#shutOut(failure);
  }

  /** A read worked; true where that is news. */
  worked(): boolean {
    this.#refused.clear();
    const isNews = this.#shut !== undefined;
    this.#shut = undefined;
    return isNews;
  }

  /** What `bridge/auth` says: what is wrong with the tokens themselves comes first. */
  report(tokens: AuthReport): AuthReport {
    return this.#shut && (tokens.state === 'ok' || tokens.state === 'refreshing') ? { ...tokens, state: 'failing', ...this.#shut } : tokens;
  }

  #shutOut({ message }: CallFailure): boolean {
    const isNews = this.#shut?.message !== message;
    this.#shut = { since: this.#shut?.since ?? new Date(this.#clock.now()).toISOString(), message };
    return isNews;
  }
}
