import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { connectAsync } from 'mqtt';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startEmbeddedBroker } from '../../src/mqtt/embeddedBroker.ts';
import { type Simulator, startSimulator } from '../../src/simulator/simulator.ts';
import { makeCertificates } from '../support/network/certificates.ts';
import { startMosquitto } from '../support/network/mosquitto.ts';
import { listen } from '../support/network/mqttRecorder.ts';
import { startSocksProxy } from '../support/network/socksProxy.ts';
import { startWebSocketFront } from '../support/network/webSocketFront.ts';
import { SCHEDULE, SCHEDULE_TOPIC, storeTokens, tempDir } from '../support/system/testSystem.ts';
import { untilSo } from '../support/system/untilSo.ts';
import { sameClock } from '../support/time/sameClock.ts';

// Away from the checkout: the release has no node_modules beside it.
const HOME = tempDir();
const BIN = join(HOME, 'dist', 'heating2mqtt.js');

beforeAll(() => cpSync('dist', join(HOME, 'dist'), { recursive: true }));

const spawned = (cwd: string, env: NodeJS.ProcessEnv) => ({ cwd, env: { ...sameClock(), HOME, ...env } });

const start = (args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}): ChildProcessWithoutNullStreams & { text: string } => {
  const child = Object.assign(spawn(process.execPath, [BIN, ...args], spawned(cwd, env)), { text: '' });
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      child.text += String(chunk);
    });
  return child;
};

const said = async (child: ReturnType<typeof start>, words: string): Promise<string> => {
  await untilSo(() => child.text.includes(words) || child.exitCode !== null);
  expect(child.text).toContain(words);
  return child.text;
};

const stopped = async (child: ChildProcessWithoutNullStreams): Promise<number | null> => {
  child.kill('SIGTERM');
  if (child.exitCode === null) await once(child, 'exit');
  return child.exitCode;
};

const runOnce = (args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}) =>
  spawnSync(process.execPath, [BIN, ...args], { ...spawned(cwd, env), encoding: 'utf8' });

describe('the release', () => {
  test('is one bundle with a bin and no dependencies', () => {
    expect(readdirSync(join(HOME, 'dist')).sort()).toEqual([
      ...['CHANGELOG.md', 'LICENSE', 'README.md', 'THIRD-PARTY-LICENSES.txt', 'bridge.js', 'example.yaml'],
      ...['heating2mqtt-card.js', 'heating2mqtt.js', 'icsWorker.js', 'package.json', 'schema.json', 'start.js'],
    ]);
    // Node would print a warning about each `import()` in a script that it did not load itself.
    expect(readFileSync(join(HOME, 'dist', 'bridge.js'), 'utf8')).not.toMatch(/[^.\w]import\(/);
    expect(runOnce(['--version'], HOME)).toMatchObject({ status: 0, stderr: '' });
    expect(runOnce(['settings', '--yaml'], HOME)).toMatchObject({ status: 0, stderr: '' });
  });

  test('takes the compiled code of Node for its modules, though it sets flags of V8', () => {
    const probe = join(HOME, 'probe.cjs');
    const usage = "const { getCacheUsage } = require('internal/test/binding').internalBinding('builtins');";
    writeFileSync(probe, `${usage} process.once('exit', () => console.error([...getCacheUsage().compiledWithoutCache].join()));`);
    const args = ['--no-warnings', '--expose-internals', '--require', probe, BIN, '--version'];
    const { stderr } = spawnSync(process.execPath, args, { ...spawned(HOME, {}), encoding: 'utf8' });
    expect(stderr).toBe('\n');
  });

  test('reads calendars in a thread', async () => {
    const event = 'BEGIN:VEVENT\r\nSUMMARY:Away\r\nDTSTART;VALUE=DATE:20261224\r\nEND:VEVENT\r\n';
    const window = { fromMs: Date.parse('2026-12-20T00:00:00Z'), toMs: Date.parse('2027-01-03T00:00:00Z') };
    const thread = new Worker(join(HOME, 'dist', 'icsWorker.js'), { workerData: { text: event, window } });
    expect(await once(thread, 'message')).toEqual([{ events: [{ title: 'Away', start: '2026-12-24', end: '2026-12-25' }], skipped: 0 }]);
  });

  test('ends a wrong start with sentences and exit code 2', () => {
    const { status, stderr } = runOnce(['run'], HOME, { HEATING2MQTT_WEB_ENABLED: 'false' });
    expect(status).toBe(2);
    expect(stderr).toContain('platform.client_id');
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  test('demo: shows what to try, takes the schedule it proposes, has its page with all that it loads, and stops cleanly', async () => {
    const demo = start(['demo'], HOME);
    const text = await said(demo, 'Ctrl-C stops');
    const url = /mqtt:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0] ?? '';
    const [, topic = '', payload = ''] = /-t (\S+schedule\/set) -m '([^']+)'/.exec(text) ?? [];
    const client = await connectAsync(url);
    await client.publishAsync(topic, payload, { qos: 1 });
    expect(await said(demo, 'applied')).toContain('applied setSchedule');
    await client.endAsync();
    const address = /https?:\/\/127\.0\.0\.1:\d+\//.exec(text)?.[0] ?? '';
    const page = await fetch(address);
    expect(page.headers.get('content-security-policy')).toContain("require-trusted-types-for 'script'");
    const files = [...(await page.text()).matchAll(/(?:src|href)="\.\/([\w.-]+)"/g)].map(([, name = '']) => name);
    expect(files.map((name) => name.replace(/^.*\./, ''))).toEqual(expect.arrayContaining(['js', 'css', 'svg']));
    // The manifest keeps its name in all versions.
    for (const name of files.filter((one) => one !== 'manifest.webmanifest')) {
      const file = await fetch(new URL(name, address));
      expect([name, file.status, file.headers.get('cache-control')]).toEqual([name, 200, 'public, max-age=31536000, immutable']);
    }
    const state = await (await fetch(new URL('api/state', address))).text();
    expect(state).toContain('heating2mqtt/home/heating/circuits/0/heating/schedule/entries');
    expect(await stopped(demo)).toBe(0);
    expect(demo.text).not.toContain('Warning');
  });
});

