import { JetStreamApiError, type JetStreamManager, jetstream, jetstreamManager, type StreamConfig } from '@nats-io/jetstream';
import { type KV, Kvm } from '@nats-io/kv';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { messageOf, UsageError } from '../shared/errors.ts';
import { jsonObject } from '../shared/json.ts';
import type { Log } from '../shared/log.ts';
import { percentDecoded } from '../shared/percentDecoded.ts';

/**
 * The lifetime of a lease without renewal. A killed NATS leader blocks writes for 7 s (NATS 2.15, 3 nodes).
 */
export const LEASE_MS = 30_000;

export const ACCOUNTS = 'heating2mqtt-accounts';
export const LEASES = 'heating2mqtt-leases';
export const GATEWAYS = 'heating2mqtt-gateways';
export const STATES = 'heating2mqtt-states';
/** The subject prefix of the states. */
export const SUBJECT = 'heating2mqtt.states';

const MOST_COPIES = 3;
const TIMEOUT_MS = 5000;
const CONNECT_MS = 3000;
const [NO_REPLICAS, NO_PEERS, NO_STREAM, NO_ROOM] = [10074, 10005, 10059, 10023];

const ONE_COPY =
  'NATS holds one copy of the accounts and states, which is lost with its node. With three nodes, run "nats stream edit NAME --replicas 3" for each of its streams';

const BUCKET: Partial<StreamConfig> = { max_age: 0, max_msgs_per_subject: 1, deny_delete: false };
/** Required stream settings: with another age a bucket would lose accounts, or leases would never expire. */
const STREAMS: readonly (readonly [name: string, needed: Partial<StreamConfig>])[] = [
  [`KV_${ACCOUNTS}`, BUCKET],
  [`KV_${GATEWAYS}`, BUCKET],
  [`KV_${LEASES}`, { ...BUCKET, max_age: LEASE_MS * 1e6 }],
  [STATES, { max_age: 0, max_msgs_per_subject: -1, deny_purge: false }],
];

/** A connection, with the buckets and streams of a fleet. */
export type Nats = {
  readonly connection: NatsConnection;
  readonly jsm: JetStreamManager;
  readonly accounts: KV;
  readonly gateways: KV;
  readonly leases: KV;
};

/** Connects (`urls`: comma-separated) and creates missing streams. UsageError, NatsUnanswered (try later). */
export const openNats = async (urls: string, log: Log): Promise<Nats> => {
  const connection = await connected(urls);
  void tellRefusals(connection, log);
  try {
    const jsm = await jetstreamManager(connection, { timeout: TIMEOUT_MS }).catch((cause: unknown) => {
      if (!isNotEnabled(cause)) throw natsFault(cause);
      throw new NatsUnanswered(`NATS runs without JetStream: start it with "jetstream {}" (${messageOf(cause)})`, {
        cause,
      });
    });
    const kvm = new Kvm(jetstream(connection, { timeout: TIMEOUT_MS }));
    const missing: string[] = [];
    for (const [name, needed] of STREAMS) if (!(await check(jsm, name, needed))) missing.push(name);
    // Direct reads (allow_direct) may return an older value from another replica.
    const bucket = (name: string, more: { readonly ttl?: number }): Promise<KV> =>
      copied((replicas) => kvm.create(name, { replicas, history: 1, allow_direct: false, ...more }));
    const accounts = await bucket(ACCOUNTS, {});
    const gateways = await bucket(GATEWAYS, {});
    const leases = await bucket(LEASES, { ttl: LEASE_MS });
    if (missing.includes(STATES))
      await copied((num_replicas) => jsm.streams.add({ name: STATES, subjects: [`${SUBJECT}.*`], num_replicas }));
    const streams = await Promise.all(STREAMS.map(([name]) => configOf(jsm, name)));
    // The replicas are not raised here: a single NATS 2.9 node accepts that and has no streams after a
    // restart.
    if (streams.some((config) => config?.num_replicas === 1)) log.warn({}, ONE_COPY);
    return { connection, jsm, accounts, gateways, leases };
  } catch (cause) {
    // An unanswered request may also delay the close.
    void connection.close();
    throw cause instanceof UsageError ? cause : natsFault(cause);
  }
};

/** NATS does not give a usable answer now. This may be temporary. */
export class NatsUnanswered extends UsageError {
  constructor(message: string, options?: ErrorOptions) {
    super('usage', message, options);
  }
}

/** A readable reason: the NATS client says little about a lost stream, a missing leader or a full disk. */
export const natsReason = (cause: unknown): string => {
  if (hasCode(cause, NO_STREAM))
    return `a stream of the fleet is missing on NATS (${messageOf(cause)}): restore it from a backup, or start a worker, which creates it again`;
  if (hasCode(cause, NO_ROOM)) return `NATS has reached the limit of its disk or of its configuration (${messageOf(cause)})`;
  if (isNotEnabled(cause)) return 'the stream has no leader on NATS now, or it no longer exists';
  return messageOf(cause);
};

