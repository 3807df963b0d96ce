import type { Log } from '../../../shared/log.ts';
import type { Outgoing } from '../../../shared/message.ts';
import { shortTopic, topicMistake } from '../../../shared/topicName.ts';
import { digest } from './largeText.ts';
import { LogOnce } from './logOnce.ts';

/** The reason 135 of MQTT 5. */
const NO_RIGHT = /not authorized/iu;

type Dropped = { readonly hash: string; readonly bytes: number };

/**
 * Messages that the broker does not take: each is logged once and dropped. Most brokers say so. Some end the connection instead, where a
 * message is too long for them or its topic is none that they take: then everything that was under way is sent once more, one message after
 * the other, and the one at which the connection ends again is dropped. As a line may break twice by chance, what was dropped is sent once
 * more, alone, after a connection that ended with nothing under way.
 */
export const rejectedMessages = (log: Log) => {
  const logged = new LogOnce();
  /** By topic: what was under way when the connection ended, until a message there is acknowledged; with the message that was dropped. */
  const suspects = new Map<string, Dropped | undefined>();

  /** False where not every broker takes the topic, whatever is published there. */
  const takes = (topic: string): boolean => {
    const why = topicMistake(topic);
    if (why === undefined) return true;
    if (logged.isFirst(topic)) log.warn({ topic: shortTopic(topic), why }, 'not every broker takes this topic; it is left out');
    return false;
  };

  /** True where a message on the topic goes out alone, since the connection may end at it. */
  const isSuspect = (topic: string): boolean => suspects.has(topic);

  /** True for a message like the one that was dropped: with the same retained payload, or an answer that is no shorter, as no two are equal. */
  const isDropped = ({ topic, payload, retain }: Outgoing): boolean => {
    const dropped = suspects.get(topic);
    return dropped !== undefined && (retain ? dropped.hash === digest(payload) : dropped.bytes <= Buffer.byteLength(payload));
  };

  const taken = (topic: string): void => {
    suspects.delete(topic);
    logged.forget(topic);
  };

  /** The broker says that it does not take the message. */
  const refused = (message: Outgoing, cause: string): void => {
    suspects.delete(message.topic);
    if (NO_RIGHT.test(cause)) unallowed(message.topic, cause);
    else report(message, 'the broker does not take this message', { cause });
  };

  /** The connection ended with these messages under way. */
  const connectionEnded = (messages: readonly Outgoing[]): void => {
    const [first] = messages;
    if (!first) for (const topic of suspects.keys()) suspects.set(topic, undefined);
    else if (messages.length === 1 && isSuspect(first.topic)) {
      suspects.set(first.topic, { hash: digest(first.payload), bytes: Buffer.byteLength(first.payload) });
      report(first, 'the connection ended twice with this message under way, as if the broker did not take it');
    } else for (const { topic } of messages) suspects.set(topic, suspects.get(topic));
  };

  /** Everything is tried again. */
  const forget = (): void => suspects.clear();

  /** One missing right concerns all topics of a kind: the first of them is logged, of many devices. */
  const unallowed = (topic: string, cause: string): void => {
    const at = logged.isFirst(cause) ? 'warn' : 'debug';
    log[at](
      { topic: shortTopic(topic), cause },
      'the broker does not let the bridge publish on this topic; it is left out. Give its user the right to write below mqtt.base and homeassistant.prefix; further such topics have the level debug',
    );
  };

  const report = ({ topic, payload, retain }: Outgoing, what: string, why: { readonly cause?: string } = {}): void => {
    const at = logged.isFirst(topic) ? 'warn' : 'debug';
    const facts = { topic: shortTopic(topic), bytes: Buffer.byteLength(payload), ...why };
    log[at](facts, `${what}; it is left out${retain ? ' until it changes' : ''}`);
  };

  return { takes, isSuspect, isDropped, taken, refused, connectionEnded, forget };
};
