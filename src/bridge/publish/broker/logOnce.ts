import { digest } from './largeText.ts';

/** Beyond this number all keys are forgotten, and one may be logged twice. */
const MOST = 1000;

/** What is in the log already, by a topic or another key, so that it is not logged at every message. */
export class LogOnce {
  readonly #keys = new Set<string>();

  /** True the first time. */
  isFirst(about: string): boolean {
    const key = digest(about);
    if (this.#keys.has(key)) return false;
    if (this.#keys.size >= MOST) this.#keys.clear();
    this.#keys.add(key);
    return true;
  }

  /** It works again: a further problem is logged. */
  forget(about: string): void {
    if (this.#keys.size > 0) this.#keys.delete(digest(about));
  }
}
