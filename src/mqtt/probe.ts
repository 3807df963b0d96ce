import type { MqttClient } from 'mqtt';
import type { BrokerOptions } from './client.ts';
import { ConnectError, connectOnce, type Version } from './connect.ts';

const ANSWER_MS = 7000;

/** A connection beside the bridge's: once, with a random part in its client id and without a will, in the version that the broker speaks. Throws ConnectError. */
export const visitBroker = async ({
  url,
  username,
  password,
  ca,
  cert,
  key,
  clientId,
  version,
  answerMs = ANSWER_MS,
}: BrokerOptions): Promise<{ readonly client: MqttClient; readonly version: Version }> => {
  const options = {
    clientId: `${clientId}-${Math.random().toString(36).slice(2, 10)}`,
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  };
  const versions: readonly Version[] = version === 'auto' ? ['5', '3.1.1'] : [version];
  let failure: unknown;
  for (const one of versions) {
    try {
      const { client } = await connectOnce(url, options, one, { timeoutMs: answerMs });
      return { client, version: one };
    } catch (error) {
      failure = error;
      if (!(error instanceof ConnectError) || (error.why !== 'version' && error.why !== 'dropped')) throw error;
    }
  }
  throw failure;
};

/** Visits the broker and leaves again: gives the version of MQTT that it speaks. Throws ConnectError. */
export const probeBroker = async (options: BrokerOptions): Promise<Version> => {
  const { client, version } = await visitBroker(options);
  await client.endAsync();
  return version;
};
