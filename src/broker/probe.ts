import { aside } from './aside.ts';
import type { BrokerOptions } from './client.ts';
import type { Version } from './connect.ts';

/** Connects once with a client id of its own and without a will, and leaves again: gives the version of MQTT that the broker speaks. Throws ConnectError. */
export const probeBroker = async (options: BrokerOptions): Promise<Version> => {
  const { client, version } = await aside(options);
  await client.endAsync();
  return version;
};