describe('the release as a bridge', () => {
  let simulator: Simulator;
  const settings = (broker: string, dataDir: string) => ({
    platform: { base_url: simulator.url, auth_url: simulator.url, client_id: 'heating2mqtt-demo', scope: 'IoT User offline_access' },
    mqtt: { url: broker },
    devices: [{ name: 'home', installation: simulator.installation, gateway: simulator.gateway, device: '0', features: [SCHEDULE] }],
    data_dir: dataDir,
  });
  beforeAll(async () => {
    simulator = await startSimulator();
  });
  afterAll(() => simulator.close());

  test('check, run, check --health, a write, and a clean stop', async () => {
    const dir = tempDir();
    const broker = await startEmbeddedBroker(0);
    const recorder = await listen(broker.url);
    writeFileSync(join(dir, 'settings.yaml'), JSON.stringify(settings(broker.url, join(dir, 'data'))));
    const config = ['--config', 'settings.yaml'];
    const checked = async (args: readonly string[]) => {
      const child = start(['check', ...config, ...args], dir);
      await once(child, 'exit');
      return { code: child.exitCode, text: child.text };
    };
    const before = await checked([]);
    expect(before).toMatchObject({ code: 1 });
    expect(before.text).toContain('heating2mqtt login');
    expect(await checked(['--health'])).toMatchObject({ code: 1 });

    await storeTokens(join(dir, 'data'), simulator);
    expect(await checked([])).toMatchObject({ code: 0 });
    const bridge = start(['run', ...config], dir);
    await recorder.untilTopic(`${SCHEDULE_TOPIC}/entries`);
    await recorder.until(({ topic }) => topic === 'heating2mqtt/bridge/health');
    expect(await checked(['--health'])).toMatchObject({ code: 0 });
    const calls = simulator.calls().length;
    expect(await checked([])).toMatchObject({ code: 0 });
    expect(simulator.calls().length).toBe(calls);

    await recorder.publish(`${SCHEDULE_TOPIC}/set`, '{"sun":[]}');
    await recorder.until(({ topic, payload }) => topic === `${SCHEDULE_TOPIC}/result` && payload.includes('"applied"'));
    expect(await stopped(bridge)).toBe(0);
    expect(recorder.last('heating2mqtt/bridge/state')).toBe('offline');
    expect(bridge.text).not.toContain('Warning');
    expect(bridge.text).not.toContain(simulator.issueTokens().access_token);
    await recorder.close();
    await broker.close();
  });

  // Loaded at their first use, by scripts/late.ts.
  describe('reaches its broker', () => {
    const reached = async (mqtt: object, env: NodeJS.ProcessEnv = {}): Promise<void> => {
      const dir = tempDir();
      const { mqtt: _, ...rest } = settings('', join(dir, 'data'));
      writeFileSync(join(dir, 'settings.yaml'), JSON.stringify({ ...rest, mqtt }));
      await storeTokens(join(dir, 'data'), simulator);
      const child = start(['check', '--config', 'settings.yaml'], dir, env);
      await once(child, 'exit');
      expect(child).toMatchObject({ exitCode: 0, text: expect.stringContaining('broker') });
    };

    test('by TLS', async () => {
      const dir = tempDir();
      const broker = await startMosquitto({ tls: true, config: makeCertificates(dir).config });
      await reached({ url: broker.url, ca: join(dir, 'authority.crt') });
      await broker.stop();
    });

    test.each(['ws', 'wss'])('by %s', async (protocol) => {
      const dir = tempDir();
      const broker = await startMosquitto();
      const certificates = makeCertificates(dir);
      const front = await startWebSocketFront(broker.port, protocol === 'wss' ? certificates : undefined);
      await reached({ url: `${protocol}://127.0.0.1:${front.port}`, ...(protocol === 'wss' ? { ca: join(dir, 'authority.crt') } : {}) });
      await front.close();
      await broker.stop();
    });

    test('by a SOCKS proxy', async () => {
      const broker = await startMosquitto();
      const proxy = await startSocksProxy();
      await reached({ url: broker.url }, { MQTTJS_SOCKS_PROXY: proxy.url });
      expect(proxy.asked).toEqual([broker.port]);
      await proxy.close();
      await broker.stop();
    });
  });
});
