import type { Clock } from '../../../shared/clock.ts';

/** A group is released after this time at the latest, however many writes still join it. */
const LONGEST_MS = 2000;

/** `take` closes the group and gives its members. */
type Release<T> = (take: () => readonly T[]) => void;
type Group<T> = {
  readonly members: T[];
  readonly sinceMs: number;
  dueMs: number;
  readonly release: Release<T>;
  isReleased: boolean;
  /** Ends the waits for the instant; undefined where nothing waits. */
  waits: AbortController | undefined;
};

/**
 * Collects writes that may become one command. A group is released when nothing has joined it for `settleMs`; it stays open until it is
 * taken, which is when its turn begins.
 */
export class Coalescer<T> {
  readonly #settleMs: number;
  readonly #clock: Clock;
  readonly #open = new Map<string, Group<T>>();

  constructor(settleMs: number, clock: Clock) {
    this.#settleMs = settleMs;
    this.#clock = clock;
  }

  /** Adds to the group that is open under this key. A new group is released once, by `release`; `isAtOnce` releases it now. */
  async join(key: string, member: T, isAtOnce: boolean, release: Release<T>): Promise<void> {
    const now = this.#clock.elapsedMs();
    const group = this.#open.get(key) ?? { members: [], sinceMs: now, dueMs: now, release, isReleased: false, waits: undefined };
    this.#open.set(key, group);
    group.members.push(member);
    group.dueMs = isAtOnce ? now : Math.min(now + this.#settleMs, group.sinceMs + LONGEST_MS);
    // Each member that joins moves the instant, and waits for it anew.
    const pause = group.dueMs - now;
    if (pause > 0) {
      group.waits ??= new AbortController();
      await this.#clock.sleep(pause, group.waits.signal).catch(() => undefined);
    }
    if (group.dueMs <= this.#clock.elapsedMs()) this.#release(key, group);
  }

  /** Releases the group under this key and closes it: what comes next must come after it. */
  close(key: string): void {
    const group = this.#open.get(key);
    if (!group) return;
    this.#release(key, group);
    this.#open.delete(key);
  }

  /** Releases every group. */
  flush(): void {
    for (const [key, group] of this.#open) this.#release(key, group);
  }

  #release(key: string, group: Group<T>): void {
    if (group.isReleased) return;
    group.isReleased = true;
    group.waits?.abort();
    group.release(() => {
      if (this.#open.get(key) === group) this.#open.delete(key);
      return group.members;
    });
  }
}
