import type { Clock } from '../shared/clock.ts';
import type { Incoming } from '../shared/message.ts';
import type { CommandHandler } from './execution/commandHandler.ts';
import type { PlatformAccess } from './polling/platformAccess.ts';
import type { BridgeStatus } from './polling/pollStatistics.ts';
import type { MqttSession } from './publishing/mqttSession.ts';
import type { RetainedPublisher } from './publishing/retainedPublisher.ts';
import type { StatusPublisher } from './status/statusPublisher.ts';

const STOP_MS = 3000;

/** Done at the start, or runs from then on until `stopping` is aborted. */
export type Task = () => unknown;

export type BridgeParts = {
  readonly session: MqttSession;
  readonly publisher: RetainedPublisher;
  readonly handler: CommandHandler;
  readonly access: PlatformAccess;
  readonly statusPublisher: StatusPublisher;
  readonly clock: Clock;
  /** Aborted by `stop`. */
  readonly stopping: AbortController;
  /** Started in this order. */
  readonly tasks: readonly Task[];
};

/** The process between platform and broker; compose.ts creates it and everything that it runs. */
export class Bridge {
  readonly #parts: BridgeParts;
  #running: Promise<unknown> = Promise.resolve();

  constructor(parts: BridgeParts) {
    this.#parts = parts;
  }

  start(): void {
    this.run(this.#parts.tasks);
  }

  /** Starts these one after the other; `stop` waits for them. */
  run(tasks: readonly Task[]): void {
    // A task may call `run` itself.
    const started = tasks.map((task) => task());
    this.#running = Promise.all([this.#running, ...started]);
  }

  /** The connection stands: subscribes, finds out what the broker still holds, and brings it up to date. */
  connected(): Promise<void> {
    const { session, publisher } = this.#parts;
    return session.connected(publisher.mayHoldTopics);
  }

  disconnected(): void {
    this.#parts.session.disconnected();
  }

  received(message: Incoming): void {
    this.#parts.session.received(message);
  }

  /** What an earlier run has left on the broker, where its database was lost: by topic, with its owner. */
  found(left: ReadonlyMap<string, string>): void {
    this.#parts.publisher.find(left);
  }

  /** The tokens changed their state. */
  authChanged(): void {
    this.#parts.access.tokensChanged();
  }

  status(): BridgeStatus {
    const { session, statusPublisher } = this.#parts;
    return { broker: session.isReady, ...statusPublisher.status() };
  }

  /** Ends polling, answers commands under way, says `offline`, with `withdraw` clears everything retained. Takes at most some seconds. */
  async stop({ withdraw = false }: { readonly withdraw?: boolean } = {}): Promise<void> {
    const { clock, stopping } = this.#parts;
    const ended = new AbortController();
    stopping.abort();
    const enough = clock.sleep(STOP_MS, ended.signal).catch(() => undefined);
    await Promise.race([this.#farewell(withdraw).catch(() => undefined), enough]);
    ended.abort();
  }

  async #farewell(withdraw: boolean): Promise<void> {
    const { session, publisher, handler, statusPublisher } = this.#parts;
    await this.#running;
    await handler.idle();
    if (withdraw) for (const owner of publisher.topics.owners()) publisher.assign(owner, []);
    await publisher.flushed();
    if (!withdraw) await statusPublisher.seal();
    await session.farewell(withdraw);
  }
}
