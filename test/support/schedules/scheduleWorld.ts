import type { Bridge } from '../../../src/bridge/bridge.ts';
import { createBridge } from '../../../src/bridge/compose.ts';
import type { Platform } from '../../../src/bridge/ports.ts';
import { RateLimiter } from '../../../src/bridge/quota/rateLimiter.ts';
import type { Outgoing } from '../../../src/shared/message.ts';
import { KeptInMemory, SETTINGS, switchable } from '../system/keptInMemory.ts';
import { memory } from '../system/memoryTopics.ts';
import { type FakeClock, fakeClock, settled } from '../time/fakeClock.ts';
import { quickMemoryUsage } from '../time/quickMemoryUsage.ts';
import { SchedulePlatform, WEEKLY } from './schedulePlatform.ts';
import type { ShownWeek } from './weeks.ts';
import { isTerminal, type Result } from './writing.ts';

export const S = 'heating2mqtt/home/heating/circuits/0/heating/schedule';
const RESULT = 'heating2mqtt/home/result';
const DEVICE = { name: 'home', installation: '1', gateway: '757', device: '0', features: [WEEKLY], exclude: [] };

export type WorldOptions = {
  readonly week: ShownWeek;
  readonly lagMs?: number;
  readonly postMs?: number;
  readonly settle_ms?: number;
  readonly per_hour?: number;
  /** Calls that ten minutes allow. */
  readonly per_10_minutes?: number;
  readonly deny?: readonly string[];
  readonly zone?: string;
};

/** The whole bridge between a platform and a broker that are literals, in virtual time. */
export class ScheduleWorld {
  readonly clock: FakeClock = fakeClock();
  readonly platform: SchedulePlatform;
  /** What went out, in order. */
  readonly sent: Outgoing[] = [];
  readonly #options: WorldOptions;
  readonly #kept = new KeptInMemory();
  #bridge: Bridge;
  #kill: () => void = () => undefined;
  #id = 0;

  constructor(options: WorldOptions) {
    this.#options = options;
    this.platform = new SchedulePlatform(this.clock, options.week, options.lagMs, options.postMs);
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
  answers(id: number): Result[] {
    return this.#answers().filter((said) => said.id === id);
  }

  /** The terminal answer to an id: its status, with its code. */
  end(id: number): string {
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
  async restart(): Promise<void> {
    await this.stop();
    this.#bridge = this.#start();
    await this.clock.pass(1000);
  }

  /** Ends the bridge at once, as a power cut does, and starts another with what it kept on disk. */
  async kill(): Promise<void> {
    this.#kill();
    this.#bridge = this.#start();
    await this.clock.pass(1000);
  }

  async stop(): Promise<void> {
    const stopped = this.#bridge.stop();
    await this.clock.pass(5000);
    await stopped;
    // The process has ended.
    this.#kill();
  }

  #answers(): Result[] {
    return this.sent.filter(({ topic }) => topic === RESULT).map(({ payload }) => JSON.parse(payload));
  }

  /** A message of the broker. */
  receive(topic: string, text: string): void {
    this.#bridge.received({ topic, payload: new TextEncoder().encode(text), retain: false });
  }

  #start(): Bridge {
    const silent = () => undefined;
    const process = switchable();
    this.#kill = process.kill;
    const quota = new RateLimiter(
      { per_10_minutes: this.#options.per_10_minutes ?? 100_000, per_day: 1_000_000, reserve_for_commands: 0 },
      this.clock,
    );
    const bridge = createBridge(this.#settings(), {
      platform: process.port(this.#counted(quota)),
      connection: process.port({
        publish: async (message: Outgoing) => void this.sent.push(message),
        subscribe: async () => undefined,
        unsubscribe: async () => undefined,
        window: 1000,
        protocol: '5',
      }),
      publishedTopics: memory(),
      ...this.#kept.open(process),
      quota,
      auth: () => ({ state: 'ok', since: '2026-11-21T06:00:00.000Z', message: '' }),
      clock: this.clock,
      log: { debug: silent, info: silent, warn: silent, error: (facts, sentence) => process.isAlive() && this.#fault(facts, sentence) },
    });
    bridge.start();
    void settled().then(() => bridge.connected());
    return bridge;
  }

  /** As the real client does it: each call is counted before it is made. */
  #counted(quota: RateLimiter): Platform {
    const count = (): void => quota.count(this.clock.elapsedMs());
    return {
      fetchFeatures: () => {
        count();
        return this.platform.fetchFeatures();
      },
      execute: (...command) => {
        count();
        return this.platform.execute(...command);
      },
    };
  }

  #fault(facts: object, sentence: string): never {
    throw new Error(`${sentence}: ${JSON.stringify(facts)}`);
  }

  #settings(): Parameters<typeof createBridge>[0] {
    const { zone = 'UTC', settle_ms = 500, per_hour = 1000, deny = [] } = this.#options;
    return {
      ...SETTINGS,
      devices: [DEVICE],
      poll: { seconds: 3600, jitter: 0, gone_after_h: 24 },
      commands: { ...SETTINGS.commands, settle_ms, fresh_s: 5, per_hour, deny },
      discovery: { ...SETTINGS.discovery, mode: 'off' },
      timeZone: { setting: zone, machine: 'UTC' },
    };
  }
}
