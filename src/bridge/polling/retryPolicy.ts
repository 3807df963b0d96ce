/** What follows from a failed read. */
export type Policy = {
  /** `retry` and `wait`: again after a growing pause; `renew`: a login or its service is at fault; `give_up`: again only after hours. */
  readonly do: 'retry' | 'wait' | 'renew' | 'give_up';
  /** Who else is struck by the same: one probe is enough for all of them. */
  readonly strikes: 'this' | 'device' | 'gateway' | 'platform';
  /** The longest pause between two tries. */
  readonly capMs: number;
};

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const RETRY: Policy = { do: 'retry', strikes: 'platform', capMs: 5 * MINUTE_MS };
const REFUSED_H: readonly number[] = [1, 6, 24];
const GIVE_UP: Policy = { do: 'give_up', strikes: 'this', capMs: 24 * HOUR_MS };

/** By the codes of the platform's door (platform/errors.ts). */
const POLICIES: ReadonlyMap<string, Policy> = new Map<string, Policy>([
  ['unreachable', RETRY],
  ['timeout', RETRY],
  ['cut', RETRY],
  ['server_error', RETRY],
  ['aborted', { do: 'wait', strikes: 'this', capMs: 0 }],
  ['rate_limited', { do: 'wait', strikes: 'this', capMs: 0 }],
  ['no_quota', { do: 'wait', strikes: 'this', capMs: 0 }],
  // A token that is refused straight after its renewal; each try may cost two calls.
  ['token_expired', { do: 'renew', strikes: 'platform', capMs: 15 * MINUTE_MS }],
  ['login_needed', { do: 'renew', strikes: 'platform', capMs: MINUTE_MS }],
  ['identity_unavailable', { do: 'renew', strikes: 'platform', capMs: 5 * MINUTE_MS }],
  ['gateway_offline', { do: 'wait', strikes: 'gateway', capMs: 15 * MINUTE_MS }],
  ['device_offline', { do: 'wait', strikes: 'device', capMs: 15 * MINUTE_MS }],
  ['device_error', { do: 'wait', strikes: 'this', capMs: 15 * MINUTE_MS }],
  ['bad_answer', { do: 'retry', strikes: 'this', capMs: 15 * MINUTE_MS }],
  ['too_large', { do: 'retry', strikes: 'this', capMs: HOUR_MS }],
  ['forbidden', GIVE_UP],
  ['not_paid', GIVE_UP],
  ['not_found', GIVE_UP],
  ['gone', GIVE_UP],
  ['validation', GIVE_UP],
  ['command_not_found', GIVE_UP],
]);

/** The policy for a code; an unknown one is tried again, and is nobody else's trouble. */
export const policyOf = (code: string): Policy => POLICIES.get(code) ?? { do: 'retry', strikes: 'this', capMs: 15 * MINUTE_MS };

/** How long what was refused for good is left alone after so many (>= 1) refusals in a row. */
export const refusedMs = (refusals: number): number => (REFUSED_H[Math.min(refusals, REFUSED_H.length) - 1] ?? 1) * HOUR_MS;

/** At least so much of a pause is left to chance, so that what failed together is not tried together. */
const LEAST_JITTER = 0.1;

/**
 * The pause before the next try after `failures` (>= 1) failed ones in a row: twice as long each time, from the interval up to the cap, or
 * hours where it was refused for good, and never shorter than the interval. `random` is in [0, 1).
 */
export const backOffMs = (code: string, failures: number, intervalMs: number, jitter: number, random: number): number => {
  const policy = policyOf(code);
  const longest = Math.max(intervalMs, policy.capMs);
  const pause =
    policy.do === 'give_up' ? Math.max(intervalMs, refusedMs(failures)) : Math.min(longest, intervalMs * 2 ** Math.min(failures, 20));
  return pause * (1 + Math.max(jitter, LEAST_JITTER) * random);
};
