import type { AccountSummary } from '../api/accounts.ts';
import { brokerOptionsOf } from '../brokerOptions.ts';
import type { Settings } from '../config/settings.ts';
import { BrokerClient } from '../mqtt/client.ts';
import { type Clock, MINUTE_MS, wakeLoop } from '../shared/clock.ts';
import type { Log } from '../shared/log.ts';
import { bridgeTopic } from '../topics/topicNames.ts';

/** The pause per account after a check, which takes 0.07 ms per account: starting accounts change often. */
const PAUSE_MS = 20;
/** The minimum interval for values that change with each read. They are rounded to the hour. */
const READS_MS = 3_600_000;
const NOTHING = { text: '', reads: '', atMs: 0 };

/**
 * Publishes `bridge/accounts` (docs/topics.md), retained, on a separate connection. `changed` checks at once;
 * the last reads and their problems, which no event tells, are checked each minute.
 */
export const accountsTopic = (
  settings: Pick<Settings, 'mqtt' | 'supervisor'>,
  list: () => readonly AccountSummary[],
  clock: Clock,
  log: Log,
) => {
  const { will: _, ...options } = brokerOptionsOf(settings);
  const connection = new BrokerClient({ ...options, clientId: `${options.clientId}-accounts` }, clock, log);
  const stopping = new AbortController();
  let last = NOTHING;
  let isConnected = false;

  /** Publishes the list if it has changed. */
  const show = async (): Promise<void> => {
    if (!isConnected) return;
    const accounts = list();
    const text = JSON.stringify(accounts.map((account) => reported(account)));
    const reads = JSON.stringify(accounts.map(({ lastReadMs }) => hourOf(lastReadMs)));
    const atMs = clock.elapsedMs();
    if (text === last.text && (reads === last.reads || atMs - last.atMs < READS_MS)) return;
    last = { text, reads, atMs };
    await publish(JSON.stringify(accounts.map((account) => ({ ...reported(account), last_success: hourOf(account.lastReadMs) }))));
  };

  const publish = async (payload: string): Promise<void> => {
    const topic = bridgeTopic(settings.mqtt.base, 'accounts');
    await connection.publish({ topic, payload, retain: true }).catch(() => {
      last = NOTHING;
    });
  };

  const loop = wakeLoop(clock);
  const look = async (): Promise<number> => {
    await show();
    await clock.sleep(PAUSE_MS * list().length, stopping.signal);
    return MINUTE_MS;
  };

  /** `clear`: there are no additional accounts any more. */
  const stop = async ({ clear = false } = {}): Promise<void> => {
    stopping.abort();
    if (clear && isConnected) await publish('');
    await connection.stop();
  };

  connection.start({
    connected: async () => {
      isConnected = true;
      last = NOTHING;
      loop.wake();
    },
    disconnected: () => {
      isConnected = false;
    },
    message: () => undefined,
    // The other process now publishes the accounts.
    contested: () => {
      const isUnused = !list().some(({ state }) => state === 'running');
      if (isUnused) void stop();
      return isUnused;
    },
  });
  loop.run(stopping.signal, look).catch(() => undefined);
  return { changed: loop.wake, stop, isStopped: (): boolean => stopping.signal.aborted };
};

/** The topic content of an account, without the values that change with each read. */
const reported = ({ name, state, broker, login, loginDueMs, problem }: AccountSummary): object => ({
  ...{ name, state, broker, login, problem },
  login_due: loginDueMs === undefined ? undefined : new Date(loginDueMs).toISOString().slice(0, 10),
});

const hourOf = (ms: number | undefined): string | undefined =>
  ms === undefined ? undefined : `${new Date(ms).toISOString().slice(0, 13)}:00Z`;
