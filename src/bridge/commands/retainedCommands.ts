import { createHash } from 'node:crypto';
import type { Clock } from '../../shared/clock.ts';
import type { Log } from '../../shared/log.ts';
import type { Incoming } from '../../shared/message.ts';
import type { Connection } from '../ports.ts';
import type { RetainedPublisher } from '../publishing/retainedPublisher.ts';

/** Within this time a retained message counts as the copy of one that was executed live. */
const COPY_MS = 10_000;

type Live = { readonly topic: string; readonly digest: string; readonly atMs: number; copies: number };

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
  readonly #echoes = new Map<string, number>();

  constructor(connection: Pick<Connection, 'protocol'>, publisher: Pick<RetainedPublisher, 'send'>, clock: Clock, log: Log) {
    this.#connection = connection;
    this.#publisher = publisher;
    this.#clock = clock;
    this.#log = log;
  }

  /** A message came live, which may have been published retained. */
  live({ topic, payload }: Incoming): void {
    if (this.#knowsRetainFlag) return;
    const now = this.#clock.elapsedMs();
    const first = this.#lately.findIndex(({ atMs }) => now - atMs < COPY_MS);
    this.#lately = first < 0 ? [] : this.#lately.slice(first);
    this.#lately.push({ topic, digest: digest(payload), atMs: now, copies: 0 });
  }

  /** Clears the topic of a retained command; true where the command has to be refused: with MQTT 3.1.1 it may be a copy of what was executed live. */
  clear(message: Incoming): boolean {
    const { topic } = message;
    const what = this.#knowsRetainFlag ? 'waited' : this.#whatIs(message);
    if (what === 'again') return false;
    // The empty message is delivered to the bridge too.
    if (!this.#knowsRetainFlag) this.#echoes.set(topic, (this.#echoes.get(topic) ?? 0) + 1);
    this.#publisher.send({ topic, payload: '', retain: true });
    if (what === 'executed') this.#log.warn({ topic }, 'a command was published retained; its topic was cleared');
    else this.#log.warn({ topic }, 'a retained command was not executed; its topic was cleared');
    return what === 'waited';
  }

  /** MQTT 5 shows the retain flag of live messages, and does not deliver the bridge's own messages to it. */
  get #knowsRetainFlag(): boolean {
    return this.#connection.protocol === '5';
  }

  /** `waited`: the message was retained before and not executed. `executed`: the first copy of an executed one. `again`: a further copy. */
  #whatIs({ topic, payload }: Incoming): 'waited' | 'executed' | 'again' {
    const oldest = this.#clock.elapsedMs() - COPY_MS;
    const hash = digest(payload);
    const same = this.#lately.filter((live) => live.topic === topic && live.atMs > oldest && live.digest === hash);
    const fresh = same.find(({ copies }) => copies === 0);
    if (fresh) fresh.copies += 1;
    if (fresh) return 'executed';
    return same.length > 0 ? 'again' : 'waited';
  }

  /** True for the empty message by which the bridge cleared the topic. */
  isOwnEcho(topic: string): boolean {
    const echoes = this.#echoes.get(topic) ?? 0;
    if (echoes > 1) this.#echoes.set(topic, echoes - 1);
    else this.#echoes.delete(topic);
    return echoes > 0;
  }

  /** Messages of an earlier connection do not arrive on a new one; what is retained then was not executed. */
  reconnected(): void {
    this.#lately = [];
    this.#echoes.clear();
  }
}

const digest = (payload: Uint8Array): string => createHash('sha1').update(payload).digest('base64');
