import { createHash, timingSafeEqual } from 'node:crypto';
import type { AccountSummary } from '../../api/accounts.ts';
import type { BridgeView } from '../../bridge/bridgeView.ts';
import { VERSION } from '../../shared/version.ts';
import { bridgeTopic } from '../../topics/topicNames.ts';
import type { LiveState } from '../live/liveState.ts';
import { RESTARTING, type Route, refused, type WebRequest } from '../routes.ts';

type Sample = { readonly labels?: Readonly<Record<string, string>>; readonly value: number };

type Metric<Of> = {
  readonly name: string;
  readonly type: 'gauge' | 'counter';
  readonly help: string;
  /** undefined where there is no such number now. */
  readonly read: (of: Of) => number | readonly Sample[] | undefined;
};

const seconds = (instant: string | undefined): number | undefined => (instant === undefined ? undefined : Date.parse(instant) / 1000);

const AUTH_STATES = ['ok', 'refreshing', 'failing', 'login_needed'];

const byWindow = ({ per_10_minutes, per_day }: { readonly per_10_minutes: number; readonly per_day: number }): readonly Sample[] => [
  { labels: { window: '10m' }, value: per_10_minutes },
  { labels: { window: '24h' }, value: per_day },
];

/** Every metric of the bridge. Names and labels are stable, as topics are. */
const METRICS: readonly Metric<BridgeView>[] = [
  { name: 'info', type: 'gauge', help: 'The version of the bridge.', read: () => [{ labels: { version: VERSION }, value: 1 }] },
  {
    name: 'broker_connected',
    type: 'gauge',
    help: '1 while the bridge receives commands from the MQTT broker.',
    read: (view) => Number(view.payloadOf(bridgeTopic(view.base, 'state')) === 'online'),
  },
  {
    name: 'platform_reachable',
    type: 'gauge',
    help: '1 while reads from the platform work, or wait for the quota.',
    read: ({ reports }) => Number(reports.status().platform),
  },
  {
    name: 'auth_state',
    type: 'gauge',
    help: 'The state of the login: 1 for the present one.',
    read: ({ reports }) => AUTH_STATES.map((state) => ({ labels: { state }, value: Number(reports.auth().state === state) })),
  },
  {
    name: 'consent_expires_timestamp_seconds',
    type: 'gauge',
    help: 'When a new login is due.',
    read: ({ reports }) => seconds(reports.auth().consent_expires_at),
  },
  {
    name: 'quota_used_calls',
    type: 'gauge',
    help: 'Calls of the platform that are used.',
    read: ({ reports }) => byWindow(reports.quota().used),
  },
  {
    name: 'quota_left_calls',
    type: 'gauge',
    help: 'Calls of the platform that are left.',
    read: ({ reports }) => byWindow(reports.quota().left),
  },
  { name: 'poll_interval_seconds', type: 'gauge', help: 'Seconds from poll to poll.', read: ({ reports }) => reports.quota().poll_seconds },
  {
    name: 'last_poll_timestamp_seconds',
    type: 'gauge',
    help: 'When the platform was last read.',
    read: ({ reports }) => seconds(reports.health().last_poll_at),
  },
  {
    name: 'last_success_timestamp_seconds',
    type: 'gauge',
    help: 'When a read of the platform last worked.',
    read: ({ reports }) => seconds(reports.health().last_success_at),
  },
  { name: 'read_failures_total', type: 'counter', help: 'Reads that failed.', read: ({ reports }) => reports.health().failures },
  {
    name: 'messages_published_total',
    type: 'counter',
    help: 'MQTT messages that the broker has taken.',
    read: ({ reports }) => reports.health().published,
  },
  {
    name: 'answers_total',
    type: 'counter',
    help: 'Answers to commands, by status.',
    read: ({ reports }) => Object.entries(reports.health().commands).map(([status, value]) => ({ labels: { status }, value })),
  },
  {
    name: 'answers_dropped_total',
    type: 'counter',
    help: 'Answers that did not reach the broker.',
    read: ({ reports }) => reports.health().answers_dropped,
  },
  { name: 'memory_bytes', type: 'gauge', help: 'Memory of the process (RSS).', read: () => process.memoryUsage.rss() },
];

