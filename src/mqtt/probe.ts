import type { MqttClient } from 'mqtt';
import { type BrokerOptions, ConnectError, connectOnce, type Version } from './connect.ts';

/** A second connection beside the bridge's: a random suffix in its client id, no will, any MQTT version that the broker speaks. Throws ConnectError. */
export const visitBroker = async (options: BrokerOptions): Promise<{ readonly client: MqttClient; readonly version: Version }> => {
  const { will: _, maximumPacketSize: __, ...rest } = options;
  const visit = { ...rest, clientId: `${options.clientId}-${Math.random().toString(36).slice(2, 10)}` };
  const versions: readonly Version[] = options.version === 'auto' ? ['5', '3.1.1'] : [options.version];
  let failure: unknown;
  for (const version of versions) {
    try {
      const { client } = await connectOnce(visit, version);
      return { client, version };
    } catch (error) {
      failure = error;
      if (!(error instanceof ConnectError) || (error.why !== 'version' && error.why !== 'dropped')) throw error;
    }
  }
  throw failure;
};

/** Connects and disconnects; returns the MQTT version that the broker speaks. Throws ConnectError. */
export const probeBroker = async (options: BrokerOptions): Promise<Version> => {
  const { client, version } = await visitBroker(options);
  await client.endAsync();
  return version;
};
