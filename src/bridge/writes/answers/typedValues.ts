import type { Clock } from '../../../shared/clock.ts';
import { fieldTopicOf } from '../../../topics/topicNames.ts';
import type { CommandResult } from '../request/commandRequest.ts';
import type { Answered } from './answerLog.ts';

/** Long enough for the page of a hub to draw in between. */
const BLANK_MS = 300;

type Publisher = {
  readonly topics: { readonly wanted: { has(topic: string): boolean } };
  /** Publishes a retained topic once more. */
  show(topic: string): void;
  /** Publishes this without the retain flag on a retained topic. */
  interrupt(topic: string, payload: string, onDelivered: () => void): void;
};

/** An envelope, which programs send; of a switch, which hubs put back themselves. */
const UNTYPED_PAYLOAD = /^\s*(?:[[{]|true\s*$|false\s*$)/u;
/** What no entity has as its text: buttons, the end of a temporary write, the week as attributes. */
const UNTYPED_TOPIC = /\/(?:entries|until|waiting)\/set$/u;

/** True where a message has the form in which the entities of hubs write what people typed or chose. */
const isTyped = ({ topic, payload, responseTopic, onAnswer }: Answered, stateTopic: string): boolean =>
  topic === `${stateTopic}/set` &&
  responseTopic === undefined &&
  onAnswer === undefined &&
  !UNTYPED_TOPIC.test(topic) &&
  !UNTYPED_PAYLOAD.test(new TextDecoder().decode(payload));

/** A mode that Home Assistant offers, though the circuits decide about it. */
const OFFERED_TOPIC = /\/water_heater\/mode\/set$/u;

/** Refusals of what no entity sends: what has no command, and what was retained. */
const isUntyped = (code: string | undefined, topic: string): boolean =>
  code === 'retained' || (code === 'not_writable' && !OFFERED_TOPIC.test(topic));

/** A value that was not taken as it was written, while the topic does not change. A rounded one may be the present one. */
const isRefused = ({ status, code, rounded_from: rounded }: CommandResult, topic: string): boolean =>
  ((status === 'rejected' || status === 'failed') && !isUntyped(code, topic)) || (status === 'unchanged' && rounded !== undefined);

/**
 * Shows what a topic has after a write that did not change it. The page of a hub keeps what was typed until its entity changes. So where a
 * typed value is refused, the topic has nothing for a moment, then its value again. A field can be empty: there it has a text for a moment.
 */
export const typedValues =
  (publisher: Publisher, clock: Pick<Clock, 'sleep'>, signal: AbortSignal) =>
  (message: Answered, stateTopic: string, result: CommandResult): void => {
    const field = fieldTopicOf(stateTopic);
    const entity = publisher.topics.wanted.has(field) ? field : stateTopic;
    const goesBack = isRefused(result, message.topic) && isTyped(message, stateTopic) && publisher.topics.wanted.has(entity);
    for (const topic of [stateTopic, field]) if (!goesBack || topic !== entity) publisher.show(topic);
    if (!goesBack) return;
    const showAgain = (): void => publisher.show(entity);
    publisher.interrupt(entity, entity === field ? '…' : '', () => void clock.sleep(BLANK_MS, signal).then(showAgain, showAgain));
  };
