import { Socket } from 'node:net';
import { type IClientOptions, type IConnackPacket, type MqttClient, connect as mqttConnect } from 'mqtt';
import { percentDecoded } from '../shared/percentDecoded.ts';
import { type MissingRight, missingRights, type Needs } from './rights.ts';

export type Version = '5' | '3.1.1';

/** The address of a broker and the user to connect as. */
export type BrokerAddress = { readonly url: string; readonly username?: string; readonly password?: string };

/** The address of the broker and the connection options. */
export type BrokerOptions = BrokerAddress & {
  /** Further addresses of the broker, each with its user. */
  readonly others?: readonly BrokerAddress[];
  /** Looks up the broker's address before each connection and replaces it. Rejects with a ConnectError. */
  readonly locate?: (signal?: AbortSignal) => Promise<BrokerAddress>;
  /** Content of a PEM file, not its path; likewise `cert` and `key`. */
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly clientId: string;
  readonly version: 'auto' | Version;
  /** Time limit for the answer to CONNECT; default 7 s. */
  readonly answerMs?: number;
  /** Time limit for the acknowledgement of a message or subscription; default 30 s. */
  readonly acknowledgeMs?: number;
  /** Bytes of the largest packet that an MQTT 5 broker may send to us. Default: no limit. */
  readonly maximumPacketSize?: number;
  /** Published by the broker, retained, when this connection ends without DISCONNECT. */
  readonly will?: { readonly topic: string; readonly payload: string };
};

