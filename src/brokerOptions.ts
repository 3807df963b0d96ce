import type { Settings } from './config/settings.ts';
import type { BrokerOptions } from './mqtt/connect.ts';
import { UsageError } from './shared/errors.ts';
import { readPlainFile } from './shared/plainFile.ts';
import { sentenceOf } from './storage/dataDir.ts';
import { bridgeTopic, encodeLevel } from './topics/topicNames.ts';

/**
 * A packet has a topic, a response topic, correlation data and properties of the user beside its payload, each of up to 64 KiB; what the
 * bridge has retained comes back to it when it looks whether it is still there; and a value that it shows can be sent back, of up to the
 * 8 MiB of an answer of the platform.
 */
const ROOM_BESIDE_PAYLOAD = 9_437_184;

/** The client id is fixed: with a random one the old session's `offline` can come after the new `online`. */
export const clientIdOf = (base: string): string => (base === 'heating2mqtt' ? base : `heating2mqtt-${encodeLevel(base)}`);

const SUPERVISOR = 'http://supervisor/services/mqtt';

/** Asks the Supervisor of Home Assistant where the broker is. Loaded late: elsewhere it would only cost time. */
const locateBy = ({ token, givesLogin }: NonNullable<Settings['supervisor']>): NonNullable<BrokerOptions['locate']> => {
  let ask: BrokerOptions['locate'];
  return async (signal) => {
    ask ??= (await import('./mqtt/supervisorBroker.ts')).supervisorBroker(token);
    const found = await ask(signal);
    return givesLogin ? found : { url: found.url };
  };
};

/** The options of the broker's client, with the contents of the certificate files. Throws UsageError where one cannot be read. */
export const brokerOptionsOf = ({ mqtt, supervisor }: Pick<Settings, 'mqtt' | 'supervisor'>): BrokerOptions => {
  const { url, others, username, password, ca, cert, key, version } = mqtt;
  return {
    ...(supervisor ? { url: SUPERVISOR, locate: locateBy(supervisor) } : { url, ...(others ? { others } : {}) }),
    version,
    clientId: mqtt.client_id ?? clientIdOf(mqtt.base),
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(ca === undefined ? {} : { ca: readPem('mqtt.ca', ca) }),
    ...(cert === undefined ? {} : { cert: readPem('mqtt.cert', cert) }),
    ...(key === undefined ? {} : { key: readPem('mqtt.key', key) }),
    maximumPacketSize: mqtt.max_payload + ROOM_BESIDE_PAYLOAD,
    will: { topic: bridgeTopic(mqtt.base, 'state'), payload: 'offline' },
  };
};

// The certificates of all authorities together have some 220 kB.
const MOST_PEM_BYTES = 1024 * 1024;

const readPem = (key: string, file: string): string => {
  try {
    return readPlainFile(file, MOST_PEM_BYTES).toString('utf8');
  } catch (cause) {
    throw new UsageError('file_unreadable', `${key}: the file ${file} cannot be read: ${sentenceOf(cause)}`, { cause });
  }
};
