import type { Bridge } from '../../../src/bridge/bridge.ts';
import { createBridge } from '../../../src/bridge/compose.ts';
import type { Platform } from '../../../src/bridge/ports.ts';
import { orphanedTopics } from '../../../src/bridge/publish/devices/orphanedTopics.ts';
import { type RateLimiter, rateLimiter } from '../../../src/bridge/reads/rateLimiter.ts';
import type { Clock } from '../../../src/shared/clock.ts';
import type { Outgoing } from '../../../src/shared/message.ts';
import type { Storage } from '../../../src/storage/storage.ts';
import { memoryBroker } from '../network/memoryBroker.ts';
import { KeptInMemory, SETTINGS, switchable } from '../system/keptInMemory.ts';
import { quickMemoryUsage } from '../time/quickMemoryUsage.ts';
import { type VirtualTime, virtualTime } from '../time/virtualTime.ts';
import { KeptOnDisk } from './keptOnDisk.ts';
import { SchedulePlatform, WEEKLY } from './schedulePlatform.ts';
import type { ShownWeek } from './weeks.ts';
import { isTerminal, type Result } from './writing.ts';

export const S = 'heating2mqtt/home/heating/circuits/0/heating/schedule';
const RESULTS: ReadonlySet<string> = new Set(['heating2mqtt/home/result', 'heating2mqtt/bridge/result']);
const DEVICE = { name: 'home', installation: '1', gateway: '757', device: '0', features: [WEEKLY], exclude: [] };

export type WorldOptions = {
  readonly week: ShownWeek;
  readonly lagMs?: number;
  readonly postMs?: number;
  readonly settle_ms?: number;
  readonly per_hour?: number;
  /** Calls that ten minutes allow. */
  readonly per_10_minutes?: number;
  readonly per_day?: number;
  readonly reserve_for_commands?: number;
  readonly poll_s?: 'auto' | number;
  readonly protocol?: '5' | '3.1.1';
  /** Kept in a database on disk; else in memory, without its counted calls. */
  readonly onDisk?: boolean;
  readonly deny?: readonly string[];
  readonly zone?: string;
};

/** An answer, and when it came. */
type TimedResult = Result & { readonly atMs: number };

/** The whole bridge between a platform and a broker that are literals, in virtual time. */
export class ScheduleWorld {
  readonly clock: VirtualTime = virtualTime();
  readonly platform: SchedulePlatform;
  /** What went out, in order. */
  readonly sent: Outgoing[] = [];
  /** All answers, in order. */
  readonly results: TimedResult[] = [];
  /** The database, where there is one. */
  readonly files: KeptOnDisk | undefined;
  readonly #beganMs = this.clock.now();
  readonly #options: WorldOptions;
  readonly #kept = new KeptInMemory();
  readonly #broker = memoryBroker();
  readonly #others = this.#broker.connect('5', () => undefined);
  #bridge: Bridge;
  #kill: () => void = () => undefined;
  #isStopped = false;
  #id = 0;

  constructor(options: WorldOptions) {
    this.#options = options;
    this.files = options.onDisk ? new KeptOnDisk() : undefined;
    this.platform = new SchedulePlatform(this.clock.process().clock, options.week, options.lagMs, options.postMs);
    this.#bridge = this.#start();
  }

  /** Begins, up to the first read. */
  static async begin(options: WorldOptions): Promise<ScheduleWorld> {
    quickMemoryUsage();
    const world = new ScheduleWorld(options);
    await world.clock.pass(1000);
    return world;
  }

