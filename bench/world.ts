import { type ChildProcess, fork, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { on, once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, Socket } from 'node:net';
import { join } from 'node:path';
import { connectAsync, type MqttClient } from 'mqtt';
import { rolldown } from 'rolldown';
import { BUNDLE } from '../scripts/bundle.ts';
import type { Settings } from '../src/config/settings.ts';
import { writeTokens } from '../src/platform/auth/tokenFile.ts';

/** The processes that a benchmark needs: broker, platform, bridge and floor; and what is measured of them. */

/** No wait is longer: a benchmark that waits in vain fails. */
const MOST_MS = 60_000;

/** Rejects after a minute, naming what was waited for. */
export const within = <T>(what: string, promise: Promise<T>, mostMs = MOST_MS): Promise<T> => {
  const { promise: late, reject } = Promise.withResolvers<T>();
  const timer = setTimeout(() => reject(new Error(`waited in vain for ${what}`)), mostMs);
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
};

export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
};

const end = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await within('the end of a process', once(child, 'exit'));
};

const HAS_MOSQUITTO = spawnSync('mosquitto', ['-h']).error === undefined;
export const BROKER_NAME = HAS_MOSQUITTO ? 'Mosquitto' : 'the embedded broker';

export type Broker = { readonly url: string; stop(): Promise<void> };

// Without set_tcp_nodelay Mosquitto holds small packets back for up to 40 ms, which would be all that is measured.
const MOSQUITTO = ['allow_anonymous true', 'max_inflight_messages 0', 'max_queued_messages 0', 'set_tcp_nodelay true'];

