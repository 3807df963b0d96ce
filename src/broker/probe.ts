import type { BrokerOptions } from './client.ts';
import { ConnectError, connectOnce, type Version } from './connect.ts';

const ANSWER_MS = 7000;

/** Connects once with a client id of its own and without a will, and leaves again: gives the version of MQTT that the broker speaks. Throws ConnectError. */
export const probeBroker = async ({
  url,
  username,
  password,
  ca,
  cert,
  key,
  clientId,
  version,
  answerMs = ANSWER_MS,
}: BrokerOptions): Promise<Version> => {
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
      await client.endAsync();
      return one;
    } catch (error) {
      failure = error;
      if (!(error instanceof ConnectError) || (error.why !== 'version' && error.why !== 'dropped')) throw error;
    }
  }
  throw failure;
};
