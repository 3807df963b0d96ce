import { type ChildProcess, fork, spawn, spawnSync } from 'node:child_process';
import { on, once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectAsync, type MqttClient } from 'mqtt';
import { Client } from 'undici';
import { startApp } from '../src/app.ts';
import type { Settings } from '../src/config/settings.ts';
import { deviceDocument } from '../src/homeassistant/document.ts';
import { writeTokens } from '../src/platform/auth/tokenFile.ts';

/**
 * Measures on loopback, each beside a bare loop in the same run, since machines differ and are shared:
 * 1 from a message on S/set to the POST, 2 features per second from GET to published, 3 the start of the bundled bridge and its memory;
 * and how long a discovery document takes.
 */
const FEATURES = 300;
const ROUNDS = 40;
const COMMANDS = 300;
const STARTS = 5;
const POLLS = 60;

const SILENT = { debug: () => undefined, info: () => undefined, warn: console.warn, error: console.error };
const S = 'bench/home/heating/circuits/0/heating/schedule';

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
};

/** A real Mosquitto where there is one, else the embedded broker in a process of its own. */
// set_tcp_nodelay: else Mosquitto holds small packets back for up to 40 ms, which would be all that is measured.
const startBroker = async (dir: string): Promise<{ url: string; child: ChildProcess; name: string }> => {
  const port = await freePort();
  const hasMosquitto = spawnSync('mosquitto', ['-h']).error === undefined;
  const file = join(dir, 'mosquitto.conf');
  writeFileSync(
    file,
    `listener ${port} 127.0.0.1\nallow_anonymous true\nmax_inflight_messages 0\nmax_queued_messages 0\nset_tcp_nodelay true\n`,
  );
  const child = hasMosquitto
    ? spawn('mosquitto', ['-c', file], { stdio: 'ignore' })
    : spawn(
        process.execPath,
        [
          '--input-type=module',
          '-e',
          `import { startEmbeddedBroker } from './src/broker/embedded.ts'; await startEmbeddedBroker(${port});`,
        ],
        { stdio: 'ignore' },
      );
  const url = `mqtt://127.0.0.1:${port}`;
  for (let tries = 0; tries < 50; tries += 1) {
    try {
      await (await connectAsync(url, { reconnectPeriod: 0 }, false)).endAsync();
      break;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  return { url, child, name: hasMosquitto ? 'Mosquitto' : 'the embedded broker' };
};

const startPlatform = async (): Promise<{ url: string; child: ChildProcess }> => {
  const child = fork(join(import.meta.dirname, 'platform.ts'), { env: { ...process.env, FEATURES: String(FEATURES) } });
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return { url: `http://127.0.0.1:${port}`, child };
};

const settingsFor = (platform: string, broker: string, dataDir: string): Settings => ({
  platform: {
    profile: 'v1',
    base_url: platform,
    auth_url: platform,
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
  mqtt: { url: broker, base: 'bench', version: 'auto', max_payload: 65_536 },
  homeassistant: { discovery: 'device', prefix: 'homeassistant', status_topic: 'homeassistant/status' },
  devices: [{ name: 'home', installation: '1', gateway: 'bench', device: '0', features: ['*'], exclude: [] }],
  schedules: { time_zone: 'UTC', profiles: [] },
  commands: { settle_ms: 0, fresh_s: 60, confirm_s: [600], per_hour: 100_000, allow: ['*'], deny: [] },
  data_dir: dataDir,
  log: { level: 'warn', format: 'json' },
});

const login = (dir: string): Promise<void> =>
  writeTokens(dir, {
    access_token: 'a-token-for-benchmarks',
    expires_at: Date.now() + 86_400_000,
    scope: 'IoT User',
    consent_at: Date.now(),
  });

/** A client whose small packets don't wait for each other (Nagle). */
const connectFast = async (url: string): Promise<MqttClient> => {
  const client = await connectAsync(url, { protocolVersion: 5, reconnectPeriod: 0 }, false).catch(() => connectAsync(url));
  if (client.stream instanceof Socket) client.stream.setNoDelay(true);
  return client;
};

/** Resolves when the topic is heard. */
const heard = (client: MqttClient, topic: string): Promise<string> =>
  new Promise((resolve) => {
    const listener = (at: string, payload: Buffer): void => {
      if (at !== topic) return;
      client.off('message', listener);
      resolve(payload.toString());
    };
    client.on('message', listener);
  });

const quantile = (values: readonly number[], q: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * q))] ?? Number.NaN;
const ms = (value: number): string => `${value.toFixed(value < 10 ? 2 : 0)} ms`;

const LAST = `bench/home/heating/bench/${FEATURES - 1}/value`;

/** The moment of the platform's next request of this kind, on the clock that all processes share. */
const told = async (platform: ChildProcess, kind: 'got' | 'posted'): Promise<bigint> => {
  for await (const [message] of on(platform, 'message') as AsyncIterable<[Readonly<Record<string, string>>]>) {
    if (message[kind] !== undefined) return BigInt(message[kind]);
  }
  throw new Error('the platform is gone');
};

/** From the GET at the platform to the last topic of the device heard: milliseconds, the median. */
const rounds = async (platform: ChildProcess, ear: MqttClient, ask: () => unknown): Promise<number> => {
  const times: number[] = [];
  for (let i = 0; i < ROUNDS + 5; i += 1) {
    const done = heard(ear, LAST).then(() => process.hrtime.bigint());
    const got = told(platform, 'got');
    await ask();
    const time = Number((await done) - (await got)) / 1e6;
    if (i >= 5) times.push(time);
  }
  return quantile(times, 0.5);
};

/** What nobody can beat: GET, JSON.parse, one publish a value that changed, all acknowledged. */
const bareLoop = async (platform: { url: string; child: ChildProcess }, broker: string, ear: MqttClient): Promise<number> => {
  const http = new Client(platform.url);
  const mqtt = await connectFast(broker);
  const time = await rounds(platform.child, ear, async () => {
    const { body } = await http.request({ method: 'GET', path: '/features', headers: { authorization: 'Bearer a-token-for-benchmarks' } });
    const { data } = JSON.parse(await body.text()) as { data: { feature: string; properties: Record<string, { value: unknown }> }[] };
    const published = data.flatMap(({ feature, properties }) =>
      Object.entries(properties)
        .filter(([name]) => name === 'value')
        .map(([name, { value }]) =>
          mqtt.publishAsync(`bench/home/${feature.replaceAll('.', '/')}/${name}`, String(value), { qos: 1, retain: true }),
        ),
    );
    await Promise.all(published);
  });
  await mqtt.endAsync();
  await http.close();
  return time;
};

const commandTimes = async (platform: ChildProcess, ear: MqttClient): Promise<number[]> => {
  const times: number[] = [];
  for (let i = 0; i < COMMANDS; i += 1) {
    const end = i % 2 === 0 ? '21:00' : '22:00';
    const answered = heard(ear, `${S}/result`);
    const posted = told(platform, 'posted');
    const before = process.hrtime.bigint();
    ear.publish(`${S}/set`, JSON.stringify({ mon: [{ start: '06:00', end, mode: 'normal' }] }), { qos: 1 });
    times.push(Number((await posted) - before) / 1e6);
    await answered;
  }
  return times;
};

/** Resident memory of a process in MB; NaN where the system does not tell. */
const residentMb = (pid: number | undefined): number =>
  existsSync(`/proc/${pid}/status`)
    ? Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? Number.NaN) / 1024
    : Number.NaN;

