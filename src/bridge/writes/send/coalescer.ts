import type { Clock } from '../../../shared/clock.ts';

/** A group is released after this time at the latest, even if writes still join. */
const LONGEST_MS = 2000;

/** `take` closes the group and gives its members. */
type CarryOut<T> = (take: () => readonly T[]) => void;
type Group<T> = {
  readonly members: T[];
  readonly sinceMs: number;
  dueMs: number;
  readonly carryOut: CarryOut<T>;
  /** Aborted at its release, which ends the waits. */
  readonly released: AbortController;
};

/**
 * Collects writes that may become one command. A group is released when no write has joined for `settleMs`;
 * it stays open until its turn takes it.
 */
export const coalescerOf = <T>(settleMs: number, clock: Clock) => {
  const open = new Map<string, Group<T>>();

  /** Adds to the open group of this key, which `carryOut` releases once; `isAtOnce` releases it now. */
  const join = async (key: string, member: T, isAtOnce: boolean, carryOut: CarryOut<T>): Promise<void> => {
    const now = clock.elapsedMs();
    const group = open.get(key) ?? { members: [], sinceMs: now, dueMs: now, carryOut, released: new AbortController() };
    open.set(key, group);
    group.members.push(member);
    group.dueMs = isAtOnce ? now : Math.min(now + settleMs, group.sinceMs + LONGEST_MS);
    // Each new member moves the release time and waits for it again.
    const pause = group.dueMs - now;
    if (pause > 0) await clock.sleep(pause, group.released.signal).catch(() => undefined);
    if (group.dueMs <= clock.elapsedMs()) release(key, group);
  };

  /** Releases and closes the group of this key: later writes come after it. */
  const close = (key: string): void => {
    const group = open.get(key);
    if (!group) return;
    release(key, group);
    open.delete(key);
  };

  /** Releases every group. */
  const flush = (): void => {
    for (const [key, group] of open) release(key, group);
  };

  const release = (key: string, group: Group<T>): void => {
    if (group.released.signal.aborted) return;
    // Without a reason, abort() creates an error with a stack.
    group.released.abort('released');
    group.carryOut(() => {
      if (open.get(key) === group) open.delete(key);
      return group.members;
    });
  };

  return { join, close, flush };
};

export type Coalescer<T> = ReturnType<typeof coalescerOf<T>>;