const byAccount =
  (numberOf: (one: AccountSummary) => number | undefined, more: (one: AccountSummary) => Sample['labels'] = () => ({})) =>
  (accounts: readonly AccountSummary[]): readonly Sample[] =>
    accounts.flatMap((one) => {
      const value = numberOf(one);
      return value === undefined ? [] : [{ labels: { account: one.name, ...more(one) }, value }];
    });
const secondsOf = (ms: number | undefined): number | undefined => (ms === undefined ? undefined : ms / 1000);

/** Those of each account, where there are several; the label `account` of the main one is empty. */
const ACCOUNT_METRICS: readonly Metric<readonly AccountSummary[]>[] = [
  {
    name: 'account_state',
    type: 'gauge',
    help: 'The state of the account.',
    read: byAccount(
      () => 1,
      ({ state }) => ({ state }),
    ),
  },
  {
    name: 'account_worker',
    type: 'gauge',
    help: 'Which worker of a fleet serves the account.',
    read: byAccount(
      ({ worker }) => (worker === undefined ? undefined : 1),
      ({ worker = '' }) => ({ worker }),
    ),
  },
  {
    name: 'account_login',
    type: 'gauge',
    help: 'The login of the account.',
    read: byAccount(
      () => 1,
      ({ login }) => ({ login }),
    ),
  },
  {
    name: 'account_broker_connected',
    type: 'gauge',
    help: '1 while the account is connected to the MQTT broker.',
    read: byAccount(({ broker }) => Number(broker)),
  },
  {
    name: 'account_login_due_timestamp_seconds',
    type: 'gauge',
    help: 'When a new login of the account is due.',
    read: byAccount(({ loginDueMs }) => secondsOf(loginDueMs)),
  },
  {
    name: 'account_last_read_timestamp_seconds',
    type: 'gauge',
    help: 'When a read of the account last worked.',
    read: byAccount(({ lastReadMs }) => secondsOf(lastReadMs)),
  },
];

const label = ([key, value]: readonly [string, string]): string =>
  `${key}="${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;

const line = (name: string, { labels = {}, value }: Sample): string => {
  const pairs = Object.entries(labels).map(label);
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}`;
};

/** Metrics in the text format of Prometheus (https://prometheus.io/docs/instrumenting/exposition_formats/). */
const printed = <Of>(metrics: readonly Metric<Of>[], of: Of): string =>
  metrics
    .flatMap(({ name, type, help, read }) => {
      const found = read(of);
      const samples = typeof found === 'number' ? [{ value: found }] : (found ?? []);
      const full = `heating2mqtt_${name}`;
      return samples.length === 0
        ? []
        : [`# HELP ${full} ${help}`, `# TYPE ${full} ${type}`, ...samples.map((sample) => line(full, sample))];
    })
    .map((text) => `${text}\n`)
    .join('');

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

const LOGIN_NEEDED = refused(401, 'login_needed', 'The metrics need web.metrics_token, as Authorization: Bearer <token>.', {
  headers: { 'www-authenticate': 'Bearer' },
});

/** For programs: `metrics` for Prometheus, `health` for probes. */
export const monitoringRoutes = (
  state: LiveState,
  token: () => string | undefined,
  accounts: () => readonly AccountSummary[],
): readonly Route[] => {
  const mayRead = ({ login, headers }: WebRequest): boolean => {
    const wanted = token();
    const [, given = ''] = /^Bearer (.+)$/i.exec(headers.authorization ?? '') ?? [];
    // Digests of the whole: the time says nothing of how much of it is right.
    return login !== 'needed' || (wanted !== undefined && timingSafeEqual(digest(given), digest(wanted)));
  };
  return [
    {
      method: 'GET',
      path: 'metrics',
      access: 'open',
      handle: (request) => {
        if (!mayRead(request)) return LOGIN_NEEDED;
        const { view } = state;
        const all = accounts();
        const others = all.some(({ name }) => name !== '') ? printed(ACCOUNT_METRICS, all) : '';
        const text = (view ? printed(METRICS, view) : '') + others;
        return text === '' ? RESTARTING : { status: 200, content: { type: 'text/plain; version=0.0.4; charset=utf-8', text } };
      },
    },
    { method: 'GET', path: 'health', access: 'open', handle: () => ({ status: 200, json: { status: 'ok' } }) },
  ];
};