/** From the start of the process to the last retained state, with a broker that knows nothing; the memory then, and after many polls. */
const startTimes = async (platform: string, dir: string): Promise<{ bridge: number[]; node: number[]; rss: number; polledRss: number }> => {
  const bridge: number[] = [];
  const node: number[] = [];
  let rss = 0;
  let polledRss = 0;
  for (let i = 0; i < STARTS + 1; i += 1) {
    const home = mkdtempSync(join(dir, 'start-'));
    await login(home);
    const broker = await startBroker(home);
    const ear = await connectFast(broker.url);
    await ear.subscribeAsync('bench/#', { qos: 1 });
    const config = join(home, 'config.yaml');
    writeFileSync(config, JSON.stringify({ ...settingsFor(platform, broker.url, home), log: { level: 'warn', format: 'json' } }));
    const bare = performance.now();
    spawnSync(process.execPath, ['-e', '0']);
    const bareMs = performance.now() - bare;
    const done = heard(ear, LAST);
    const before = performance.now();
    const child = spawn(process.execPath, ['dist/heating2mqtt.js', 'run', '--config', config], { stdio: ['ignore', 'ignore', 'inherit'] });
    await done;
    if (i > 0) {
      bridge.push(performance.now() - before);
      node.push(bareMs);
    }
    rss = residentMb(child.pid);
    for (let polls = 0; i === STARTS && polls < POLLS; polls += 1) {
      const polled = heard(ear, LAST);
      await ear.publishAsync('bench/bridge/poll/set', 'home', { qos: 1 });
      await polled;
    }
    polledRss = residentMb(child.pid);
    child.kill('SIGTERM');
    await once(child, 'exit');
    await ear.endAsync(true);
    broker.child.kill();
    await once(broker.child, 'exit');
  }
  return { bridge, node, rss, polledRss };
};

