import { later, within } from '../shared/clock.ts';
import type { Parts } from './parts.ts';
import type { BridgeStatus } from './publish/status/bridgeStates.ts';

/** Where the platform does not answer, what is known is published after this time all the same. */
export const FIRST_ROUND_MS = 10_000;

const STOP_MS = 3000;
/** To clear some thousand topics takes a busy machine this long. */
const WITHDRAW_MS = 60_000;
/**
 * After a node of a cluster is lost, the others agree within some seconds. A node of NATS was seen to keep an older retained message where it was
 * published meanwhile, although it was acknowledged and delivered: everything is published once more after this time.
 */
const CLUSTER_SETTLED_MS = 20_000;

/** Done at the start, or runs from then on until `stopping` is aborted. */
export type Task = () => unknown;

/**
 * The process between platform and broker, of the parts that compose.ts connects. `tasks` are started in this order; `isAllKnown`: an earlier
 * run has made every read; `authChanged`: the tokens changed their state.
 */
export const makeBridge = (
  { session, publisher, handler, statusPublisher, view, clock, stopping }: Parts,
  tasks: readonly Task[],
  isAllKnown: () => boolean,
  authChanged: () => void,
) => {
  let running: Promise<unknown> = Promise.resolve();

  /** Starts these one after the other; `stop` waits for them. */
  const run = (more: readonly Task[]): void => {
    // A task may call `run` itself.
    const started = more.map((task) => task());
    running = Promise.all([running, ...started]);
  };

  /** False where the broker was lost before it had taken everything. */
  const finish = async (withdraw: boolean): Promise<boolean> => {
    await running;
    await handler.idle();
    if (withdraw) for (const owner of publisher.topics.owners()) publisher.assign(owner, []);
    const isTaken = await publisher.flushed();
    if (!withdraw) await statusPublisher.setCheckpoint();
    return (await session.sayOffline(withdraw)) && isTaken;
  };

  /** Connections to another address than before. */
  let moves = 0;
  return {
    /** For other parts of this process. */
    view,
    isAllKnown,
    /** Before `start`: resolves when commands are heard, or after `mostMs`. What is heard waits for the start. */
    hear: (mostMs: number): Promise<void> => within(clock, mostMs, session.hold()),
    start: (): void => run(tasks),
    run,
    /** The connection stands: subscribes, finds out what the broker still holds, and brings it up to date. `isElsewhere`: at another address than before. */
    connected: (isElsewhere = false): Promise<void> => {
      if (isElsewhere) {
        moves += 1;
        const move = moves;
        publisher.moved();
        later(clock, CLUSTER_SETTLED_MS, stopping.signal, () => move === moves && publisher.showAll());
      }
      return session.connected(publisher.mayHoldTopics());
    },
    disconnected: (): void => session.disconnected(),
    received: session.received,
    /** What an earlier run has left on the broker, where its database was lost: by topic, with its owner. */
    found: (left: ReadonlyMap<string, string>): void => publisher.find(left),
    authChanged,
    status: (): Omit<BridgeStatus, 'stalled_s'> => ({ broker: session.isReady(), ...statusPublisher.status() }),
    /**
     * Ends polling, answers commands under way, says `offline`, with `withdraw` clears everything retained. Takes at most some seconds, with
     * `withdraw` a minute. False where the broker has not taken all of it by then.
     */
    stop: async ({ withdraw = false }: { readonly withdraw?: boolean } = {}): Promise<boolean> => {
      stopping.abort();
      const isTaken = await within(clock, withdraw ? WITHDRAW_MS : STOP_MS, finish(withdraw)).catch(() => undefined);
      // A command that waits must not leave `online` behind; the end of the connection waits for this.
      if (isTaken === undefined) void session.sayOffline(false).catch(() => undefined);
      return isTaken === true;
    },
  };
};

export type Bridge = ReturnType<typeof makeBridge>;
