import { connectAsync, type IClientOptions } from 'mqtt';

/**
 * All that the broker keeps retained, read by a fresh client. Two marks tell that everything has come: Mosquitto sends what is retained
 * before anything published later, aedes sends it in the order in which it came, while later messages overtake it.
 */
export const retainedOn = async (url: string, options: IClientOptions = {}): Promise<Map<string, string>> => {
  const client = await connectAsync(url, { ...options, reconnectPeriod: 0 });
  const kept = new Map<string, string>();
  const mark = `test/mark/${Math.random()}`;
  const live = `${mark}/live`;
  const awaited = new Set([mark, live]);
  const done = new Promise<void>((resolve) => {
    client.on('message', (topic, payload, packet) => {
      awaited.delete(topic);
      if (packet.retain && topic !== mark) kept.set(topic, payload.toString());
      if (awaited.size === 0) resolve();
    });
  });
  await client.publishAsync(mark, 'mark', { qos: 1, retain: true });
  // With QoS 0 no broker's queue for unacknowledged messages can overflow.
  await client.subscribeAsync('#', { qos: 0 });
  await client.publishAsync(live, 'mark', { qos: 1 });
  await done;
  await client.publishAsync(mark, '', { qos: 1, retain: true });
  await client.endAsync();
  return kept;
};
