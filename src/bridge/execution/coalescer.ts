import type { Clock } from '../../shared/clock.ts';

/** However many come after it, nobody waits longer than this for the others. */
const LONGEST_MS = 2000;

type Call<T> = (take: () => readonly T[]) => void;
type Group<T> = {
  readonly members: T[];
  readonly sinceMs: number;
  dueMs: number;
  readonly call: Call<T>;
  readonly called: AbortController;
};

/**
 * The waiting room for writes that may go together: a group is called when nothing has joined it for a while, and takes who comes
 * until its turn begins, for that is when it is sent.
 */
export class Coalescer<T> {
  readonly #settleMs: number;
  readonly #clock: Clock;
  readonly #open = new Map<string, Group<T>>();

  constructor(settleMs: number, clock: Clock) {
    this.#settleMs = settleMs;
    this.#clock = clock;
  }

  /** Joins the group that is open under this key, or opens one, for which `call` is called once, with what takes the group when its turn begins. `atOnce` calls it now. */
  join(key: string, member: T, atOnce: boolean, call: Call<T>): void {
    const now = this.#clock.elapsedMs();
    const group = this.#open.get(key) ?? this.#begin(key, now, call);
    group.members.push(member);
    group.dueMs = Math.min(now + this.#settleMs, group.sinceMs + LONGEST_MS);
    if (atOnce || group.dueMs <= now) this.#callUp(key, group);
  }

  /** Nobody joins the group under this key any more: something that does not go together with it comes after it. */
  close(key: string): void {
    const group = this.#open.get(key);
    if (!group) return;
    this.#callUp(key, group);
    this.#open.delete(key);
  }

  /** Calls everybody who waits. */
  flush(): void {
    for (const [key, group] of this.#open) this.#callUp(key, group);
  }

  #begin(key: string, now: number, call: Call<T>): Group<T> {
    const group: Group<T> = { members: [], sinceMs: now, dueMs: now + this.#settleMs, call, called: new AbortController() };
    this.#open.set(key, group);
    if (this.#settleMs > 0) void this.#wait(key, group);
    return group;
  }

  async #wait(key: string, group: Group<T>): Promise<void> {
    while (!group.called.signal.aborted) {
      const pause = group.dueMs - this.#clock.elapsedMs();
      if (pause > 0) await this.#clock.sleep(pause, group.called.signal).catch(() => undefined);
      else this.#callUp(key, group);
    }
  }

  #callUp(key: string, group: Group<T>): void {
    if (group.called.signal.aborted) return;
    group.called.abort();
    group.call(() => {
      if (this.#open.get(key) === group) this.#open.delete(key);
      return group.members;
    });
  }
}
