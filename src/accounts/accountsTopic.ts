import type { AccountSummary } from '../api/accounts.ts';
import { brokerOptionsOf } from '../brokerOptions.ts';
import type { Settings } from '../config/settings.ts';
import { BrokerClient } from '../mqtt/client.ts';
import type { Clock } from '../shared/clock.ts';
import type { Log } from '../shared/log.ts';
import { bridgeTopic } from '../topics/topicNames.ts';

const LOOK_MS = 10_000;
/** What changes with each read is published so often at most, to the hour. */
const READS_MS = 3_600_000;
/** Changes within this time for each account are told together: hundreds start one after the other, and each change tells of all. */
const TOGETHER_MS = 10;
const NOTHING = { text: '', reads: '', atMs: 0 };

/** Publishes `bridge/accounts` (docs/topics.md), retained, over a connection of its own, as no account depends on another. */
export class AccountsTopic {
  readonly #topic: string;
  readonly #connection: BrokerClient;
  readonly #list: () => readonly AccountSummary[];
  readonly #clock: Clock;
  readonly #stopping = new AbortController();
  #last = NOTHING;
  #isConnected = false;
  #isChanged = false;

  constructor(settings: Pick<Settings, 'mqtt' | 'supervisor'>, list: () => readonly AccountSummary[], clock: Clock, log: Log) {
    const { will: _, ...options } = brokerOptionsOf(settings);
    this.#topic = bridgeTopic(settings.mqtt.base, 'accounts');
    this.#connection = new BrokerClient({ ...options, clientId: `${options.clientId}-accounts` }, clock, log);
    this.#list = list;
    this.#clock = clock;
  }

  start(): void {
    this.#connection.start({
      connected: async () => {
        this.#isConnected = true;
        this.#last = NOTHING;
        await this.show();
      },
      disconnected: () => {
        this.#isConnected = false;
      },
      message: () => undefined,
      // The process that serves the accounts now tells of them.
      contested: () => {
        const isUnused = !this.#list().some(({ state }) => state === 'running');
        if (isUnused) void this.stop();
        return isUnused;
      },
    });
    this.#look().catch(() => undefined);
  }

  get isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** An account has changed. */
  changed(): void {
    if (this.#isChanged) return;
    this.#isChanged = true;
    const show = async (): Promise<void> => {
      await this.#clock.sleep(TOGETHER_MS * this.#list().length, this.#stopping.signal);
      this.#isChanged = false;
      await this.show();
    };
    show().catch(() => undefined);
  }

  /** Publishes the list where it has changed. */
  async show(): Promise<void> {
    if (!this.#isConnected) return;
    const accounts = this.#list();
    const text = JSON.stringify(accounts.map((account) => reported(account)));
    const reads = JSON.stringify(accounts.map(({ lastReadMs }) => hourOf(lastReadMs)));
    const atMs = this.#clock.elapsedMs();
    if (text === this.#last.text && (reads === this.#last.reads || atMs - this.#last.atMs < READS_MS)) return;
    this.#last = { text, reads, atMs };
    await this.#publish(JSON.stringify(accounts.map((account) => ({ ...reported(account), last_success: hourOf(account.lastReadMs) }))));
  }

  /** `clear`: there are no further accounts any more. */
  async stop({ clear = false } = {}): Promise<void> {
    this.#stopping.abort();
    if (clear && this.#isConnected) await this.#publish('');
    await this.#connection.stop();
  }

  async #publish(payload: string): Promise<void> {
    await this.#connection.publish({ topic: this.#topic, payload, retain: true }).catch(() => {
      this.#last = NOTHING;
    });
  }

  async #look(): Promise<never> {
    for (;;) {
      await this.#clock.sleep(LOOK_MS, this.#stopping.signal);
      await this.show();
    }
  }
}

/** An account as the topic tells of it, without what changes with each read. */
const reported = ({ name, state, broker, login, loginDueMs, problem }: AccountSummary): object => ({
  ...{ name, state, broker, login, problem },
  login_due: loginDueMs === undefined ? undefined : new Date(loginDueMs).toISOString().slice(0, 10),
});

const hourOf = (ms: number | undefined): string | undefined =>
  ms === undefined ? undefined : `${new Date(ms).toISOString().slice(0, 13)}:00Z`;
