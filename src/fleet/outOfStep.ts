import { JetStreamApiError } from '@nats-io/jetstream';

const WRONG_SEQUENCE = 10071;

/** Somebody else has written there since. */
export class OutOfStep extends Error {}

/** NATS lists something that it cannot give. */
export class NotGiven extends Error {}

/** The result of a write that names what has to lie there. Throws OutOfStep where something else does. */
export const inStep = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof JetStreamApiError && cause.code === WRONG_SEQUENCE) throw new OutOfStep(cause.message, { cause });
    throw cause;
  }
};

/** False where there was one already. */
export const isNew = async (created: Promise<unknown>): Promise<boolean> => {
  try {
    await inStep(() => created);
    return true;
  } catch (cause) {
    if (cause instanceof OutOfStep) return false;
    throw cause;
  }
};

/** How long a stream may be stuck before something is done, to twice that: after the first worker that sees to it the others are answered. */
const STUCK_MS = 20_000;

/**
 * Does `mend` where a stream takes nothing for that time, or cannot give what it lists. Leaders of NATS 2.9.10 have been seen to take messages
 * and never store them, until they were told to step down, and to store leases that they did not find again, until these were emptied; no
 * account of the fleet was served meanwhile. Without an answer of NATS nothing happens. What failed before a pause, as while NATS was away and
 * nothing was written, does not count.
 */
export const whereStuck = (
  mend: () => Promise<unknown>,
  elapsedMs = (): number => performance.now(),
  stuckMs = STUCK_MS * (1 + Math.random()),
) => {
  let sinceMs: number | undefined;
  let lastMs = 0;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      const result = await work();
      sinceMs = undefined;
      return result;
    } catch (cause) {
      const isStuck = cause instanceof NotGiven || (cause instanceof Error && cause.name === 'TimeoutError');
      const nowMs = elapsedMs();
      if (nowMs - lastMs >= STUCK_MS) sinceMs = undefined;
      lastMs = nowMs;
      sinceMs = isStuck ? (sinceMs ?? nowMs) : undefined;
      if (sinceMs !== undefined && nowMs - sinceMs >= stuckMs) {
        sinceMs = undefined;
        await mend().catch(() => undefined);
      }
      throw cause;
    }
  };
};
