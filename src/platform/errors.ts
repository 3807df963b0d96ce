import { CodedError } from '../shared/errors.ts';

/** Why a call to the platform or its identity service did not give what was asked for. */
export type PlatformCode =
  | 'unreachable'
  | 'timeout'
  | 'cut'
  | 'aborted'
  | 'too_large'
  | 'bad_answer'
  | 'token_expired'
  | 'login_needed'
  | 'identity_unavailable'
  | 'forbidden'
  | 'not_paid'
  | 'not_found'
  | 'gone'
  | 'validation'
  | 'rate_limited'
  | 'no_quota'
  | 'gateway_offline'
  | 'device_offline'
  | 'device_error'
  | 'command_not_found'
  | 'server_error';

/** Whether the request reached the platform: only after `no`, when not one byte was sent, may a command be sent again. */
export type Arrived = 'no' | 'maybe' | 'yes';

/** What is known of a failed call beside its code: the HTTP status and the platform's own words. */
export type FailureDetails = {
  readonly arrived: Arrived;
  readonly status?: number | undefined;
  readonly errorType?: string | undefined;
  readonly reason?: string | undefined;
  readonly viErrorId?: string | undefined;
  /** Epoch milliseconds by the platform's clock: no call is answered before. */
  readonly limitReset?: number | undefined;
  /** What the platform calls the limit: `ViCare day limit` and the like. */
  readonly limitName?: string | undefined;
};

// What may have taken effect although no yes came: the answer was lost, broken, or a server's failure.
const OUTCOME_OPEN: ReadonlySet<PlatformCode> = new Set(['timeout', 'cut', 'aborted', 'too_large', 'bad_answer', 'server_error']);

/** A failed call: `code` for the program, the message for people (what happened, what to do next; never a token), `cause` for the debug log. */
export class PlatformError extends CodedError<PlatformCode> implements FailureDetails {
  readonly arrived: Arrived;
  readonly status: number | undefined;
  readonly errorType: string | undefined;
  readonly reason: string | undefined;
  readonly viErrorId: string | undefined;
  readonly limitReset: number | undefined;
  readonly limitName: string | undefined;

  constructor(code: PlatformCode, message: string, details: FailureDetails, options?: ErrorOptions) {
    super(code, message, options);
    this.arrived = details.arrived;
    this.status = details.status;
    this.errorType = details.errorType;
    this.reason = details.reason;
    this.viErrorId = details.viErrorId;
    this.limitReset = details.limitReset;
    this.limitName = details.limitName;
  }

  /** For a command: `no` where it surely did nothing, `unknown` where only a read can tell. */
  get executed(): 'no' | 'unknown' {
    if (this.arrived === 'no') return 'no';
    const serverFailed = this.code === 'device_error' && (this.status ?? 0) >= 500;
    return OUTCOME_OPEN.has(this.code) || serverFailed ? 'unknown' : 'no';
  }
}
