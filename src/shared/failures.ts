const MINUTE_MS = 60_000;

/** The effects of a failed platform or identity call, one column per effect. */
export type Failure = {
  /**
   * When a failed read is retried. `interval`: at its usual pace; no call or no answer says nothing about the
   * platform. `backoff`: after pauses that double up to `maxMs`. `hours`: a permanent refusal; after 1, 6,
   * then 24 hours.
   */
  readonly retry: { readonly kind: 'interval' } | { readonly kind: 'backoff'; readonly maxMs: number } | { readonly kind: 'hours' };
  /**
   * The scope of the failure. It is logged once per scope. With `backoff`, a failure of a device, gateway or
   * platform also blocks the other reads there until one probe succeeds.
   */
  readonly scope: 'read' | 'device' | 'gateway' | 'platform';
  /** How a failed read is logged. `debug`: the bridge reports the cause elsewhere (login state, quota). */
  readonly log: 'warn' | 'debug' | 'none';
  /** True if the platform reports the device or its gateway offline. */
  readonly offline: boolean;
  /**
   * The reads that the refusal disables. `unless_absent`: this read, unless the installation, gateway or
   * device itself does not exist. `kind`: all reads of this kind (feature, device, gateway), because the path
   * has ended.
   */
  readonly closesRead: 'no' | 'read' | 'unless_absent' | 'kind';
  /** Whether the login is refused despite valid tokens. `if_all`: if all reads fail so or with `not_paid`. */
  readonly refusesLogin: 'no' | 'yes' | 'if_all';
  /** True if no access token was available: no call was made, so a retry costs none. */
  readonly beforeCall: boolean;
  /** The bridge state while reads fail with it (`bridge/publish/status/bridgeStates.ts`). */
  readonly state: FailureState;
  /** Whether a sent command may have taken effect. `by_status`: only with HTTP status 500 or higher. */
  readonly executed: 'no' | 'unknown' | 'by_status';
};

/** What the bridge waits for; `refused`: a correction by a person. */
export type FailureState = 'platform_away' | 'refused' | 'login_needed' | 'gateway_offline' | 'quota_used_up';

const backoff = (minutes: number) => ({ kind: 'backoff', maxMs: minutes * MINUTE_MS }) as const;

/** The row of an unknown code. The other rows contain only the differences. */
const OTHER: Failure = {
  retry: backoff(15),
  scope: 'read',
  log: 'warn',
  offline: false,
  closesRead: 'no',
  refusesLogin: 'no',
  beforeCall: false,
  state: 'platform_away',
  executed: 'no',
};

const row = (differing: Partial<Failure>): Failure => ({ ...OTHER, ...differing });

/** By code; docs/errors.md explains each code. */
export const FAILURES = {
  // No answer or an incomplete one. `PlatformError.arrived` also shows whether the request arrived.
  unreachable: row({ retry: backoff(5), scope: 'platform' }),
  timeout: row({ retry: backoff(5), scope: 'platform', executed: 'unknown' }),
  cut: row({ retry: backoff(5), scope: 'platform', executed: 'unknown' }),
  aborted: row({ retry: { kind: 'interval' }, log: 'none', executed: 'unknown' }),
  too_large: row({ retry: backoff(60), executed: 'unknown', state: 'refused' }),
  bad_answer: row({ executed: 'unknown' }),
  server_error: row({ retry: backoff(5), scope: 'platform', executed: 'unknown' }),
  // The quota.
  rate_limited: row({ retry: { kind: 'interval' }, scope: 'platform', log: 'debug', state: 'quota_used_up' }),
  no_quota: row({ retry: { kind: 'interval' }, scope: 'platform', log: 'debug', state: 'quota_used_up' }),
  // The login. `token_expired`: a token refused just after its renewal; each retry may cost two calls.
  token_expired: row({ scope: 'platform', refusesLogin: 'yes', state: 'refused' }),
  login_needed: row({ retry: backoff(1), scope: 'platform', log: 'debug', beforeCall: true, state: 'login_needed' }),
  identity_unavailable: row({ retry: backoff(5), scope: 'platform', beforeCall: true }),
  // Refusals that time alone does not resolve.
  forbidden: row({ retry: { kind: 'hours' }, closesRead: 'read', refusesLogin: 'if_all', state: 'refused' }),
  not_paid: row({ retry: { kind: 'hours' }, closesRead: 'read', state: 'refused' }),
  not_found: row({ retry: { kind: 'hours' }, closesRead: 'unless_absent', state: 'refused' }),
  gone: row({ retry: { kind: 'hours' }, scope: 'platform', closesRead: 'kind', state: 'refused' }),
  validation: row({ retry: { kind: 'hours' }, state: 'refused' }),
  command_not_found: row({ retry: { kind: 'hours' }, state: 'refused' }),
  // The devices.
  gateway_offline: row({ scope: 'gateway', offline: true, state: 'gateway_offline' }),
  device_offline: row({ scope: 'device', offline: true, state: 'gateway_offline' }),
  device_error: row({ executed: 'by_status' }),
} as const satisfies Readonly<Record<string, Failure>>;

/** The reason for a failed call to the platform or its identity service. */
export type FailureCode = keyof typeof FAILURES;

const ROWS: ReadonlyMap<string, Failure> = new Map(Object.entries(FAILURES));

/** The effects of a failure with this code. */
export const failureOf = (code: string): Failure => ROWS.get(code) ?? OTHER;

const ABSENT = /^(?:USER|INSTALLATION|GATEWAY|DEVICE)_NOT_FOUND$/;

/** The reads that a failed read disables: none, this one, or all of its kind. */
export const closedBy = ({ code, errorType = '' }: { readonly code: string; readonly errorType?: string | undefined }) => {
  const { closesRead } = failureOf(code);
  if (closesRead !== 'unless_absent') return closesRead;
  return ABSENT.test(errorType) ? 'no' : 'read';
};
