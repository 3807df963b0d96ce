import type { Clock } from '../../../shared/clock.ts';
import { fieldTopicOf } from '../../../topics/topicNames.ts';
import type { CommandResult } from '../request/commandRequest.ts';
import type { AnsweredMessage } from './answerLog.ts';

/** Long enough for a hub's page to redraw in between. */
const BLANK_MS = 300;

type Publisher = {
  readonly topics: { readonly wanted: { has(topic: string): boolean } };
  /** Publishes a retained topic once more. */
  show(topic: string): void;
  /** Publishes a payload without the retain flag on a retained topic. */
  interrupt(topic: string, payload: string, onDelivered: () => void): void;
};

/** Payloads that no person types: envelopes of programs, and switch values, which hubs reset themselves. */
const UNTYPED_PAYLOAD = /^\s*(?:[[{]|true\s*$|false\s*$)/u;
/** Topics without a text entity: buttons, the end of a temporary write, the week as attributes. */
const UNTYPED_TOPIC = /\/(?:entries|until|waiting)\/set$/u;

/** True where a message has the form in which a hub's entity sends typed text or a choice. */
const isTyped = ({ topic, payload, responseTopic, onAnswer }: AnsweredMessage, stateTopic: string): boolean =>
  topic === `${stateTopic}/set` &&
  responseTopic === undefined &&
  onAnswer === undefined &&
  !UNTYPED_TOPIC.test(topic) &&
  !UNTYPED_PAYLOAD.test(new TextDecoder().decode(payload));

/** A mode that Home Assistant offers although the circuits decide it. */
const OFFERED_TOPIC = /\/water_heater\/mode\/set$/u;

/** Refusals that no entity causes: no command exists, or the message was retained. */
const isUntyped = (code: string | undefined, topic: string): boolean =>
  code === 'retained' || (code === 'not_writable' && !OFFERED_TOPIC.test(topic));

/** The value was not taken, so the topic does not change. A rounded value may equal the present one. */
const isRefused = ({ status, code, rounded_from: rounded }: CommandResult, topic: string): boolean =>
  ((status === 'rejected' || status === 'failed') && !isUntyped(code, topic)) || (status === 'unchanged' && rounded !== undefined);

/**
 * Shows a topic's value again after a write that did not change it: a hub's page keeps typed text until its
 * entity changes. After a refused typed value the topic is blank for a moment, then has its value again. A
 * field topic can be empty: it shows `…` for that moment.
 */
export const typedValues =
  (publisher: Publisher, clock: Pick<Clock, 'sleep'>, signal: AbortSignal) =>
  (message: AnsweredMessage, stateTopic: string, result: CommandResult): void => {
    const field = fieldTopicOf(stateTopic);
    const entity = publisher.topics.wanted.has(field) ? field : stateTopic;
    const goesBack = isRefused(result, message.topic) && isTyped(message, stateTopic) && publisher.topics.wanted.has(entity);
    for (const topic of [stateTopic, field]) if (!goesBack || topic !== entity) publisher.show(topic);
    if (!goesBack) return;
    const showAgain = (): void => publisher.show(entity);
    publisher.interrupt(entity, entity === field ? '…' : '', () => void clock.sleep(BLANK_MS, signal).then(showAgain, showAgain));
  };
