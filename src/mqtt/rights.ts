import type { MqttClient } from 'mqtt';
import { systemClock, within } from '../shared/clock.ts';

/** The bridge's use of the broker: its filters, a topic that they match, and examples of published topics. */
export type Needs = { readonly filters: readonly string[]; readonly probe: string; readonly written: readonly string[] };

/** A missing right. `isClosed`: the broker closes the connection, as those with filter or level limits do. */
export type MissingRight = { readonly right: 'read' | 'write'; readonly topic: string; readonly isClosed?: true };

/** For each answer of the broker, and for each echo. */
const ANSWER_MS = 5000;

/**
 * Tests the user's rights on a new connection; returns the missing ones. Nothing is retained. Some brokers
 * report a refusal, some close the connection, and some do neither: with an ACL file, Mosquitto grants each
 * subscription but forwards nothing, and with MQTT 3.1.1 it acknowledges messages that it drops. So each
 * published message must come back.
 */
export const missingRights = async (client: MqttClient, { filters, probe, written }: Needs): Promise<readonly MissingRight[]> => {
  const mark = Math.random().toString(36);
  const closed = new Promise<'closed'>((resolve) => client.once('close', () => resolve('closed')));
  const back = new Map([...written, probe].map((topic) => [topic, Promise.withResolvers<void>()]));
  client.on('message', (topic, payload) => {
    if (payload.toString() === (topic === probe ? mark : '')) back.get(topic)?.resolve();
  });
  const answerTo = async (work: Promise<unknown>): Promise<'accepted' | 'refused' | 'closed' | 'silent'> => {
    const answer = work.then(
      () => 'accepted' as const,
      () => 'refused' as const,
    );
    const found = (await within(systemClock, ANSWER_MS, Promise.race([closed, answer]))) ?? 'silent';
    return found === 'refused' && !client.connected ? 'closed' : found;
  };
  const missing: MissingRight[] = [];
  const awaited: [topic: string, comes: Promise<void>][] = [];
  for (const [topic, { promise }] of back) {
    const granted = await answerTo(client.subscribeAsync(topic === probe ? [...filters, probe] : [topic], { qos: 0 }));
    if (granted === 'closed') return [...missing, { right: 'read', topic, isClosed: true }];
    if (granted === 'refused') missing.push({ right: 'read', topic });
    const published = await answerTo(client.publishAsync(topic, topic === probe ? mark : '', { qos: 1 }));
    // A user without the right to send commands may still read those of others.
    if (topic !== probe && published === 'closed') return [...missing, { right: 'write', topic, isClosed: true }];
    if (topic !== probe && published === 'refused') missing.push({ right: 'write', topic });
    if (granted !== 'refused' && published === 'accepted') awaited.push([topic, promise]);
  }
  const unseen = awaited.map(
    async ([topic, comes]): Promise<MissingRight[]> => ((await answerTo(comes)) === 'silent' ? [{ right: 'read', topic }] : []),
  );
  return [...missing, ...(await Promise.all(unseen)).flat()];
};
