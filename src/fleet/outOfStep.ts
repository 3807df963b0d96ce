import { JetStreamApiError } from '@nats-io/jetstream';

const WRONG_SEQUENCE = 10071;

/** Somebody else has written there since. */
export class OutOfStep extends Error {}

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
