import { createHash, timingSafeEqual } from 'node:crypto';
import type { AccountSummary } from '../../api/accounts.ts';
import type { BridgeView } from '../../bridge/bridgeView.ts';
import { VERSION } from '../../shared/version.ts';
import { bridgeTopic } from '../../topics/topicNames.ts';
import type { LiveState } from '../live/liveState.ts';
import { get, ok, RESTARTING, type Route, refused, type WebRequest } from '../routes.ts';

type Sample = { readonly labels?: Readonly<Record<string, string>>; readonly value: number };

/** A number, or several with labels; undefined if there is none now. */
type Read<Of> = (of: Of) => number | readonly Sample[] | undefined;

type Metric<Of> = { readonly name: string; readonly type: 'gauge' | 'counter'; readonly help: string; readonly read: Read<Of> };

const gauge = <Of>(name: string, help: string, read: Read<Of>): Metric<Of> => ({ name, type: 'gauge', help, read });
const counter = <Of>(name: string, help: string, read: Read<Of>): Metric<Of> => ({ name, type: 'counter', help, read });

const seconds = (instant: string | undefined): number | undefined => (instant === undefined ? undefined : Date.parse(instant) / 1000);

const AUTH_STATES = ['ok', 'refreshing', 'failing', 'login_needed'];

const byWindow = ({ per_10_minutes, per_day }: { readonly per_10_minutes: number; readonly per_day: number }): readonly Sample[] => [
  { labels: { window: '10m' }, value: per_10_minutes },
  { labels: { window: '24h' }, value: per_day },
];

/** All metrics of the bridge. Names and labels are stable, like topics. */
const METRICS: readonly Metric<BridgeView>[] = [
  gauge('info', 'The version of the bridge.', () => [{ labels: { version: VERSION }, value: 1 }]),
  gauge('broker_connected', '1 while the bridge receives commands from the MQTT broker.', (view) =>
    Number(view.payloadOf(bridgeTopic(view.base, 'state')) === 'online'),
  ),
  gauge('platform_reachable', '1 while reads of the platform work, or wait for free calls.', ({ reports }) =>
    Number(reports.status().platform),
  ),
  gauge('auth_state', 'The state of the login: 1 for the current state.', ({ reports }) =>
    AUTH_STATES.map((state) => ({ labels: { state }, value: Number(reports.auth().state === state) })),
  ),
  gauge('consent_expires_timestamp_seconds', 'Time when a new login is due.', ({ reports }) => seconds(reports.auth().consent_expires_at)),
  gauge('quota_used_calls', 'Calls to the platform that were made.', ({ reports }) => byWindow(reports.quota().used)),
  gauge('quota_left_calls', 'Calls to the platform that are left.', ({ reports }) => byWindow(reports.quota().left)),
  gauge('poll_interval_seconds', 'Seconds between two polls.', ({ reports }) => reports.quota().poll_seconds),
  gauge('last_poll_timestamp_seconds', 'Time of the last read of the platform.', ({ reports }) => seconds(reports.health().last_poll_at)),
  gauge('last_success_timestamp_seconds', 'Time of the last successful read of the platform.', ({ reports }) =>
    seconds(reports.health().last_success_at),
  ),
  counter('read_failures_total', 'Reads that failed.', ({ reports }) => reports.health().failures),
  counter('messages_published_total', 'MQTT messages that the broker has accepted.', ({ reports }) => reports.health().published),
  counter('answers_total', 'Answers to commands, by status.', ({ reports }) =>
    Object.entries(reports.health().commands).map(([status, value]) => ({ labels: { status }, value })),
  ),
  counter('answers_dropped_total', 'Answers that did not reach the broker.', ({ reports }) => reports.health().answers_dropped),
  gauge('memory_bytes', 'Memory of the process (RSS).', () => process.memoryUsage.rss()),
];

type AccountMetric = Metric<readonly AccountSummary[]>;

/** A metric per account: `read` returns its number, or a label with the value 1; undefined: none. */
const ofAccount = (name: string, help: string, read: (one: AccountSummary) => number | Sample['labels']): AccountMetric =>
  gauge(name, help, (accounts) =>
    accounts.flatMap((one) => {
      const found = read(one);
      const [value, labels] = typeof found === 'object' ? [1, found] : [found, {}];
      return value === undefined ? [] : [{ labels: { account: one.name, ...labels }, value }];
    }),
  );
const secondsOf = (ms: number | undefined): number | undefined => (ms === undefined ? undefined : ms / 1000);

/** Metrics per account, if there are several; the main account's label `account` is empty. */
const ACCOUNT_METRICS: readonly AccountMetric[] = [
  ofAccount('account_state', 'The state of the account.', ({ state }) => ({ state })),
  ofAccount('account_worker', 'The worker of the fleet that serves the account.', ({ worker }) =>
    worker === undefined ? worker : { worker },
  ),
  ofAccount('account_login', 'The login of the account.', ({ login }) => ({ login })),
  ofAccount('account_broker_connected', '1 while the account is connected to the MQTT broker.', ({ broker }) => Number(broker)),
  ofAccount('account_login_due_timestamp_seconds', 'Time when a new login of the account is due.', ({ loginDueMs }) =>
    secondsOf(loginDueMs),
  ),
  ofAccount('account_last_read_timestamp_seconds', 'Time of the last successful read of the account.', ({ lastReadMs }) =>
    secondsOf(lastReadMs),
  ),
];

const label = ([key, value]: readonly [string, string]): string =>
  `${key}="${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;

const line = (name: string, { labels = {}, value }: Sample): string => {
  const pairs = Object.entries(labels).map(label);
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}`;
};

/** Prometheus text format (https://prometheus.io/docs/instrumenting/exposition_formats/). */
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

const LOGIN_NEEDED = refused(401, 'login_needed', 'The metrics require web.metrics_token, sent as Authorization: Bearer <token>.', {
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
    // Compares digests: the comparison time does not reveal how much of the token is right.
    return login !== 'needed' || (wanted !== undefined && timingSafeEqual(digest(given), digest(wanted)));
  };
  return [
    get(
      'metrics',
      (request) => {
        if (!mayRead(request)) return LOGIN_NEEDED;
        const { view } = state;
        const all = accounts();
        const others = all.some(({ name }) => name !== '') ? printed(ACCOUNT_METRICS, all) : '';
        const text = (view ? printed(METRICS, view) : '') + others;
        return text === '' ? RESTARTING : { status: 200, content: { type: 'text/plain; version=0.0.4; charset=utf-8', text } };
      },
      'open',
    ),
    get('health', () => ok({ status: 'ok' }), 'open'),
  ];
};
