import type { Settings } from './config/settings.ts';
import type { BrokerOptions } from './mqtt/connect.ts';
import { reasonOf, UsageError } from './shared/errors.ts';
import { readPlainFile } from './shared/plainFile.ts';
import { bridgeTopic, encodeLevel } from './topics/topicNames.ts';

/**
 * Beside its payload, a packet has a topic, a response topic, correlation data and user properties, each of
 * up to 64 KiB. The bridge receives its own retained messages when it checks them, and a shown value, of up
 * to the 8 MiB of a platform answer, can be sent back.
 */
const ROOM_BESIDE_PAYLOAD = 9_437_184;

/** The client id is fixed: with a random one, an old session's `offline` may follow the new `online`. */
export const clientIdOf = (base: string): string => (base === 'heating2mqtt' ? base : `heating2mqtt-${encodeLevel(base)}`);

const SUPERVISOR = 'http://supervisor/services/mqtt';

/** Asks the Supervisor for the broker's address. Loaded lazily, because it is only needed there. */
const locateBy = ({ token, givesLogin }: NonNullable<Settings['supervisor']>): NonNullable<BrokerOptions['locate']> => {
  let ask: BrokerOptions['locate'];
  return async (signal) => {
    ask ??= (await import('./mqtt/supervisorBroker.ts')).supervisorBroker(token);
    const found = await ask(signal);
    return givesLogin ? found : { url: found.url };
  };
};

/** The broker client's options, with the certificates' contents. Throws UsageError if one is unreadable. */
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

// The certificates of all authorities together take some 220 kB.
const MOST_PEM_BYTES = 1024 * 1024;

const readPem = (key: string, file: string): string => {
  try {
    return readPlainFile(file, MOST_PEM_BYTES).toString('utf8');
  } catch (cause) {
    throw new UsageError('file_unreadable', `${key}: the file ${file} cannot be read: ${reasonOf(cause)}`, { cause });
  }
};
