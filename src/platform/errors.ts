import type { CallFailure, FailureDetails } from '../bridge/ports.ts';
import { CodedError } from '../shared/errors.ts';
import { type FailureCode, failureOf } from '../shared/failures.ts';

/** Whether the request reached the platform. Only `no` (no byte sent) allows a command to be sent again. */
export type Arrived = 'no' | 'maybe' | 'yes';

/** A failed call. The message says what happened and what to do, never a token; `cause`: debug log. */
export class PlatformError extends CodedError<FailureCode> implements CallFailure {
  readonly arrived: Arrived;
  readonly status: number | undefined;
  readonly errorType: string | undefined;
  readonly reason: string | undefined;
  readonly viErrorId: string | undefined;
  readonly limitReset: number | undefined;
  readonly limitName: string | undefined;
  readonly limitCalls: number | undefined;

  constructor(code: FailureCode, message: string, details: FailureDetails & { readonly arrived: Arrived }, options?: ErrorOptions) {
    super(code, message, options);
    this.arrived = details.arrived;
    this.status = details.status;
    this.errorType = details.errorType;
    this.reason = details.reason;
    this.viErrorId = details.viErrorId;
    this.limitReset = details.limitReset;
    this.limitName = details.limitName;
    this.limitCalls = details.limitCalls;
  }

  /** For a command: `no` if it had no effect, `unknown` if only a read can show it. */
  get executed(): 'no' | 'unknown' {
    if (this.arrived === 'no') return 'no';
    const { executed } = failureOf(this.code);
    if (executed !== 'by_status') return executed;
    return (this.status ?? 0) >= 500 ? 'unknown' : 'no';
  }
}

/** The result of `work`, or PlatformError `aborted` once the signal aborts. The work itself continues. */
export const orAborted = async <T>(work: Promise<T>, signal: AbortSignal | undefined, sentence: string): Promise<T> => {
  const { promise: gaveUp, reject } = Promise.withResolvers<never>();
  const giveUp = (): void => reject(new PlatformError('aborted', sentence, { arrived: 'no' }, { cause: signal?.reason }));
  if (signal?.aborted) giveUp();
  signal?.addEventListener('abort', giveUp, { once: true });
  try {
    return await Promise.race([work, gaveUp]);
  } finally {
    signal?.removeEventListener('abort', giveUp);
  }
};
