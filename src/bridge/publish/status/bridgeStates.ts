import { type FailureState, failureOf } from '../../../shared/failures.ts';
import type { PollStatistics, ReportedRefusal } from './pollStatistics.ts';

/** State of the page: `full` if all its connections are in use, `off` if disabled or not loaded yet. */
export type PageState = 'off' | 'served' | 'unserved' | 'full';

/** The answer of a bridge on its socket. */
export type BridgeStatus = {
  /** True once the broker has accepted the subscriptions. */
  readonly broker: boolean;
  /** How long the next step of the MQTT client has been overdue (`mqtt/progress.ts`). */
  readonly stalled_s: number;
  /** The broker does not send the bridge its own messages. */
  readonly unread?: true;
  /** Absent if unknown. */
  readonly page?: PageState;
  /** What the platform refuses to this account; absent if unknown. */
  readonly refused?: readonly ReportedRefusal[];
} & ReturnType<PollStatistics['status']>;

/** The content of `bridge/health` by state, for docs/health.md. */
const REPORTS = {
  none: 'no data of this run yet',
  reads: '`last_success_at` is updated by each read',
  fails: '`failures` increases, `last_success_at` stays unchanged',
  waits: '`last_poll_at` stays unchanged',
  away: 'stays unchanged; `bridge/state` is `offline`',
} as const;

export type ReportKind = keyof typeof REPORTS;

type Row = {
  /** The meaning of this state, for docs/health.md. */
  readonly means: string;
  /** Exit code of `check`: 1 if the user must act. */
  readonly check: 0 | 1;
  /** Exit code of `check --health`: 1 if only a restart helps. */
  readonly health: 0 | 1;
  readonly report: ReportKind;
  /** What ends the state. */
  readonly ends: string;
};

/** Each state of a running bridge with its answers; docs/health.md shows this table. */
export const BRIDGE_STATES = {
  well: { means: 'connected to broker and platform', check: 0, health: 0, report: 'reads', ends: '' },
  starting: { means: 'the bridge is connecting to the broker, for at most 15 s', check: 0, health: 0, report: 'none', ends: 'by itself' },
  broker_away: {
    means: 'the broker cannot be reached or refuses the bridge',
    check: 1,
    health: 0,
    report: 'away',
    ends: 'start the broker, or correct `mqtt`; the bridge tries again every few seconds',
  },
  broker_unread: {
    means: 'the broker accepts messages of the bridge but sends it none, so commands do not arrive',
    check: 1,
    health: 0,
    report: 'reads',
    ends: 'give the user of the bridge the right to read and write below `mqtt.base`; it is tried again every minute',
  },
  platform_away: {
    means: 'the platform or its identity service cannot be reached or fails, for some minutes',
    check: 0,
    health: 0,
    report: 'fails',
    ends: 'by itself: the bridge tries again every few minutes',
  },
  login_needed: { means: 'there is no valid login', check: 1, health: 0, report: 'fails', ends: '`heating2mqtt login`, or the page' },
  refused: {
    means: 'the platform refuses the reads: rights, plan, or an unknown device',
    check: 1,
    health: 0,
    report: 'fails',
    ends: 'see the line of `check`',
  },
  gateway_offline: {
    means: 'the platform says that the gateway or every device is offline, for some minutes',
    check: 1,
    health: 0,
    report: 'fails',
    ends: 'check the power and the network of the gateway',
  },
  quota_used_up: {
    means: 'no call is left for reads, or the platform refuses further calls (429)',
    check: 0,
    health: 0,
    report: 'waits',
    ends: 'by itself: `bridge/quota` says when',
  },
  page_away: {
    means: 'the page cannot be served: its port is in use or not allowed, or the machine does not have its address',
    check: 1,
    health: 0,
    report: 'reads',
    ends: 'see the log; the bridge tries again every 30 s',
  },
  page_full: {
    means: 'all connections of the page are in use',
    check: 1,
    health: 0,
    report: 'reads',
    ends: 'by itself, or block the clients that use them',
  },
  stuck: {
    means:
      'the process does not answer within 5 s, or its MQTT client has neither tried to connect nor received a packet for 3 minutes longer than it should take',
    check: 1,
    health: 1,
    report: 'away',
    ends: 'restart the bridge; the watchdog of Home Assistant does so, plain Docker only shows the state',
  },
} as const satisfies Readonly<
  Record<'well' | 'starting' | 'broker_away' | 'broker_unread' | 'page_away' | 'page_full' | 'stuck' | FailureState, Row>
>;

export type BridgeState = keyof typeof BRIDGE_STATES;

/** The states of the bridge's dependencies and its page. The worst is the bridge's own state. */
export type PartStates = { readonly [P in 'broker' | 'platform' | 'login' | 'page']: BridgeState };

/** A client step takes 10 s at most (`mqtt/progress.ts`); one overdue by this much never ends. */
const STUCK_AFTER_S = 180;
/** Two attempts to connect, one for each MQTT version. */
const STARTING_S = 15;

/** The state of each part. */
export const partStates = (status: BridgeStatus): PartStates => ({
  broker: brokerState(status),
  platform: platformState(status),
  login: loginState(status),
  page: PAGE_STATES[status.page ?? 'off'],
});

const PAGE_STATES = { off: 'well', served: 'well', unserved: 'page_away', full: 'page_full' } as const;

/** True if the platform refuses a login with valid tokens. */
export const isLoginRefused = (status: Pick<BridgeStatus, 'auth' | 'problem_code'>): boolean => loginState(status) === 'refused';

const brokerState = ({ broker, unread, stalled_s, running_s }: BridgeStatus): BridgeState => {
  if (stalled_s > STUCK_AFTER_S) return 'stuck';
  if (broker) return unread ? 'broker_unread' : 'well';
  return running_s < STARTING_S ? 'starting' : 'broker_away';
};

const platformState = ({ platform, waits, problem_code: code }: BridgeStatus): BridgeState => {
  if (waits) return 'quota_used_up';
  if (platform) return 'well';
  return code === undefined ? 'platform_away' : failureOf(code).state;
};

const loginState = ({ auth, problem_code: code }: Pick<BridgeStatus, 'auth' | 'problem_code'>): BridgeState => {
  if (auth === 'login_needed') return 'login_needed';
  if (auth !== 'failing') return 'well';
  // Either the identity service fails, or the platform refuses a login with valid tokens.
  return code !== undefined && failureOf(code).state === 'refused' ? 'refused' : 'platform_away';
};

/** The table as Markdown, for docs/health.md. */
export const statesMarkdown = (): string =>
  [
    '| state | means | `check` | `check --health` | `bridge/health` | ends |',
    '| --- | --- | --- | --- | --- | --- |',
    ...Object.entries(BRIDGE_STATES).map(
      ([state, { means, check, health, report, ends }]) =>
        `| \`${state}\` | ${means} | ${check} | ${health} | ${REPORTS[report]} | ${ends} |`,
    ),
  ].join('\n');
