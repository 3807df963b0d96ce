import type { MqttClient } from 'mqtt';
import { systemClock, within } from '../shared/clock.ts';

/** What the bridge does at the broker: filters that it subscribes to, a topic that they match, and topics like those that it publishes. */
export type Needs = { readonly filters: readonly string[]; readonly heard: string; readonly written: readonly string[] };

/** What the user may not do, and on which topic. `isClosed`: the broker ends the connection there, as others do that have a limit for filters or levels. */
export type MissingRight = { readonly right: 'read' | 'write'; readonly topic: string; readonly isClosed?: true };

/** For each answer of the broker, and for what is to come back. */
const ANSWER_MS = 5000;

/**
 * Tries what the user of a new connection may do; undefined where nothing is seen to be missing. Nothing is retained. Some brokers say what they
 * refuse, some end the connection, and some do neither: Mosquitto with an ACL file grants each subscription and forwards nothing.
 */
export const missingRight = async (client: MqttClient, { filters, heard, written }: Needs): Promise<MissingRight | undefined> => {
  const mark = Math.random().toString(36);
  const closed = new Promise<'closed'>((resolve) => client.once('close', () => resolve('closed')));
  const isBack = new Promise<'taken'>((resolve) => {
    client.on('message', (topic, payload) => {
      if (topic === heard && payload.toString() === mark) resolve('taken');
    });
  });
  const answerTo = async (work: Promise<unknown>): Promise<'taken' | 'refused' | 'closed' | 'silent'> => {
    const answer = work.then(
      () => 'taken' as const,
      () => 'refused' as const,
    );
    const found = (await within(systemClock, ANSWER_MS, Promise.race([closed, answer]))) ?? 'silent';
    return found === 'refused' && !client.connected ? 'closed' : found;
  };
  const publish = (topic: string, payload: string) => answerTo(client.publishAsync(topic, payload, { qos: 1 }));
  const missing = (right: 'read' | 'write', topic: string, answer: string): MissingRight | undefined => {
    if (answer === 'closed') return { right, topic, isClosed: true };
    return answer === 'refused' ? { right, topic } : undefined;
  };
  for (const topic of written) {
    const unwritten = missing('write', topic, await publish(topic, ''));
    if (unwritten) return unwritten;
  }
  const unread = missing('read', heard, await answerTo(client.subscribeAsync([...filters, heard], { qos: 0 })));
  if (unread) return unread;
  // A user that may not send commands may all the same read those of others.
  if ((await publish(heard, mark)) !== 'taken') return undefined;
  return (await answerTo(isBack)) === 'silent' ? { right: 'read', topic: heard } : undefined;
};