/** Why a connection failed. `version`, `dropped`: the broker may not speak this MQTT version. */
export class ConnectError extends Error {
  readonly why: 'version' | 'dropped' | 'refused' | 'network';
  constructor(why: ConnectError['why'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ConnectError';
    this.why = why;
  }
}

/** The error code of a failed connection, else the failed step: `ECONNREFUSED`, `134`, `dropped`. */
export const connectCode = ({ cause, why }: ConnectError): string => {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return code === undefined ? why : String(code);
};

// Some brokers drop an MQTT 5 CONNECT silently. Slow brokers were seen to answer within five seconds.
const ANSWER_MS = 7000;
const FAREWELL_MS = 1000;
// With MQTT 3.1.1, a broker has no code to reject a will.
const DROPPED =
  'the broker closed the connection without an answer: are protocol and port of mqtt.url right? A broker without retained messages or QoS 1 closes it too; the bridge needs both. So does NATS before 2.10 if mqtt.base has a "."';
const VERSION_REFUSALS: ReadonlySet<number> = new Set([1, 132]);
// CONNACK codes of MQTT 3.1.1 and 5 that a settings change can resolve.
const REFUSALS: readonly (readonly [codes: readonly number[], sentence: string])[] = [
  [[2, 133], 'the client id is not accepted: set mqtt.client_id'],
  [[4, 134], 'user name or password is wrong: check mqtt.username and mqtt.password'],
  [[5, 135], 'not authorised: check mqtt.username, mqtt.password and the rights of this user'],
  [[138], 'this client is banned at the broker'],
  [
    [154],
    'it does not support retained messages, which the bridge and hubs need: allow them at the broker (in Mosquitto retain_available), or use another broker',
  ],
  [
    [155],
    'it does not accept messages with QoS 1, which the bridge needs: allow them at the broker (in Mosquitto max_qos), or use another broker',
  ],
];
/** MQTT 5 codes with which a broker rejects a will that is retained or has QoS 1. */
const [NO_RETAIN, NO_QOS_1] = [154, 155];

/** The options per address, in order. The list in mqtt.js has one user for all and would reconnect. */
export const serversOf = ({ others = [], ...first }: BrokerOptions): readonly [BrokerOptions, ...BrokerOptions[]] => {
  const { url: _, username: __, password: ___, ...rest } = first;
  return [first, ...others.map((other) => ({ ...rest, ...other }))];
};

/** The options with the broker's current address. Rejects with a ConnectError. */
export const located = async ({ locate, ...options }: BrokerOptions, signal?: AbortSignal): Promise<BrokerOptions> =>
  locate ? { ...options, ...(await locate(signal)) } : options;

/** The error if the CONNACK shows that the broker cannot retain or acknowledge messages; else undefined. */
const lackOf = ({ properties }: IConnackPacket): ConnectError | undefined => {
  const code = properties?.retainAvailable === false ? NO_RETAIN : properties?.maximumQoS === 0 ? NO_QOS_1 : undefined;
  return code === undefined ? undefined : errorOf(Object.assign(new Error(), { code }));
};

/** One attempt with one MQTT version and `located` options. No reconnect. Rejects with a ConnectError. */
export const connectOnce = async (
  {
    url,
    others: _,
    version: __,
    answerMs = ANSWER_MS,
    acknowledgeMs: ___,
    locate: ____,
    maximumPacketSize,
    will,
    ...credentials
  }: BrokerOptions,
  version: Version,
  signal?: AbortSignal,
): Promise<{ readonly client: MqttClient; readonly connack: IConnackPacket }> => {
  const client = mqttConnect({
    ...addressOf(url),
    ...credentials,
    ...(maximumPacketSize === undefined ? {} : { properties: { maximumPacketSize } }),
    ...(will ? { will: { ...will, qos: 1, retain: true } } : {}),
    ...(version === '5' ? { protocolVersion: 5 } : { protocolVersion: 4, protocolId: 'MQTT' }),
    clean: true,
    keepalive: 30,
    // Otherwise mqtt-packet preallocates 65,536 small buffers: 7 MB, and 15 ms of each start.
    writeCache: false,
    reconnectPeriod: 0,
    resubscribe: false,
    connectTimeout: answerMs,
  });
  const { promise, resolve, reject } = Promise.withResolvers<IConnackPacket>();
  const onAbort = (): void => reject(new ConnectError('network', 'stopped before the broker answered'));
  client.once('connect', resolve).once('close', () => reject(new ConnectError('dropped', DROPPED)));
  // Never removed: a late socket error must not end the process. Nothing after a bad packet is readable.
  client.on('error', (cause) => {
    reject(errorOf(cause));
    client.stream?.destroy();
  });
  signal?.addEventListener('abort', onAbort);
  if (signal?.aborted) onAbort();
  try {
    const connack = await promise;
    const lack = lackOf(connack);
    if (lack) throw lack;
    // Otherwise small packets wait up to 40 ms for a TCP acknowledgement (Nagle and delayed ACK).
    if (client.stream instanceof Socket) client.stream.setNoDelay(true);
    return { client, connack };
  } catch (cause) {
    client.end(true);
    throw cause;
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
};

/** A broker that answers: its address for logs, and its MQTT version. */
export type Probed = { readonly url: string; readonly version: Version };

/** A second connection (first address): random client id suffix, any MQTT version. Throws ConnectError. */
const connectBeside = async (options: BrokerOptions): Promise<Probed & { readonly client: MqttClient }> => {
  const { maximumPacketSize: _, ...rest } = await located(options);
  const beside = { ...rest, clientId: `${options.clientId}-${Math.random().toString(36).slice(2, 10)}` };
  const versions: readonly Version[] = options.version === 'auto' ? ['5', '3.1.1'] : [options.version];
  let failure: unknown;
  for (const version of versions) {
    try {
      const { client } = await connectOnce(beside, version);
      return { client, version, url: withoutPassword(rest.url) };
    } catch (error) {
      failure = error;
      if (!(error instanceof ConnectError) || (error.why !== 'version' && error.why !== 'dropped')) throw error;
    }
  }
  throw failure;
};

/** Such a connection without a will, to the first address that answers. Throws the last ConnectError. */
export const visitBroker = async ({ will: _, ...options }: BrokerOptions): ReturnType<typeof connectBeside> => {
  let failure: unknown;
  for (const server of serversOf(options)) {
    try {
      return await connectBeside(server);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
};

/**
 * Connects to the first address with the bridge's will (a broker may reject the bridge because of it), tries
 * what the bridge needs, and disconnects. Throws ConnectError.
 */
export const probeBroker = async (
  options: BrokerOptions,
  needs?: Needs,
): Promise<Probed & { readonly missing: readonly MissingRight[] }> => {
  const { client, version, url } = await connectBeside(options);
  const missing = needs ? await missingRights(client, needs) : [];
  await leaveBroker(client);
  return { version, url, missing };
};

/** Disconnects. Waits at most a second for a broker that does not answer. */
export const leaveBroker = async (client: MqttClient): Promise<void> => {
  if (!client.connected) {
    client.end(true);
    return;
  }
  const closed = new Promise<void>((resolve) => client.once('close', () => resolve()));
  const timer = setTimeout(() => client.stream.destroy(), FAREWELL_MS);
  await Promise.race([client.endAsync(), closed]).catch(() => undefined);
  clearTimeout(timer);
};

// mqtt.js parses URLs with the deprecated url.parse, for which Node prints a warning.
const addressOf = (url: string): IClientOptions => {
  if (!URL.canParse(url)) throw new ConnectError('network', 'this is not the address of a broker; write it as mqtt://localhost:1883');
  const { protocol, hostname, port, pathname, search, username, password } = new URL(url);
  const name = PROTOCOLS.find((known) => `${known}:` === protocol);
  if (!name) throw new ConnectError('network', `mqtt.url must begin with one of ${PROTOCOLS.map((known) => `${known}://`).join(', ')}`);
  return {
    protocol: name,
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    ...(port ? { port: Number(port) } : {}),
    ...(username ? { username: percentDecoded(username) } : {}),
    ...(password ? { password: percentDecoded(password) } : {}),
    ...(name.startsWith('ws') ? { path: `${pathname}${search}` } : {}),
  };
};

/** True for a valid broker address. */
export const isBrokerAddress = (url: string): boolean =>
  URL.canParse(url) && PROTOCOLS.some((known) => new URL(url).protocol === `${known}:`);

const PROTOCOLS = ['mqtt', 'mqtts', 'tcp', 'ssl', 'ws', 'wss'] as const;

const errorOf = (cause: Error): ConnectError => {
  const code = 'code' in cause ? cause.code : undefined;
  if (typeof code === 'number') {
    if (VERSION_REFUSALS.has(code))
      return new ConnectError('version', 'the broker does not speak this version of MQTT: set mqtt.version to auto', { cause });
    const [, sentence = cause.message] = REFUSALS.find(([codes]) => codes.includes(code)) ?? [];
    return new ConnectError('refused', `the broker refused the connection: ${sentence}`, { cause });
  }
  if (typeof code === 'string')
    return new ConnectError(code === 'ECONNRESET' || code === 'EPIPE' ? 'dropped' : 'network', NETWORK[code] ?? cause.message, { cause });
  // mqtt.js has no code for a missing or malformed CONNACK.
  return new ConnectError('dropped', `the answer of the broker is not valid MQTT (${cause.message})`, { cause });
};

const UNKNOWN_AUTHORITY =
  "the broker's certificate is signed by an unknown authority: set mqtt.ca to the file with the certificate of that authority";

const NETWORK: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there: check that the broker is running, and host and port of mqtt.url',
  ENOTFOUND: 'the host name of mqtt.url is not known',
  EAI_AGAIN: 'the host name of mqtt.url cannot be looked up now',
  ETIMEDOUT: 'the host of mqtt.url does not answer',
  EHOSTUNREACH: 'the host of mqtt.url cannot be reached from here',
  ENETUNREACH: 'the host of mqtt.url cannot be reached from here',
  ECONNRESET: 'the broker closed the connection: if it does so each time, it requires TLS (mqtts://), or has no TLS at this port (mqtt://)',
  DEPTH_ZERO_SELF_SIGNED_CERT: "the broker's certificate is self-signed: set mqtt.ca to the file with it",
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  CERT_HAS_EXPIRED: "the broker's certificate has expired",
  ERR_TLS_CERT_ALTNAME_INVALID: "the broker's certificate is for another host name than the one in mqtt.url",
  EPROTO: 'this port does not use TLS: use mqtt:// instead of mqtts://, or the port for TLS',
};

/** The broker's address for logs: without user name, password and query (some services sign the query). */
export const withoutPassword = (url: string): string => url.replace(/\/\/.*@/s, '//').replace(/\?.*$/s, '?…');

/**
 * Delays stream writes by two turns of the event loop. Acknowledgements are not urgent, and writing one wakes
 * the broker, which uses CPU time on a shared machine. The POST of a command leaves within one turn.
 */
export const holdWrites = (stream: MqttClient['stream']): void => {
  stream.cork();
  setImmediate(() => setImmediate(() => stream.uncork()));
};
