import { createHash } from 'node:crypto';
import type { Clock } from '../../shared/clock.ts';
import type { Log } from '../../shared/log.ts';
import type { Connection, Incoming } from '../ports.ts';
import type { RetainedPublisher } from '../publishing/retainedPublisher.ts';

/** So long a retained copy of what was just executed is known for what it is. */
const COPY_MS = 10_000;

type Live = { readonly topic: string; readonly digest: string; readonly atMs: number; copies: number };

/**
 * Tells what a retained message is. With MQTT 3.1.1 the flag of a live message is not seen: it is executed, and its retained copy comes
 * a moment later, when the bridge has asked the broker for it. What the bridge clears comes back to it as an empty message.
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
    // An empty message of the bridge's own will come back.
    if (!this.#knowsRetainFlag) this.#echoes.set(topic, (this.#echoes.get(topic) ?? 0) + 1);
    this.#publisher.send({ topic, payload: '', retain: true });
    if (what === 'executed') this.#log.warn({ topic }, 'a command was published retained; its topic was cleared');
    else this.#log.warn({ topic }, 'a retained command was not executed; its topic was cleared');
    return what === 'waited';
  }

  /** With MQTT 5 the retain flag of live messages is seen, and our own messages do not come back. */
  get #knowsRetainFlag(): boolean {
    return this.#connection.protocol === '5';
  }

  /** `waited`: it was there before, so it was not executed. `executed`: a copy of what was. `again`: a further copy of that. */
  #whatIs({ topic, payload }: Incoming): 'waited' | 'executed' | 'again' {
    const oldest = this.#clock.elapsedMs() - COPY_MS;
    const hash = digest(payload);
    const same = this.#lately.filter((live) => live.topic === topic && live.atMs > oldest && live.digest === hash);
    const fresh = same.find(({ copies }) => copies === 0);
    if (fresh) fresh.copies += 1;
    if (fresh) return 'executed';
    return same.length > 0 ? 'again' : 'waited';
  }

  /** True for the empty message that comes back of what the bridge cleared. */
  isOwnEcho(topic: string): boolean {
    const echoes = this.#echoes.get(topic) ?? 0;
    if (echoes > 1) this.#echoes.set(topic, echoes - 1);
    else this.#echoes.delete(topic);
    return echoes > 0;
  }

  /** What belonged to an earlier connection does not come on a new one; what is retained then, waited. */
  reconnected(): void {
    this.#lately = [];
    this.#echoes.clear();
  }
}

const digest = (payload: Uint8Array): string => createHash('sha1').update(payload).digest('base64');