export const natsFault = (cause: unknown): NatsUnanswered =>
  new NatsUnanswered(`NATS refuses what a fleet needs: ${messageOf(cause)}`, { cause });

/** False if the stream is missing. */
const check = async (jsm: JetStreamManager, name: string, needed: Partial<StreamConfig>): Promise<boolean> => {
  const config: Partial<StreamConfig> | undefined = await configOf(jsm, name);
  const wrong = Object.entries(config ? needed : {}).flatMap(([key, value]) => {
    const is = config?.[key as keyof StreamConfig] ?? (typeof value === 'boolean' ? false : 0);
    return is === value ? [] : [`${key} is ${is}, not ${value}`];
  });
  if (wrong.length > 0)
    throw new UsageError(
      'usage',
      `the stream ${name} of NATS has other settings: ${wrong.join(', ')}. Correct them ("nats stream edit"), or delete the stream while no worker runs: a worker creates it again`,
    );
  return config !== undefined;
};

const configOf = async (jsm: JetStreamManager, stream: string): Promise<StreamConfig | undefined> => {
  try {
    return (await jsm.streams.info(stream)).config;
  } catch (cause) {
    if (cause instanceof JetStreamApiError && cause.status === 404) return undefined;
    throw cause;
  }
};

/** Makes another node the leader of this stream. */
export const stepDown = async (connection: NatsConnection, stream: string, log: Log): Promise<void> => {
  const answer = await connection.request(`$JS.API.STREAM.LEADER.STEPDOWN.${stream}`, '', { timeout: TIMEOUT_MS });
  if (jsonObject(answer.string())?.['success'] === true)
    log.warn({ stream }, 'the leader of this stream on NATS accepts no data: the stream gets another leader');
};

/** JetStream or this stream does not answer. */
const isNotEnabled = (cause: unknown): boolean => cause instanceof Error && cause.name === 'JetStreamNotEnabled';

/** Logs why NATS refuses the reconnect (password changed); requests then only time out. */
const tellRefusals = async (connection: NatsConnection, log: Log): Promise<void> => {
  let isTold = false;
  for await (const status of connection.status()) {
    if (status.type === 'reconnect') isTold = false;
    if (isTold || status.type !== 'error' || !isRefusal(status.error)) continue;
    log.error({ why: status.error.message }, 'NATS refuses the user and password, or the token, of --nats; trying again');
    isTold = true;
  }
};

const isRefusal = (cause: unknown): boolean => /authorization|authentication/iu.test(messageOf(cause));

const hasCode = (cause: unknown, code: number): boolean => cause instanceof JetStreamApiError && cause.code === code;

/** With three replicas, or with one if NATS is a single node. */
const copied = async <T>(make: (replicas: number) => Promise<T>): Promise<T> => {
  try {
    return await make(MOST_COPIES);
  } catch (cause) {
    if (hasCode(cause, NO_PEERS)) throw new NatsUnanswered('NATS has fewer than three nodes now: start all of them first', { cause });
    if (hasCode(cause, NO_REPLICAS)) return make(1);
    throw cause;
  }
};

const connected = async (urls: string): Promise<NatsConnection> => {
  const servers = urls.split(',').map((url) => url.trim());
  const parsed = servers.map((url) => (URL.canParse(url) ? new URL(url) : undefined));
  const wrong = servers.find((_, index) => !['nats:', 'tls:'].includes(parsed[index]?.protocol ?? ''));
  if (wrong !== undefined) {
    const shown = wrong.replace(/^(\w+:\/\/)?.*@/, '$1…@');
    throw new UsageError('usage', `--nats ${shown} is not an address of NATS; write nats://host:4222 or tls://host:4222`);
  }
  const [first] = parsed;
  const [user, pass] = [percentDecoded(first?.username ?? ''), percentDecoded(first?.password ?? '')];
  try {
    return await connect({
      servers: parsed.flatMap((url) => (url ? [url.host] : [])),
      // Like the NATS command line: a user name without a password is a token.
      ...(user === '' ? {} : pass === '' ? { token: user } : { user, pass }),
      ...(first?.protocol === 'tls:' ? { tls: {} } : {}),
      name: 'heating2mqtt',
      maxReconnectAttempts: -1,
      // During a password change at the nodes, NATS refuses the login for a while.
      ignoreAuthErrorAbort: true,
      reconnectTimeWait: 500,
      // Leaves a hanging node (paused, cut off) after 5 s, retries once, and leaves it again before leases
      // end.
      pingInterval: 1500,
      timeout: CONNECT_MS,
    });
  } catch (cause) {
    const where = parsed.map((url) => url?.host).join(', ');
    const message = `NATS cannot be reached at ${where}: ${messageOf(cause)}`;
    throw isRefusal(cause) ? new UsageError('usage', message, { cause }) : new NatsUnanswered(message, { cause });
  }
};