  /** Publishes below the schedule, in an envelope with an id where the payload is JSON; gives the id. */
  write(leaf: string, value: unknown, envelope: object = {}): number {
    this.#id += 1;
    this.receive(`${S}/${leaf}`, JSON.stringify({ value, id: this.#id, ...envelope }));
    return this.#id;
  }

  poll(): void {
    this.receive('heating2mqtt/bridge/poll/set', 'home');
  }

  /** All answers to an id, in order. */
  answers(id: string | number): TimedResult[] {
    return this.results.filter((said) => said.id === id);
  }

  /** The terminal answer to an id: its status, with its code. */
  end(id: string | number): string {
    return this.answers(id)
      .filter(isTerminal)
      .map(({ status, code }) => [status, code].filter((part) => part !== undefined).join(' '))
      .join(', ');
  }

  /** All that was shown on a topic of the schedule, in order. */
  shown(leaf: string): string[] {
    return this.sent.filter(({ topic }) => topic === `${S}/${leaf}`).map(({ payload }) => payload);
  }

  /** What the bridge shows of the week now. */
  week(): ShownWeek {
    return JSON.parse(this.shown('entries').at(-1) ?? '{}');
  }

  rev(): string {
    return JSON.parse(this.shown('record').at(-1) ?? '{}').rev;
  }

  /** Stops the bridge and starts another with what it kept on disk. */
  async restart(meanwhile: () => Promise<void> | void = () => undefined): Promise<void> {
    await this.stop();
    await meanwhile();
    this.#bridge = this.#start();
    await this.clock.pass(1000);
  }

  /** Ends the bridge at once, as a power cut does, and starts another with what it kept on disk. */
  async kill(meanwhile: () => Promise<void> | void = () => undefined): Promise<void> {
    this.#kill();
    this.files?.kill();
    await meanwhile();
    this.#bridge = this.#start();
    await this.clock.pass(1000);
  }

  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    const stopped = this.#bridge.stop();
    await this.clock.pass(5000);
    await stopped;
    // The process has ended.
    this.#kill();
    this.files?.close();
  }

  /** Ends the bridge, and removes what it kept. */
  close(): void {
    this.#kill();
    this.files?.remove();
  }

  /** A message of another client. */
  receive(topic: string, text: string): void {
    this.#others.publish({ topic, payload: text, retain: false });
  }

  #start(): Bridge {
    this.#isStopped = false;
    const silent = () => undefined;
    const process = switchable();
    const { clock, kill } = this.clock.process();
    const files = this.files?.open(clock);
    const { per_10_minutes = 100_000, per_day = 1_000_000, reserve_for_commands = 0, protocol = '5' } = this.#options;
    const quota = rateLimiter({ per_10_minutes, per_day, reserve_for_commands }, clock, files?.calls, files === undefined);
    const client = this.#broker.connect(protocol, (message) => bridge.received(message));
    this.#kill = () => {
      process.kill();
      kill();
      client.end();
    };
    const bridge = createBridge(this.#settings(), {
      platform: process.port(this.#counted(quota, clock)),
      connection: process.port({
        publish: async (message: Outgoing) => {
          this.sent.push(message);
          if (RESULTS.has(message.topic)) this.results.push({ ...JSON.parse(message.payload), atMs: this.clock.elapsedMs() });
          client.publish(message);
        },
        subscribe: async (filters: readonly string[], options?: object) => client.subscribe(filters, options),
        unsubscribe: async (filter: string) => client.unsubscribe(filter),
        window: 1000,
        refusesDots: false,
        protocol,
      }),
      stores: files ?? this.#kept.open(process),
      quota,
      auth: () => ({ state: 'ok', since: '2026-11-21T06:00:00.000Z', message: '' }),
      clock,
      log: { debug: silent, info: silent, warn: silent, error: (facts, sentence) => process.isAlive() && this.#fault(facts, sentence) },
    });
    bridge.start();
    if (files) void this.#search(clock, bridge, files);
    void bridge.connected();
    return bridge;
  }

  /** As the app does: looks on the broker for what a lost database has named. */
  async #search(clock: Clock, bridge: Bridge, storage: Pick<Storage, 'mayLackChanges' | 'brokerSearched'>): Promise<void> {
    await clock.sleep(5000);
    if (!storage.mayLackChanges) return;
    bridge.found(orphanedTopics('heating2mqtt', this.#broker.retained));
    storage.brokerSearched();
  }

  /** As the real client does it: each call is counted before it is made, and its answer says what time it is. */
  #counted({ calls }: RateLimiter, clock: Clock): Platform {
    const counted = async <T>(kind: string, call: () => Promise<T>): Promise<T> => {
      calls.onCall(kind);
      return call().finally(() => calls.onClock(this.#beganMs + this.clock.elapsedMs() - clock.now()));
    };
    return {
      fetchFeatures: () => counted('read', () => this.platform.fetchFeatures()),
      execute: (...command) => counted('command', () => this.platform.execute(...command)),
    };
  }

  #fault(facts: object, sentence: string): never {
    throw new Error(`${sentence}: ${JSON.stringify(facts)}`);
  }

  #settings(): Parameters<typeof createBridge>[0] {
    const { zone = 'UTC', settle_ms = 500, per_hour = 1000, deny = [], poll_s = 3600 } = this.#options;
    return {
      ...SETTINGS,
      devices: [DEVICE],
      poll: { seconds: poll_s, jitter: 0, gone_after_h: 24 },
      commands: { ...SETTINGS.commands, settle_ms, fresh_s: 5, per_hour, deny },
      discovery: { ...SETTINGS.discovery, mode: 'off' },
      timeZone: { setting: zone, machine: 'UTC' },
    };
  }
}
