import { digest } from './topicOwnership.ts';

/** What is remembered grows no further: then it begins anew, and something may be told twice. */
const MOST = 1000;

/** Topics of which something was told in the log, so that it is not told at every message. */
export class LogOnce {
  readonly #topics = new Set<string>();

  /** True the first time. */
  isFirst(topic: string): boolean {
    const key = digest(topic);
    if (this.#topics.has(key)) return false;
    if (this.#topics.size >= MOST) this.#topics.clear();
    this.#topics.add(key);
    return true;
  }

  /** It is well with this topic: what comes is news. */
  forget(topic: string): void {
    if (this.#topics.size > 0) this.#topics.delete(digest(topic));
  }
}
