const MINUTE_MS = 60_000;

/** What follows from a failed call to the platform or its identity service. Everything that depends on a failure code is a column here. */
export type Failure = {
  /**
   * When a failed read is tried again. `interval`: at its usual pace; the call was not made or not answered, so it says nothing of the
   * platform's state. `backoff`: after pauses that double up to `maxMs`. `hours`: the platform refuses it for good; after 1, 6, then 24 hours.
   */
  readonly retry: { readonly kind: 'interval' } | { readonly kind: 'backoff'; readonly maxMs: number } | { readonly kind: 'hours' };
  /**
   * What else the failure affects. It is logged once for all of it. With `backoff`, a failure of a whole device, gateway or platform also
   * holds back the other reads there until one probe has worked.
   */
  readonly scope: 'read' | 'device' | 'gateway' | 'platform';
  /** How a failed read is logged. `debug`: the bridge reports the cause elsewhere (state of the login, quota). */
  readonly log: 'warn' | 'debug' | 'none';
  /** True where the platform says that the device or its gateway is offline. */
  readonly offline: boolean;
  /**
   * Which way of reading the refusal closes. `unless_absent`: this read, unless the platform says that the installation, gateway or device
   * itself is not there. `kind`: all reads of this kind (feature, device, gateway), because the path has ended.
   */
  readonly closesRead: 'no' | 'read' | 'unless_absent' | 'kind';
  /** Whether the platform refuses the login, although the tokens are valid. `if_all`: only where it refuses every read, with this code or for want of a plan. */
  readonly refusesLogin: 'no' | 'yes' | 'if_all';
  /** True where no access token was to be had: no call was made, so that trying again costs none. */
  readonly beforeCall: boolean;
  /** The state of the bridge while reads fail with it (`bridge/publish/status/bridgeStates.ts`). */
  readonly state: FailureState;
  /** Whether a command that was sent may have taken effect. `by_status`: only with an HTTP status of 500 or more. */
  readonly executed: 'no' | 'unknown' | 'by_status';
};

/** What the bridge waits for while reads fail: the platform, a person who corrects something (`refused`), a login, a gateway, the quota. */
export type FailureState = 'platform_away' | 'refused' | 'login_needed' | 'gateway_offline' | 'quota_used_up';

const backoff = (minutes: number) => ({ kind: 'backoff', maxMs: minutes * MINUTE_MS }) as const;

/** The row of a code that is not in the table: the other rows name only what differs from it. */
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

/** By code; docs/errors.md explains each of them. */
export const FAILURES = {
  // No answer, or no complete one. Whether the request arrived is known by `PlatformError.arrived` as well.
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
  // The login. `token_expired` is a token that is refused just after its renewal; each try may cost two calls.
  token_expired: row({ scope: 'platform', refusesLogin: 'yes', state: 'refused' }),
  login_needed: row({ retry: backoff(1), scope: 'platform', log: 'debug', beforeCall: true, state: 'login_needed' }),
  identity_unavailable: row({ retry: backoff(5), scope: 'platform', beforeCall: true }),
  // Refusals that time alone does not change.
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

/** Why a call to the platform or its identity service did not give what was asked for. */
export type FailureCode = keyof typeof FAILURES;

const ROWS: ReadonlyMap<string, Failure> = new Map(Object.entries(FAILURES));

/** What follows from a failure with this code. */
export const failureOf = (code: string): Failure => ROWS.get(code) ?? OTHER;

const ABSENT = /^(?:USER|INSTALLATION|GATEWAY|DEVICE)_NOT_FOUND$/;

/** Which way of reading a failed read closes: none, this one, or all of its kind. */
export const closedBy = ({ code, errorType = '' }: { readonly code: string; readonly errorType?: string | undefined }) => {
  const { closesRead } = failureOf(code);
  if (closesRead !== 'unless_absent') return closesRead;
  return ABSENT.test(errorType) ? 'no' : 'read';
};
