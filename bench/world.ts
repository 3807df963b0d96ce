import { fork, spawn } from 'node:child_process';
import { on } from 'node:events';
import { closeSync, mkdirSync, mkdtempSync, openSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { join, resolve } from 'node:path';
import { connectAsync, type MqttClient } from 'mqtt';
import { rolldown } from 'rolldown';
import { BUNDLE } from '../scripts/bundle.ts';
import type { Settings } from '../src/config/settings.ts';
import { writeTokens } from '../src/platform/auth/tokenFile.ts';
import type { Broker } from './brokers.ts';
import { end, type Subject, started, subjectOf, within } from './processes.ts';

/** What a benchmark runs beside its broker: platform, listener, bridge and floor. */

export type Platform = {
  readonly url: string;
  /** So many sensors change with every read from now on. */
  change(sensors: number): Promise<void>;
  /** The moment of the next request of this kind, or of the one so many later, in nanoseconds of `process.hrtime`. */
  next(kind: 'got' | 'posted', count?: number): Promise<bigint>;
  /** The calls for the gateway that has most, so far. */
  mostCalls(): Promise<number>;
  stop(): Promise<void>;
};

export const startPlatform = async (features: number): Promise<Platform> => {
  const child = started(fork(join(import.meta.dirname, 'platform.ts'), { env: { ...process.env, FEATURES: String(features) } }));
  const said = async (key: string, count = 1): Promise<string> => {
    let left = count;
    for await (const [message] of on(child, 'message', { close: ['exit'] }) as AsyncIterable<[Readonly<Record<string, string>>]>) {
      if (message[key] !== undefined) left -= 1;
      if (message[key] !== undefined && left === 0) return message[key];
    }
    throw new Error('the platform is gone');
  };
  const port = await within('the platform', said('port'));
  return {
    url: `http://127.0.0.1:${port}`,
    change: async (sensors) => {
      const changing = said('changing');
      child.send({ change: sensors });
      await within('the platform', changing);
    },
    mostCalls: async () => {
      const counted = said('calls');
      child.send({});
      return Number(await within('the platform', counted));
    },
    next: async (kind, count) => BigInt(await within(`a request (${kind})`, said(kind, count))),
    stop: () => end(child),
  };
};

/** A client of the broker that keeps what it hears of the bridge, also what is meant for Home Assistant. */
export type Recorder = {
  readonly client: MqttClient;
  /** The last payload of each topic. */
  readonly topics: ReadonlyMap<string, string>;
  /** Resolves with the moment at which a message on this topic comes next, where `holds` is true of its payload. */
  next(topic: string, holds?: (payload: string) => boolean): Promise<bigint>;
  /** Resolves with the moment at which the last of these topics was heard since `clear`. */
  all(topics: ReadonlySet<string>): Promise<bigint>;
  /** Resolves when nothing came for so long. */
  quiet(ms: number): Promise<void>;
  clear(): void;
  close(): Promise<void>;
};

const EVERYTHING = ['bench/#', 'homeassistant/#'];

export const listen = async (broker: Broker, filters: readonly string[] = EVERYTHING): Promise<Recorder> => {
  const client = await connectAsync(broker.url, { protocolVersion: 5, reconnectPeriod: 0 }, false).catch(() => connectAsync(broker.url));
  if (client.stream instanceof Socket) client.stream.setNoDelay(true);
  // One for each message that is waited for.
  client.setMaxListeners(0);
  const topics = new Map<string, string>();
  let lastMs = performance.now();
  client.on('message', (topic, payload) => {
    lastMs = performance.now();
    topics.set(topic, payload.toString());
  });
  const until = (what: string, done: (topic: string, payload: string) => boolean): Promise<bigint> => {
    const { promise, resolve } = Promise.withResolvers<bigint>();
    const listener = (topic: string, payload: Buffer): void => {
      if (done(topic, payload.toString())) resolve(process.hrtime.bigint());
    };
    client.on('message', listener);
    const found = within(what, promise).finally(() => client.off('message', listener));
    // What else was waited for may fail first, and then this is not awaited any more.
    found.catch(() => {});
    return found;
  };
  // Home Assistant asks for the same. With QoS 1 Mosquitto sends no more than 20 at once, and drops what comes while 1,000 wait.
  await client.subscribeAsync([...filters], { qos: 0 });
  return {
    client,
    topics,
    next: (topic, holds = () => true) => until(topic, (at, payload) => at === topic && holds(payload)),
    all: (wanted) => {
      const missing = new Set([...wanted].filter((topic) => !topics.has(topic)));
      if (missing.size === 0) return Promise.resolve(process.hrtime.bigint());
      return until(`${wanted.size} topics`, (topic) => missing.delete(topic) && missing.size === 0);
    },
    quiet: async (ms) => {
      while (performance.now() - lastMs < ms) await new Promise((resolve) => setTimeout(resolve, 20));
    },
    clear: () => topics.clear(),
    close: () => client.endAsync(true),
  };
};

/** Where the release lies that is measured. */
let release = 'dist';
export const measureRelease = (folder: string): void => {
  release = folder;
};
export const releaseFile = (): string => resolve(release, 'heating2mqtt.js');

/** The release in this folder; `env` is added to its environment. Its log lies beside the folder. */
export const startBridge = (
  dataDir: string,
  settings: object,
  env: NodeJS.ProcessEnv = {},
  command: readonly string[] = ['run'],
): Subject => {
  // The release keeps compiled code only where the folder is there (scripts/cacheFolder.ts).
  const cache = env['CACHE_DIRECTORY'] ?? process.env['CACHE_DIRECTORY'];
  if (cache !== undefined) mkdirSync(cache, { recursive: true, mode: 0o700 });
  const config = join(dataDir, 'settings.json');
  writeFileSync(config, JSON.stringify(settings));
  const log = openSync(`${dataDir}.log`, 'a');
  const child = spawn(process.execPath, [releaseFile(), ...command, '--config', config], {
    stdio: ['ignore', log, log],
    env: { ...process.env, ...env },
  });
  closeSync(log);
  return subjectOf(child);
};

export const dataDir = async (dir: string): Promise<string> => {
  const folder = mkdtempSync(join(dir, 'data-'));
  await writeTokens(folder, {
    access_token: 'a-token-for-benchmarks',
    expires_at: Date.now() + 86_400_000,
    scope: 'IoT User',
    consent_at: Date.now(),
  });
  return folder;
};

export const gatewaysOf = (count: number): readonly string[] => Array.from({ length: count }, (_, i) => `gateway${i}`);

/**
 * The defaults of users, but for what stands in docs/decisions/speed.md. The page is on where it has a port, as it is for users.
 */
export const settingsFor = (
  platform: Pick<Platform, 'url'>,
  broker: Broker,
  folder: string,
  gateways: readonly string[],
  webPort?: number,
): Settings => ({
  platform: {
    profile: 'v1',
    base_url: platform.url,
    auth_url: platform.url,
    client_id: 'bench',
    redirect_uri: 'http://localhost:4200/',
    scope: 'IoT User',
    read: 'device',
    timeout_s: 10,
    quota: { per_10_minutes: 1e6, per_day: 1e8, reserve_for_commands: 50 },
    consent_days: 180,
    login_over_mqtt: false,
  },
  poll: { seconds: 3600, jitter: 0, gone_after_h: 24 },
  mqtt: { url: broker.url, base: 'bench', version: 'auto', max_payload: 65_536 },
  homeassistant: { discovery: 'device', prefix: 'homeassistant', status_topic: 'homeassistant/status', import: false },
  language: 'en',
  devices: gateways.map((gateway) => ({ name: gateway, installation: '1', gateway, device: '0', features: ['*'], exclude: [] })),
  schedules: { time_zone: 'UTC', profiles: [], seasons: [] },
  calendar: { rules: [], addresses: null, allow_private: false },
  events: { minutes: 0 },
  energy: {},
  gas: {},
  history: { days: 14 },
  prices: {
    topic: null,
    url: null,
    allow_private: false,
    unit: 'auto',
    currency: 'EUR',
    windows: ['22:00-06:30 60 min', '11:00-18:00 60 min'],
  },
  commands: { settle_ms: 0, fresh_s: 5, confirm_s: [600], per_hour: 100_000, allow: ['*'], deny: [] },
  web: {
    enabled: webPort !== undefined,
    listen: '127.0.0.1',
    port: webPort ?? 8427,
    hosts: [],
    trusted_proxies: [],
    frame_ancestors: [],
    update_check: false,
  },
  data_dir: folder,
  log: { level: 'info', format: 'json' },
});

/** The flags with which V8 saves memory, as the release sets them (scripts/starter.ts). */
const SMALL = "for (const flag of ['--optimize-for-size', '--heap-growing-percent=60']) require('node:v8').setFlagsFromString(flag);";

export type Floor = (task: object, options?: { readonly isSmall?: boolean }) => Subject;

/** Bundles the floor as the release is bundled, with a cache of compiled code as the release has one. Gives how to start it. */
export const makeFloor = async (dir: string): Promise<Floor> => {
  const folder = join(dir, 'floor');
  mkdirSync(folder);
  const bundle = await rolldown({ ...BUNDLE, input: join(import.meta.dirname, 'floor.ts') });
  await bundle.write({ file: join(folder, 'bare.js'), format: 'cjs', minify: true, codeSplitting: false });
  await bundle.close();
  const starter = (name: string, flags: string): void =>
    writeFileSync(
      join(folder, `${name}.js`),
      `${flags}require('node:module').enableCompileCache(${JSON.stringify(join(folder, `cache-${name}`))}); require('./bare.js');`,
    );
  starter('fast', '');
  starter('small', SMALL);
  const log = join(dir, 'floor.log');
  return (task, { isSmall = false } = {}) => {
    const data = mkdtempSync(join(dir, 'floor-data-'));
    const out = openSync(log, 'a');
    const child = spawn(process.execPath, [join(folder, isSmall ? 'small.js' : 'fast.js')], {
      stdio: ['ignore', out, out],
      env: { ...process.env, TASK: JSON.stringify({ ...task, data }) },
    });
    closeSync(out);
    return subjectOf(child);
  };
};

export const quantile = (values: readonly number[], q: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * q))] ?? Number.NaN;
export const median = (values: readonly number[]): number => quantile(values, 0.5);
