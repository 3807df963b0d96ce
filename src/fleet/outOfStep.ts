import { JetStreamApiError } from '@nats-io/jetstream';

const WRONG_SEQUENCE = 10071;

/** Another client has written to this place. */
export class OutOfStep extends Error {}

/** NATS lists an entry but cannot return it. */
export class NotGiven extends Error {}

/** Runs a write that names its expected revision. Throws OutOfStep if the revision differs. */
export const inStep = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof JetStreamApiError && cause.code === WRONG_SEQUENCE) throw new OutOfStep(cause.message, { cause });
    throw cause;
  }
};

/** False if the entry existed. */
export const isNew = async (created: Promise<unknown>): Promise<boolean> => {
  try {
    await inStep(() => created);
    return true;
  } catch (cause) {
    if (cause instanceof OutOfStep) return false;
    throw cause;
  }
};

/** The minimum stuck time before `mend`, up to double (random): one worker's `mend` helps all. */
const STUCK_MS = 20_000;

/**
 * Calls `mend` if a stream refuses writes for that time, or cannot return what it lists. NATS 2.9.10 leaders
 * accepted messages without storing them until they stepped down, and stored leases that they could not find
 * until these were deleted; no account was served. Without an answer nothing happens. Failures before a pause
 * (NATS away, no writes) do not count.
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