/** A real Mosquitto where there is one, else the embedded broker in a process of its own. */
export const startBroker = async (dir: string): Promise<Broker> => {
  const port = await freePort();
  const file = join(dir, `mosquitto-${port}.conf`);
  writeFileSync(file, [`listener ${port} 127.0.0.1`, ...MOSQUITTO, ''].join('\n'));
  const embedded = `const { startEmbeddedBroker } = await import('./src/mqtt/embeddedBroker.ts'); await startEmbeddedBroker(${port});`;
  const child = HAS_MOSQUITTO
    ? spawn('mosquitto', ['-c', file], { stdio: 'ignore' })
    : spawn(process.execPath, ['--input-type=module', '-e', embedded], { stdio: ['ignore', 'ignore', 'inherit'] });
  const url = `mqtt://127.0.0.1:${port}`;
  const listening = async (): Promise<void> => {
    for (;;) {
      const found = await connectAsync(url, { reconnectPeriod: 0 }, false).catch(() => undefined);
      if (found) return found.endAsync();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  await within('the broker', listening());
  return { url, stop: () => end(child) };
};

export type Platform = {
  readonly url: string;
  /** So many sensors change with every read from now on. */
  change(sensors: number): Promise<void>;
  /** The moment of the next request of this kind, or of the one so many later, in nanoseconds of `process.hrtime`. */
  next(kind: 'got' | 'posted', count?: number): Promise<bigint>;
  stop(): Promise<void>;
};

export const startPlatform = async (features: number): Promise<Platform> => {
  const child = fork(join(import.meta.dirname, 'platform.ts'), { env: { ...process.env, FEATURES: String(features) } });
  const said = async (key: string, count = 1): Promise<string> => {
    let left = count;
    for await (const [message] of on(child, 'message') as AsyncIterable<[Readonly<Record<string, string>>]>) {
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
    next: async (kind, count) => BigInt(await within(`a request (${kind})`, said(kind, count))),
    stop: () => end(child),
  };
};

/** A client of the broker that keeps what it hears on `bench/#`. */
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

export const listen = async (broker: Broker): Promise<Recorder> => {
  const client = await connectAsync(broker.url, { protocolVersion: 5, reconnectPeriod: 0 }, false).catch(() => connectAsync(broker.url));
  if (client.stream instanceof Socket) client.stream.setNoDelay(true);
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
    return within(what, promise).finally(() => client.off('message', listener));
  };
  await client.subscribeAsync('bench/#', { qos: 1 });
  return {
    client,
    topics,
    next: (topic, holds = () => true) => until(topic, (at, payload) => at === topic && holds(payload)),
    all: (wanted) => {
      const missing = new Set([...wanted].filter((topic) => !topics.has(topic)));
      return until(`${wanted.size} topics`, (topic) => missing.delete(topic) && missing.size === 0);
    },
    quiet: async (ms) => {
      while (performance.now() - lastMs < ms) await new Promise((resolve) => setTimeout(resolve, 20));
    },
    clear: () => topics.clear(),
    close: () => client.endAsync(true),
  };
};

/** A running bridge or floor. */
export type Subject = { readonly pid: number; stop(): Promise<void> };

const started = (child: ChildProcess): Subject => ({ pid: child.pid ?? 0, stop: () => end(child) });

/** The release, with so many gateways of one device each, in this folder; `env` is added to its environment. */
export const startBridge = (dataDir: string, settings: Settings, env: NodeJS.ProcessEnv = {}): Subject => {
  const config = join(dataDir, 'settings.json');
  writeFileSync(config, JSON.stringify(settings));
  const options: SpawnOptions = { stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, ...env } };
  return started(spawn(process.execPath, ['dist/heating2mqtt.js', 'run', '--config', config], options));
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

export const settingsFor = (platform: Pick<Platform, 'url'>, broker: Broker, folder: string, gateways: readonly string[]): Settings => ({
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
  homeassistant: { discovery: 'device', prefix: 'homeassistant', status_topic: 'homeassistant/status' },
  language: 'en',
  devices: gateways.map((gateway) => ({ name: gateway, installation: '1', gateway, device: '0', features: ['*'], exclude: [] })),
  schedules: { time_zone: 'UTC', profiles: [] },
  history: { days: 14 },
  commands: { settle_ms: 0, fresh_s: 5, confirm_s: [600], per_hour: 100_000, allow: ['*'], deny: [] },
  web: { enabled: false, port: 8427, hosts: [], trusted_proxies: [], frame_ancestors: [] },
  data_dir: folder,
  log: { level: 'warn', format: 'json' },
});

/** Bundles the floor as the release is bundled, with a cache of compiled code as the release has one. Gives how to start it. */
export const makeFloor = async (dir: string): Promise<(task: object) => Subject> => {
  const folder = join(dir, 'floor');
  mkdirSync(folder);
  const bundle = await rolldown({ ...BUNDLE, input: join(import.meta.dirname, 'floor.ts') });
  await bundle.write({ file: join(folder, 'bare.js'), format: 'cjs', minify: true, codeSplitting: false });
  await bundle.close();
  const cache = JSON.stringify(join(folder, 'cache'));
  writeFileSync(join(folder, 'floor.js'), `require('node:module').enableCompileCache(${cache}); require('./bare.js');`);
  return (task) =>
    started(
      spawn(process.execPath, [join(folder, 'floor.js')], {
        stdio: ['ignore', 'ignore', 'inherit'],
        env: { ...process.env, TASK: JSON.stringify(task) },
      }),
    );
};

/** CPU time of all threads of a process so far, in milliseconds; NaN where the system does not tell. */
export const cpuMs = ({ pid }: Subject): number => {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    return (
      threads.reduce((sum, thread) => sum + Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]), 0) / 1e6
    );
  } catch {
    return Number.NaN;
  }
};

/** Resident memory of a process in MB; NaN where the system does not tell. */
export const residentMb = ({ pid }: Subject): number => {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
  } catch {
    return Number.NaN;
  }
};

export const quantile = (values: readonly number[], q: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * q))] ?? Number.NaN;
export const median = (values: readonly number[]): number => quantile(values, 0.5);
