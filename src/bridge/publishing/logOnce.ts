import { digest } from './topicOwnership.ts';

/** Beyond this number all topics are forgotten, and one may be logged twice. */
const MOST = 1000;

/** Topics that are in the log, so that they are not logged at every message. */
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

  /** The topic works again: a further problem is logged. */
  forget(topic: string): void {
    if (this.#topics.size > 0) this.#topics.delete(digest(topic));
  }
}