/** One discovery document of a device whose numbers can all be written: milliseconds, the median. */
const documentTime = (): number => {
  const target = { type: 'number', required: true, constraints: { min: 3, max: 37, stepping: 1 } };
  const set = { name: 'setTemperature', isExecutable: true, params: new Map([['targetTemperature', target]]) };
  const features = Array.from({ length: FEATURES }, (_, i) => ({
    ...{ name: `heating.circuits.${i % 4}.operating.programs.bench${i}`, gateway: 'bench', device: '0', isEnabled: true, isReady: true },
    properties: new Map([['temperature', { type: 'number', unit: 'celsius', value: 20 }]]),
    commands: new Map([[set.name, set]]),
  }));
  const times = Array.from({ length: 50 }, () => {
    const before = performance.now();
    deviceDocument(
      { base: 'bench', prefix: 'homeassistant', version: '1' },
      { name: 'home', installation: '1', gateway: 'bench', device: '0' },
      features,
    );
    return performance.now() - before;
  });
  return quantile(times, 0.5);
};

const main = async (): Promise<void> => {
  const dir = mkdtempSync(join(tmpdir(), 'h2m-bench-'));
  const platform = await startPlatform();
  const broker = await startBroker(dir);
  const ear = await connectFast(broker.url);
  await ear.subscribeAsync('bench/#', { qos: 1 });
  await login(dir);
  const bare = await bareLoop(platform, broker.url, ear);
  const first = heard(ear, LAST);
  const app = await startApp(settingsFor(platform.url, broker.url, dir), SILENT);
  await first;
  const times = await commandTimes(platform.child, ear);
  const bridge = await rounds(platform.child, ear, () => ear.publishAsync('bench/bridge/poll/set', 'home', { qos: 1 }));
  const bareAgain = await bareLoop(platform, broker.url, ear);
  await app.stop();
  const floor = (bare + bareAgain) / 2;
  console.log(`broker: ${broker.name}; ${FEATURES} features a read, all changed; medians`);
  console.log(`S/set to POST: p50 ${ms(quantile(times, 0.5))}, p99 ${ms(quantile(times, 0.99))} of ${COMMANDS}`);
  console.log(
    `GET to published: ${Math.round((FEATURES / bridge) * 1000)} features/s (${ms(bridge)} a round); bare loop ${ms(floor)}; ratio ${(floor / bridge).toFixed(2)}`,
  );
  console.log(`discovery document of ${FEATURES} features: ${ms(documentTime())}`);
  if (existsSync('dist/heating2mqtt.js')) {
    const { bridge: starts, node, rss, polledRss } = await startTimes(platform.url, dir);
    console.log(
      `start to last retained state: ${ms(quantile(starts, 0.5))}; bare node ${ms(quantile(node, 0.5))}; resident ${Math.round(rss)} MB, after ${POLLS} polls ${Math.round(polledRss)} MB`,
    );
  } else console.log('start: not measured, as dist/ is not built (npm run build)');
  await ear.endAsync(true);
  platform.child.kill();
  broker.child.kill();
  rmSync(dir, { recursive: true, force: true });
};

await main();
