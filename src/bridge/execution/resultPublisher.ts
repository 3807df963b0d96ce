import type { Clock } from '../../shared/clock.ts';
import type { Log } from '../../shared/log.ts';
import { shortTopic, topicMistake } from '../../shared/topicName.ts';
import { readId } from '../../topics/commandPayload.ts';
import { type Answer, resultMessages, type Status } from '../../topics/resultPayload.ts';
import { bridgeTopic, deviceTopic, filterOf } from '../../topics/topicNames.ts';
import type { Whom } from '../commands/command.ts';
import type { Told, Write } from '../commands/evaluate.ts';
import type { Refusal } from '../commands/rejection.ts';
import type { Incoming, Outgoing } from '../ports.ts';
import type { RetainedPublisher } from '../publishing/retainedPublisher.ts';

/** Everything of an answer but what is the same for all answers to one message. */
export type Said = Omit<Answer, 'topic' | 'at' | 'status'> & { readonly status: Status };

/** What an answer says of a write; without a command where none could be chosen. */
export type About = Pick<Write, 'envelope'> & Partial<Pick<Write, 'feature' | 'command' | 'untilMs'>> & { readonly told?: Told };

/** After these the topic that was written to shows what was wished, or nothing was to change. */
const SHOWN_BY: ReadonlySet<Status> = new Set(['applied', 'accepted', 'valid']);

/** After these the write ends by itself, where it has an end. */
const ENDS: ReadonlySet<Status> = new Set(['accepted', 'applied', 'unconfirmed', 'valid']);

/** Answers messages: on the result topics, and with MQTT 5 where the sender asked for it. */
export class Answers {
  /** How often each status was given. */
  readonly counts: Record<string, number> = {};
  readonly #base: string;
  readonly #publisher: RetainedPublisher;
  readonly #clock: Clock;
  readonly #log: Log;

  constructor(base: string, publisher: RetainedPublisher, clock: Clock, log: Log) {
    this.#base = base;
    this.#publisher = publisher;
    this.#clock = clock;
    this.#log = log;
  }

  /** Answers a message for a feature; `heard` as for `give`. After one that ended other than `applied` the present value is shown once more (CONTRACT §2.1). */
  answer(message: Incoming, { state, device, feature, shows, heed }: Whom, said: Said, write?: About, heard?: () => void): void {
    if (heed?.(said) === false) {
      heard?.();
      return;
    }
    if (shows !== undefined && !SHOWN_BY.has(said.status)) this.#publisher.show(shows);
    const id = write?.envelope.id ?? readId(message.payload);
    const about = {
      ...(id === undefined ? {} : { id }),
      ...(device === undefined ? {} : { device }),
      ...(feature === undefined ? {} : { feature }),
      ...(write?.feature === undefined ? {} : { feature: write.feature }),
      ...(write?.command === undefined ? {} : { command: write.command }),
      ...(write?.untilMs !== undefined && ENDS.has(said.status) ? { until: new Date(write.untilMs).toISOString() } : {}),
      ...write?.told,
    };
    this.give(message, { ...about, ...said }, state !== undefined, heard);
  }

  refuse(message: Incoming, whom: Whom, refusal: Refusal, write?: About): void {
    this.answer(message, whom, { status: 'rejected', ...refusal }, write);
  }

  /** `known`: the device is one of ours; answers that belong to none go to `bridge/result`. `heard` is told when the broker has the answer, everywhere where it goes. */
  give(message: Incoming, said: Said, known: boolean, heard?: () => void): void {
    const { id, device, feature, command, ...rest } = said;
    const answer: Answer = {
      ...(id === undefined ? {} : { id }),
      ...(device === undefined ? {} : { device }),
      ...(feature === undefined ? {} : { feature }),
      topic: message.topic,
      ...(command === undefined ? {} : { command }),
      ...rest,
      at: new Date(this.#clock.now()).toISOString(),
    };
    this.counts[said.status] = (this.counts[said.status] ?? 0) + 1;
    const messages: Outgoing[] = resultMessages(this.#base, answer, known);
    const { responseTopic: topic, correlationData } = message;
    if (topic !== undefined && this.#mayAnswerOn(topic, device))
      messages.push({ topic, payload: JSON.stringify(answer), retain: false, ...(correlationData ? { correlationData } : {}) });
    const isInterim = said.status === 'accepted';
    let open = messages.length;
    const oneHeard = (): void => {
      open -= 1;
      if (open === 0) heard?.();
    };
    for (const one of messages) this.#publisher.send(one, { heard: oneHeard, isInterim });
  }

  /** Not where the answer goes anyway (below the device or the bridge), nowhere that is read as a command or shows a state, and nothing that is no topic. */
  #mayAnswerOn(topic: string, device: string | undefined): boolean {
    const mistake = topicMistake(topic);
    if (mistake !== undefined) {
      // Whoever may write on the broker could fill the log with it.
      this.#log.debug({ topic: shortTopic(topic), why: mistake }, 'no answer on this response topic; the result topics have it');
      return false;
    }
    if (topic.startsWith('$')) return false;
    const own = [bridgeTopic(this.#base, ''), ...(device === undefined ? [] : [deviceTopic(this.#base, device, '')])];
    if (own.some((prefix) => topic.startsWith(prefix)) || this.#publisher.isWanted(topic)) return false;
    return !topic.startsWith(`${this.#base}/`) || filterOf(this.#base, topic) === undefined;
  }
}
