import type { createBridge } from '../../../src/bridge/compose.ts';
import type { Stores } from '../../../src/bridge/dependencies.ts';
import type {
  DeviceFacts,
  DeviceStateStore,
  KeyedStore,
  KnownDevice,
  PerformanceStore,
  StoredFeature,
  StoredWrite,
  WriteStore,
} from '../../../src/bridge/ports.ts';
import { recordOf } from '../../../src/features/parseFeature.ts';
import { memory } from './memoryTopics.ts';

/** The settings of a bridge, but for its devices. */
export const SETTINGS: Omit<Parameters<typeof createBridge>[0], 'devices'> = {
  base: 'heating2mqtt',
  version: '0',
  maxPayload: 65_536,
  read: 'feature',
  gateways: false,
  poll: { seconds: 'auto', jitter: 0.1, gone_after_h: 24 },
  profiles: [],
  commands: { settle_ms: 0, fresh_s: 60, confirm_s: [5, 15, 30, 60], per_hour: 60, allow: ['*'], deny: [] },
  discovery: { mode: 'device', prefix: 'homeassistant', statusTopic: 'homeassistant/status' },
  language: 'en',
  timeZone: { setting: 'UTC', machine: 'UTC' },
  shown: {},
};

/** One run of the bridge, which can be killed: from then on nothing of it reaches the outside. */
export type Process = {
  readonly kill: () => void;
  readonly isAlive: () => boolean;
  /** The same port, whose methods never answer a killed process. */
  readonly port: <T extends object>(port: T) => T;
};

export const switchable = (): Process => {
  let alive = true;
  const never = (): Promise<never> => new Promise(() => undefined);
  return {
    kill: () => {
      alive = false;
    },
    isAlive: () => alive,
    port: (port) =>
      new Proxy(port, {
        get: (target, name) => {
          const value: unknown = Reflect.get(target, name);
          if (typeof value !== 'function') return value;
          return async (...given: unknown[]): Promise<unknown> => {
            if (!alive) return never();
            const answer: unknown = await value.apply(target, given);
            return alive ? answer : never();
          };
        },
      }),
  };
};

const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value));

const always = (): boolean => true;

/** A table in memory, whose values are what JSON makes of them. It takes nothing while `isAlive` says no. */
export const keyedStore = (rows = new Map<string, unknown>(), isAlive = always): KeyedStore => ({
  read: () => structuredClone(rows),
  write: (key, value) => {
    if (!isAlive()) return true;
    if (value === undefined) rows.delete(key);
    else rows.set(key, copy(value));
    return true;
  },
});

/** What is kept of devices, in memory. What a run knew is taken when the next one opens it: a killed run changes nothing more. */
export class StatesInMemory {
  readonly #features = new Map<string, Map<string, StoredFeature>>();
  readonly #facts = new Map<string, DeviceFacts>();
  #known: () => readonly KnownDevice[] = () => [];

  open(): DeviceStateStore {
    for (const { device, facts, features } of this.#known()) {
      this.#facts.set(device, copy(facts));
      const rows = this.#features.get(device) ?? new Map<string, StoredFeature>();
      this.#features.set(device, rows);
      for (const { feature, offered } of features) {
        const offers = offered ? { offered: copy(recordOf(offered)) } : {};
        rows.set(feature.name, { name: feature.name, record: copy(recordOf(feature)), ...offers });
      }
    }
    return {
      features: (device) => [...(this.#features.get(device)?.values() ?? [])],
      facts: (device) => this.#facts.get(device),
      keeps: (known) => {
        this.#known = known;
      },
      forget: (device, names) => {
        for (const name of names) this.#features.get(device)?.delete(name);
      },
    };
  }
}

/** The table of writes, in memory. */
export const writeStore = (rows = new Map<number, StoredWrite>(), isAlive = always): WriteStore => ({
  left: [...rows.values()].filter(({ isLive }) => isLive).map((row) => structuredClone(row)),
  lastKey: Math.max(0, ...rows.keys()),
  put: (write) => void (isAlive() && rows.set(write.key, copy(write))),
  remove: (key) => void (isAlive() && rows.delete(key)),
  newest: ({ before = Number.POSITIVE_INFINITY, device, feature }, most) =>
    [...rows.values()]
      .filter(
        (one) => one.isListed && one.key < before && (device ?? one.device) === one.device && (feature ?? one.feature) === one.feature,
      )
      .sort((a, b) => b.key - a.key)
      .slice(0, most),
  together: (work) => ({ result: work(), isKept: true }),
});

/** The table of how devices ran, in memory. */
export const performanceStore = (rows = new Map<string, unknown>(), isAlive = always): PerformanceStore => ({
  read: (prefix, from = prefix) =>
    new Map(
      structuredClone([...rows])
        .filter(([key]) => key.startsWith(prefix) && key >= from)
        .sort(),
    ),
  write: (changes) => {
    for (const [key, value] of isAlive() ? changes : []) rows.set(key, copy(value));
  },
});

/** What a bridge keeps over its runs, in memory: a killed run keeps nothing more. */
export class KeptInMemory {
  readonly #states = new StatesInMemory();
  readonly #writes = new Map<number, StoredWrite>();
  readonly #topics = memory();
  readonly #answers = keyedStore();
  readonly #plans = keyedStore();

  open({ isAlive }: Pick<Process, 'isAlive'>): Stores {
    const topics = this.#topics;
    const write: typeof topics.write = (changes) => (isAlive() ? topics.write(changes) : undefined);
    return {
      publishedTopics: Object.setPrototypeOf({ write }, topics),
      writes: writeStore(this.#writes, isAlive),
      deviceStates: this.#states.open(),
      ...{ composites: keyedStore(), runningTotals: keyedStore(), documents: keyedStore(), accountRefusals: keyedStore() },
      ...{ faults: keyedStore(), seasons: keyedStore(), past: keyedStore() },
      lastAnswers: this.#answers,
      frozen: { states: keyedStore(), told: keyedStore() },
      plans: this.#plans,
      performance: performanceStore(),
    };
  }
}
