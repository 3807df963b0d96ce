import type { Clock } from '../../../shared/clock.ts';
import type { Log } from '../../../shared/log.ts';
import { type Incoming, sha1 } from '../../../shared/message.ts';
import { shortTopic } from '../../../shared/topicName.ts';
import type { Connection } from '../../ports.ts';

/** Within this time a retained message counts as the copy of one that was executed live. */
const COPY_MS = 10_000;

/** Brokers drop what has no room in their queue (Mosquitto keeps 1,000 messages): where so many come together, there may be more. */
const MANY = 20;
/** Topics that one line of the log names. */
const MOST_NAMED = 5;
const SAYS = {
  executed: ['a command was published retained; its topic was cleared', 'commands were published retained; their topics were cleared'],
  refused: ['a retained command was not executed; its topic was cleared', 'retained commands were not executed; their topics were cleared'],
} as const;

/** What is retained on the broker. */
type Topics = {
  /** Clears a topic on which somebody else has retained something; false where that is under way already. */
  clear(topic: string): boolean;
  /** Resolves when the broker has taken what was published on these topics. */
  taken(topics: readonly string[]): Promise<unknown>;
};

/** A message that was executed live: when it came last, and how often without a retained copy yet. */
type Live = { readonly atMs: number; readonly uncopied: number };

/**
 * Refuses and clears retained commands. MQTT 3.1.1 does not show the retain flag of a live message: the message is executed, and its
 * retained copy arrives after the bridge has subscribed again. Clearing a topic then delivers an empty message to the bridge itself.
 */
export class RetainedCommands {
  readonly #connection: Pick<Connection, 'protocol'>;
  readonly #publisher: Topics;
  readonly #askAgain: (topics: readonly string[]) => void;
  readonly #clock: Clock;
  readonly #log: Log;
  /** By topic and digest; what came last is the last. */
  readonly #lately = new Map<string, Live>();
  /** Topics that are cleared, and how many of their empty messages have not come yet. */
  readonly #echoes = new Map<string, number>();
  /** Topics whose clearing is not in the log yet, with what it says of each. */
  readonly #clearing = new Map<string, keyof typeof SAYS>();
  /** What was cleared on this connection. */
  readonly #cleared = new Set<string>();
  #isLogging = false;

  /** `askAgain` has the broker send once more what is retained beside these topics. */
  constructor(
    connection: Pick<Connection, 'protocol'>,
    publisher: Topics,
    askAgain: (topics: readonly string[]) => void,
    clock: Clock,
    log: Log,
  ) {
    this.#connection = connection;
    this.#publisher = publisher;
    this.#askAgain = askAgain;
    this.#clock = clock;
    this.#log = log;
  }

  /** A message came live, which may have been published retained. */
  live({ topic, payload }: Incoming): void {
    if (this.#knowsRetainFlag) return;
    const key = keyOf(topic, payload);
    const before = this.#recent(key);
    this.#lately.delete(key);
    this.#lately.set(key, { atMs: this.#clock.elapsedMs(), uncopied: (before?.uncopied ?? 0) + 1 });
    for (const [oldest] of this.#lately) {
      if (this.#recent(oldest)) break;
      this.#lately.delete(oldest);
    }
  }

  /** Clears the topic of a retained command; true where the command has to be refused: with MQTT 3.1.1 it may be a copy of what was executed live. */
  clear({ topic, payload }: Incoming): boolean {
    const key = keyOf(topic, payload);
    const live = this.#recent(key);
    // A further copy of it.
    if (live?.uncopied === 0) return false;
    if (live) this.#lately.set(key, { ...live, uncopied: live.uncopied - 1 });
    const isNew = this.#publisher.clear(topic);
    // The empty message is delivered to the bridge too.
    if (isNew && !this.#knowsRetainFlag) this.#echoes.set(topic, (this.#echoes.get(topic) ?? 0) + 1);
    this.#clearing.set(topic, live ? 'executed' : 'refused');
    void this.#logCleared();
    return live === undefined;
  }

  /** MQTT 5 shows the retain flag of live messages, and does not deliver the bridge's own messages to it. */
  get #knowsRetainFlag(): boolean {
    return this.#connection.protocol === '5';
  }

  #recent(key: string): Live | undefined {
    const live = this.#lately.get(key);
    return live && live.atMs > this.#clock.elapsedMs() - COPY_MS ? live : undefined;
  }

  /** True for the empty message by which the bridge cleared the topic. */
  isOwnEcho(topic: string): boolean {
    const left = this.#echoes.get(topic) ?? 0;
    if (left > 1) this.#echoes.set(topic, left - 1);
    else this.#echoes.delete(topic);
    return left > 0;
  }

  /** One line for all topics that are cleared together. */
  async #logCleared(): Promise<void> {
    if (this.#isLogging) return;
    this.#isLogging = true;
    while (this.#clearing.size > 0) {
      const cleared = [...this.#clearing];
      await this.#publisher.taken(cleared.map(([topic]) => topic));
      for (const [topic, what] of cleared) if (this.#clearing.get(topic) === what) this.#clearing.delete(topic);
      for (const what of ['executed', 'refused'] as const) {
        const [topic, ...others] = cleared.filter(([, one]) => one === what).map(([one]) => shortTopic(one));
        const [ofOne, ofMany] = SAYS[what];
        if (topic !== undefined && others.length === 0) this.#log.warn({ topic }, ofOne);
        else if (topic !== undefined) this.#log.warn({ topics: others.length + 1, first: [topic, ...others.slice(0, MOST_NAMED)] }, ofMany);
      }
      // A topic that comes back would do so for ever.
      const fresh = cleared.map(([topic]) => topic).filter((topic) => !this.#cleared.has(topic));
      for (const topic of fresh) this.#cleared.add(topic);
      if (fresh.length >= MANY) this.#askAgain(fresh);
    }
    this.#isLogging = false;
  }

  /** Messages of an earlier connection do not arrive on a new one; what is retained then was not executed. */
  reconnected(): void {
    this.#lately.clear();
    this.#echoes.clear();
    this.#cleared.clear();
  }
}

const keyOf = (topic: string, payload: Uint8Array): string => `${sha1(payload, 'base64')} ${topic}`;
