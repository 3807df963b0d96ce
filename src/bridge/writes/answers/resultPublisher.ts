import { EventEmitter } from 'node:events';
import { germanAnswerRule } from '../../../language/answers/answerRulesDe.ts';
import { type AnswerFacts, germanAnswer } from '../../../language/answers/answersDe.ts';
import type { Language } from '../../../language/language.ts';
import type { Clock } from '../../../shared/clock.ts';
import type { Log } from '../../../shared/log.ts';
import type { Outgoing, SendOptions } from '../../../shared/message.ts';
import { shortTopic, topicMistake } from '../../../shared/topicName.ts';
import { type Answer, resultTopics, type Status } from '../../../topics/resultPayload.ts';
import { bridgeTopic, deviceTopic, filterOf } from '../../../topics/topicNames.ts';
import type { ReplyAddress } from '../request/commandRequest.ts';
import { type AnsweredMessage, answerLog } from './answerLog.ts';
import { typedValues } from './typedValues.ts';

/** Publishes to the broker. */
type Publisher = Parameters<typeof typedValues>[0] & {
  send(message: Outgoing, options: Required<SendOptions>): void;
  /** False where a rejection has no room in the queue. */
  takesRejection(): boolean;
};

/** The final answers to stored writes that the broker gets at a time. A flood leaves thousands. */
const MOST_KEPT = 150;

/** With these results the topic shows the written value, or nothing was to be changed. */
const SHOWN_BY: ReadonlySet<Status> = new Set(['applied', 'accepted', 'waiting', 'valid']);

/**
 * Publishes results on the result topics, and with MQTT 5 on the response topic if given. Sentences are in
 * the language of the settings; in the log and for the page, which has its own words, in English.
 */
export const resultPublisher = (base: string, publisher: Publisher, clock: Clock, log: Log, language: Language, signal: AbortSignal) => {
  const events = new EventEmitter<{ answer: [answer: Answer, published: Answer] }>();
  /** Number of published results by status. */
  const counts: Record<string, number> = {};
  const logged = answerLog(clock, log);
  const showAgain = typedValues(publisher, clock, signal);
  /** Final answers to stored writes: the number without an acknowledgement, and those that wait for one. */
  let open = 0;
  const held = new Set<() => void>();

  /**
   * The reply address of a message; for an unknown device it is `bridge/result`. `onDelivered`: the broker
   * has the result on every topic. `mayDrop`: no write is stored yet. Some results show the present value
   * again (docs/errors.md).
   */
  const replyTo =
    (message: AnsweredMessage, mayDrop = (): boolean => false): ReplyAddress =>
    (target, result, onDelivered) => {
      const { state, stateTopic } = target;
      const isInterim = result.status === 'accepted' || result.status === 'waiting';
      const isDroppable = mayDrop();
      const isKept = onDelivered !== undefined && !isInterim && !isDroppable && !message.onAnswer;
      if (isKept && open >= MOST_KEPT) {
        held.add(() => replyTo(message)(target, result, onDelivered));
        return;
      }
      if (stateTopic !== undefined && !SHOWN_BY.has(result.status)) showAgain(message, stateTopic, result);
      const known = state !== undefined;
      counts[result.status] = (counts[result.status] ?? 0) + 1;
      const isRejection = result.status === 'rejected' && isDroppable;
      if (isRejection && !message.onAnswer && !publisher.takesRejection()) {
        onDelivered?.();
        return;
      }
      const { id, device, feature, command, facts, ...rest } = result;
      const at = new Date(clock.now()).toISOString();
      const answer: Answer = { id, device, feature, topic: message.topic, command, ...rest, at };
      logged.add(answer, message, known);
      const published = language === 'de' ? { ...answer, ...germanWords(answer, facts) } : answer;
      const payload = JSON.stringify(published);
      const messages: Outgoing[] = resultTopics(base, published, known).map((topic) => ({ topic, payload, retain: false }));
      const { responseTopic: topic, correlationData } = message;
      if (topic !== undefined && mayAnswerOn(topic, device))
        messages.push({ topic, payload, retain: false, ...(correlationData ? { correlationData } : {}) });
      let left = messages.length;
      const oneDelivered = (): void => {
        left -= 1;
        if (left > 0) return;
        onDelivered?.();
        if (!isKept) return;
        open -= 1;
        const [next] = held;
        if (next && held.delete(next)) next();
      };
      if (isKept) open += 1;
      for (const one of messages) publisher.send(one, { onDelivered: oneDelivered, isInterim, isRejection, isKept });
      message.onAnswer?.(answer);
      events.emit('answer', answer, published);
    };

  /** False for invalid topics, and for topics of the device, of the bridge and of commands. */
  const mayAnswerOn = (topic: string, device: string | undefined): boolean => {
    const mistake = topicMistake(topic);
    if (mistake !== undefined) {
      // Any MQTT client could fill the log with it.
      log.debug({ topic: shortTopic(topic), why: mistake }, 'this response topic gets no answer; the answer is on the result topics');
      return false;
    }
    if (topic.startsWith('$')) return false;
    const own = [bridgeTopic(base, ''), ...(device === undefined ? [] : [deviceTopic(base, device, '')])];
    if (own.some((prefix) => topic.startsWith(prefix)) || publisher.topics.wanted.has(topic)) return false;
    return !topic.startsWith(`${base}/`) || filterOf(base, topic) === undefined;
  };

  return Object.assign(events, { counts, replyTo });
};

export type ResultPublisher = ReturnType<typeof resultPublisher>;

/** The sentences of an answer in German. */
const germanWords = (answer: Answer, facts: AnswerFacts | undefined): Pick<Answer, 'message' | 'errors'> => ({
  message: germanAnswer(answer, facts) ?? answer.message,
  errors: answer.errors?.map((issue) => ({ ...issue, message: germanAnswerRule(issue) })),
});
