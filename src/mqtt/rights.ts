import type { MqttClient } from 'mqtt';
import { systemClock, within } from '../shared/clock.ts';

/** What the bridge does at the broker: filters that it subscribes to, a topic that they match, and topics like those that it publishes. */
export type Needs = { readonly filters: readonly string[]; readonly heard: string; readonly written: readonly string[] };

/** What the user may not do, and on which topic. `isClosed`: the broker ends the connection there, as others do that have a limit for filters or levels. */
export type MissingRight = { readonly right: 'read' | 'write'; readonly topic: string; readonly isClosed?: true };

/** For each answer of the broker, and for what is to come back. */
const ANSWER_MS = 5000;

/**
 * Tries what the user of a new connection may do; gives what is seen to be missing. Nothing is retained. Some brokers say what they refuse, some
 * end the connection, and some do neither: Mosquitto with an ACL file grants each subscription and forwards nothing, and with MQTT 3.1.1 it
 * acknowledges what it drops. So what is published has to come back.
 */
export const missingRights = async (client: MqttClient, { filters, heard, written }: Needs): Promise<readonly MissingRight[]> => {
  const mark = Math.random().toString(36);
  const closed = new Promise<'closed'>((resolve) => client.once('close', () => resolve('closed')));
  const back = new Map([...written, heard].map((topic) => [topic, Promise.withResolvers<void>()]));
  client.on('message', (topic, payload) => {
    if (payload.toString() === (topic === heard ? mark : '')) back.get(topic)?.resolve();
  });
  const answerTo = async (work: Promise<unknown>): Promise<'taken' | 'refused' | 'closed' | 'silent'> => {
    const answer = work.then(
      () => 'taken' as const,
      () => 'refused' as const,
    );
    const found = (await within(systemClock, ANSWER_MS, Promise.race([closed, answer]))) ?? 'silent';
    return found === 'refused' && !client.connected ? 'closed' : found;
  };
  const missing: MissingRight[] = [];
  const awaited: [topic: string, comes: Promise<void>][] = [];
  for (const [topic, { promise }] of back) {
    const granted = await answerTo(client.subscribeAsync(topic === heard ? [...filters, heard] : [topic], { qos: 0 }));
    if (granted === 'closed') return [...missing, { right: 'read', topic, isClosed: true }];
    if (granted === 'refused') missing.push({ right: 'read', topic });
    const taken = await answerTo(client.publishAsync(topic, topic === heard ? mark : '', { qos: 1 }));
    // A user that may not send commands may all the same read those of others.
    if (topic !== heard && taken === 'closed') return [...missing, { right: 'write', topic, isClosed: true }];
    if (topic !== heard && taken === 'refused') missing.push({ right: 'write', topic });
    if (granted !== 'refused' && taken === 'taken') awaited.push([topic, promise]);
  }
  const unseen = awaited.map(
    async ([topic, comes]): Promise<MissingRight[]> => ((await answerTo(comes)) === 'silent' ? [{ right: 'read', topic }] : []),
  );
  return [...missing, ...(await Promise.all(unseen)).flat()];
};
