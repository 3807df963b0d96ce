import { later, within } from '../shared/clock.ts';
import type { Parts } from './parts.ts';
import type { BridgeStatus } from './publish/status/bridgeStates.ts';

/** If the platform does not answer, the known data is published after this time anyway. */
export const FIRST_ROUND_MS = 10_000;

const STOP_MS = 3000;
/** A busy machine needs this long to clear some thousand topics. */
const WITHDRAW_MS = 60_000;
/**
 * After a cluster loses a node, the others agree within some seconds. A NATS node kept an older retained
 * message although a newer one was acknowledged: everything is published again after this time.
 */
const CLUSTER_SETTLED_MS = 20_000;

/** Done at the start, or runs from then until `stopping` is aborted. */
export type Task = () => unknown;

/**
 * The process between platform and broker, built from the parts that compose.ts connects. `tasks` start in
 * this order; `isAllKnown`: an earlier run made every read; `authChanged`: the token state changed.
 */
export const makeBridge = (
  { session, publisher, handler, statusPublisher, view, clock, stopping }: Parts,
  tasks: readonly Task[],
  isAllKnown: () => boolean,
  authChanged: () => void,
) => {
  let running: Promise<unknown> = Promise.resolve();

  /** Starts these tasks in order; `stop` waits for them. */
  const run = (more: readonly Task[]): void => {
    // A task may itself call `run`.
    const started = more.map((task) => task());
    running = Promise.all([running, ...started]);
  };

  /** False if the broker was lost before it had acknowledged everything. */
  const finish = async (withdraw: boolean): Promise<boolean> => {
    await running;
    await handler.idle();
    if (withdraw) for (const owner of publisher.topics.owners()) publisher.assign(owner, []);
    const isTaken = await publisher.flushed();
    if (!withdraw) await statusPublisher.setCheckpoint();
    return (await session.sayOffline(withdraw)) && isTaken;
  };

  /** The number of connections to a different address than before. */
  let moves = 0;
  return {
    /** For other parts of this process. */
    view,
    isAllKnown,
    /** Before `start`: resolves when commands are received, or after `mostMs`. Commands wait for `start`. */
    hear: (mostMs: number): Promise<void> => within(clock, mostMs, session.hold()),
    start: (): void => run(tasks),
    run,
    /** Connected: subscribes and synchronizes the broker. `isElsewhere`: the address differs from before. */
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
    /** Topics of an earlier run on the broker, for a lost database: by topic, with the owner. */
    found: (left: ReadonlyMap<string, string>): void => publisher.find(left),
    authChanged,
    status: (): Omit<BridgeStatus, 'stalled_s'> => ({ broker: session.isReady(), ...statusPublisher.status() }),
    /**
     * Stops polling, answers running commands, publishes `offline`; `withdraw` clears all retained topics.
     * Takes some seconds, with `withdraw` up to a minute. False if not everything is acknowledged by then.
     */
    stop: async ({ withdraw = false }: { readonly withdraw?: boolean } = {}): Promise<boolean> => {
      stopping.abort();
      const isTaken = await within(clock, withdraw ? WITHDRAW_MS : STOP_MS, finish(withdraw)).catch(() => undefined);
      // A waiting command must not leave `online` on the broker; the disconnect waits for this.
      if (isTaken === undefined) void session.sayOffline(false).catch(() => undefined);
      return isTaken === true;
    },
  };
};

export type Bridge = ReturnType<typeof makeBridge>;
