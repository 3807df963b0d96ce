import { digest } from './largeText.ts';

/** Above this number all keys are dropped, and a message may be logged twice. */
const MOST = 1000;

/** Which topics or other keys are already logged, so that not every message logs the problem again. */
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

  /** The problem is over: the next one is logged. */
  forget(about: string): void {
    if (this.#keys.size > 0) this.#keys.delete(digest(about));
  }
}
