import type { Clock } from '../../shared/clock.ts';
import type { Log } from '../../shared/log.ts';
import { type Incoming, sha1 } from '../../shared/message.ts';
import type { Connection } from '../ports.ts';
import type { RetainedPublisher } from '../publishing/retainedPublisher.ts';

/** Within this time a retained message counts as the copy of one that was executed live. */
const COPY_MS = 10_000;

type Live = { readonly topic: string; readonly digest: string; readonly atMs: number; isCopied: boolean };

/**
 * Refuses and clears retained commands. MQTT 3.1.1 does not show the retain flag of a live message: the message is executed, and its
 * retained copy arrives after the bridge has subscribed again. Clearing a topic then delivers an empty message to the bridge itself.
 */
export class RetainedCommands {
  readonly #connection: Pick<Connection, 'protocol'>;
  readonly #publisher: Pick<RetainedPublisher, 'send'>;
  readonly #clock: Clock;
  readonly #log: Log;
  #lately: Live[] = [];
  /** Topics that were cleared, and whose empty messages have not come yet. */
  #echoes: string[] = [];

  constructor(connection: Pick<Connection, 'protocol'>, publisher: Pick<RetainedPublisher, 'send'>, clock: Clock, log: Log) {
    this.#connection = connection;
    this.#publisher = publisher;
    this.#clock = clock;
    this.#log = log;
  }

  /** A message came live, which may have been published retained. */
  live({ topic, payload }: Incoming): void {
    if (this.#knowsRetainFlag) return;
    const live = { topic, digest: digest(payload), atMs: this.#clock.elapsedMs(), isCopied: false };
    this.#lately = [...this.#recent(), live];
  }

  /** Clears the topic of a retained command; true where the command has to be refused: with MQTT 3.1.1 it may be a copy of what was executed live. */
  clear({ topic, payload }: Incoming): boolean {
    const hash = digest(payload);
    const executed = this.#recent().filter((live) => live.topic === topic && live.digest === hash);
    const original = executed.find(({ isCopied }) => !isCopied);
    // A further copy of it.
    if (executed.length > 0 && !original) return false;
    if (original) original.isCopied = true;
    // The empty message is delivered to the bridge too.
    if (!this.#knowsRetainFlag) this.#echoes.push(topic);
    this.#publisher.send({ topic, payload: '', retain: true });
    if (original) this.#log.warn({ topic }, 'a command was published retained; its topic was cleared');
    else this.#log.warn({ topic }, 'a retained command was not executed; its topic was cleared');
    return original === undefined;
  }

  /** MQTT 5 shows the retain flag of live messages, and does not deliver the bridge's own messages to it. */
  get #knowsRetainFlag(): boolean {
    return this.#connection.protocol === '5';
  }

  #recent(): Live[] {
    const oldest = this.#clock.elapsedMs() - COPY_MS;
    return this.#lately.filter(({ atMs }) => atMs > oldest);
  }

  /** True for the empty message by which the bridge cleared the topic. */
  isOwnEcho(topic: string): boolean {
    const index = this.#echoes.indexOf(topic);
    if (index >= 0) this.#echoes.splice(index, 1);
    return index >= 0;
  }

  /** Messages of an earlier connection do not arrive on a new one; what is retained then was not executed. */
  reconnected(): void {
    this.#lately = [];
    this.#echoes = [];
  }
}

const digest = (payload: Uint8Array): string => sha1(payload, 'base64');
