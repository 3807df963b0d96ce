import type { Log } from '../../../shared/log.ts';
import type { Outgoing } from '../../../shared/message.ts';
import { shortTopic, topicMistake } from '../../../shared/topicName.ts';
import type { Connection } from '../../ports.ts';
import { digest } from './largeText.ts';
import { LogOnce } from './logOnce.ts';

/** The text of MQTT 5 reason code 135. It concerns all topics of a kind, as dots do: only the first is logged. */
const NOT_AUTHORIZED = /not authorized/iu;
const NO_RIGHT =
  'the broker does not let the bridge publish on this topic; it is not published. Give its user the right to write below mqtt.base and homeassistant.prefix; further such topics have the level debug';
const NO_DOTS =
  'the broker does not accept the "." in this topic, as NATS before 2.10; it is not published and gets no commands. Give the device a name without "." in the settings, or update the broker; further such topics have the level debug';

export type PublishingBroker = Pick<Connection, 'publish' | 'window'> & Partial<Pick<Connection, 'refusesDots'>>;

type Dropped = { readonly hash: string; readonly bytes: number };

/**
 * Messages that the broker rejects: each is logged once and dropped. Most brokers report it. Some close the
 * connection if a message is too long or its topic is invalid. Then all messages in flight are sent again one
 * by one, and the one at which the connection closes again is dropped. Since a line may break twice by
 * chance, a dropped message is retried once, alone, after a connection that ended with nothing in flight.
 */
export const rejectedMessages = (broker: Pick<PublishingBroker, 'refusesDots'>, log: Log) => {
  const logged = new LogOnce();
  /** By topic: in flight when the connection ended, until acknowledged; with the dropped message, if any. */
  const suspects = new Map<string, Dropped | undefined>();

  /** False if some brokers reject this topic, whatever its payload. */
  const takes = (topic: string): boolean => {
    const why = topicMistake(topic);
    if (why === undefined) return true;
    if (logged.isFirst(topic)) log.warn({ topic: shortTopic(topic), why }, 'some brokers reject this topic; it is not published');
    return false;
  };

  /** True if a message on the topic is sent alone because it may close the connection. */
  const isSuspect = (topic: string): boolean => suspects.has(topic);

  /** True if it resembles the dropped one: same retained payload, or an answer at least as long. */
  const isDropped = ({ topic, payload, retain }: Outgoing): boolean => {
    const dropped = suspects.get(topic);
    return dropped !== undefined && (retain ? dropped.hash === digest(payload) : dropped.bytes <= Buffer.byteLength(payload));
  };

  const taken = (topic: string): void => {
    suspects.delete(topic);
    logged.forget(topic);
  };

  /** The broker, or the connection for it, rejects the message. */
  const refused = (message: Outgoing, cause: string): void => {
    suspects.delete(message.topic);
    const ofRights = NOT_AUTHORIZED.test(cause) ? NO_RIGHT : undefined;
    const sentence = broker.refusesDots && message.topic.includes('.') ? NO_DOTS : ofRights;
    if (sentence === undefined) report(message, 'the broker rejected this message', { cause });
    else log[logged.isFirst(cause) ? 'warn' : 'debug']({ topic: shortTopic(message.topic), cause }, sentence);
  };

  /** The connection ended with these messages in flight. */
  const connectionEnded = (messages: readonly Outgoing[]): void => {
    const [first] = messages;
    if (!first) for (const topic of suspects.keys()) suspects.set(topic, undefined);
    else if (messages.length === 1 && isSuspect(first.topic)) {
      suspects.set(first.topic, { hash: digest(first.payload), bytes: Buffer.byteLength(first.payload) });
      report(first, 'the connection ended twice while this message was sent; the broker probably rejects it');
    } else for (const { topic } of messages) suspects.set(topic, suspects.get(topic));
  };

  /** Everything is tried again. */
  const forget = (): void => suspects.clear();

  const report = ({ topic, payload, retain }: Outgoing, what: string, why: { readonly cause?: string } = {}): void => {
    const at = logged.isFirst(topic) ? 'warn' : 'debug';
    const facts = { topic: shortTopic(topic), bytes: Buffer.byteLength(payload), ...why };
    log[at](facts, `${what}; it is not published${retain ? ' until it changes' : ''}`);
  };

  return { takes, isSuspect, isDropped, taken, refused, connectionEnded, forget };
};
