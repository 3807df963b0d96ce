import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { askBridge } from '../../../src/cli/check/checkBridge.ts';
import { type Host, startHost, startPage } from '../../../src/cli/host.ts';
import type { Settings } from '../../../src/config/settings.ts';
import { startEmbeddedBroker } from '../../../src/mqtt/embeddedBroker.ts';
import { systemClock } from '../../../src/shared/clock.ts';
import { LogRing } from '../../../src/shared/log.ts';
import { startSimulator } from '../../../src/simulator/simulator.ts';
import { listen } from '../../support/network/mqttRecorder.ts';
import { startProcess } from '../../support/system/process.ts';
import { recordingLog, SCHEDULE_TOPIC, stillHome, storeTokens, tempDir, testSettings } from '../../support/system/testSystem.ts';
import { cookieOf, follow, type WebClient, webClient } from '../../support/web/webClient.ts';
import { HASHED_PASSWORD, PASSWORD } from '../../support/web/webSystem.ts';

const running = async (...given: Parameters<typeof startHost>): Promise<Host> => {
  const host = await startHost(...given);
  onTestFinished(() => host.stop());
  await host.ready;
  return host;
};

const VALIDATE = { topic: `${SCHEDULE_TOPIC}/validate`, payload: 'mon none' };

/** Where the bridge has not read yet, its answer comes later than that of the page. */
const answersAgain = (client: WebClient, headers: Record<string, string> = {}) =>
  expect.poll(async () => (await client.post('/api/write', VALIDATE, headers)).json().status).toBe('valid');

const begin = async (web: Partial<Settings['web']> = {}) => {
  const simulator = await startSimulator({ home: stillHome });
  onTestFinished(() => simulator.close());
  const broker = await startEmbeddedBroker(0);
  onTestFinished(() => broker.close());
  const dataDir = tempDir();
  await storeTokens(dataDir, simulator);
  const settings = testSettings(simulator, broker.url, dataDir, {}, { web: { enabled: true, port: 0, ...web } });
  const logged: { level: string; facts: object; sentence: string }[] = [];
  const options = { log: recordingLog(logged), logRing: new LogRing(), isContainer: false };
  const wrong = { ...settings, mqtt: { ...settings.mqtt, ca: '/nowhere.pem' } };
  // A network for documentation (RFC 5737): no address of this machine.
  const elsewhere = { ...settings, web: { ...settings.web, listen: '192.0.2.1', password: HASHED_PASSWORD } };
  const setup = async (): Promise<Host> => {
    const host = startPage({ web: settings.web, log: settings.log, data_dir: dataDir }, options);
    onTestFinished(() => host.stop());
    await host.ready;
    return host;
  };
  return { simulator, broker, settings, wrong, elsewhere, options, logged, dataDir, setup };
};

const listening = async (broker: { readonly url: string }) => {
  const recorder = await listen(broker.url);
  onTestFinished(() => recorder.close());
  return recorder;
};

const portOf = (host: Host): number => Number(new URL(host.web()?.addresses()[0] ?? 'http://localhost:1').port);

describe('the process', () => {
  test('serves the page when the bridge has published what it knows, and says where', async () => {
    const { broker, settings, options, logged } = await begin();
    const recorder = await listening(broker);
    const host = await startHost(settings, options);
    onTestFinished(() => host.stop());
    expect(host.web()).toBeUndefined();
    await host.ready;
    await recorder.caughtUp();
    expect(recorder.last('heating2mqtt/bridge/health')).toBeDefined();
    expect((await webClient(portOf(host)).get('/api/state')).json()).toMatchObject({ topics: { 'heating2mqtt/bridge/state': 'online' } });
    expect(await askBridge(settings.data_dir)).toMatchObject({ page: 'served' });
    const facts = { address: `http://127.0.0.1:${portOf(host)}/` };
    expect(logged).toContainEqual({ level: 'info', facts, sentence: 'the page is served here' });
  });

  test('keeps the page while the bridge starts anew with other settings, and its followers with it', async () => {
    const { settings, options } = await begin({ password: HASHED_PASSWORD });
    const host = await running(settings, options);
    const port = portOf(host);
    const client = webClient(port);
    const cookie = cookieOf(await client.post('/api/login', { password: PASSWORD }));
    const stream = await follow(port, '/api/stream', { cookie });
    const [device] = settings.devices;
    if (!device) throw new Error('no device');
    await host.restart({ ...settings, devices: [{ ...device, name: 'cellar' }] });
    await stream.until(({ data }) => data.topic === 'heating2mqtt/bridge/health', stream.heard.length);
    expect(stream.heard.filter(({ event }) => event === 'reset')).toHaveLength(1);
    expect(portOf(host)).toBe(port);
    const { topics } = (await client.get('/api/state', { cookie })).json();
    expect(topics).toMatchObject({ 'heating2mqtt/cellar/availability': 'online' });
    expect(Object.keys(topics as object).filter((topic) => topic.includes('/home/'))).toEqual([]);
  });

  test('takes other settings of the page, too: another password ends the logins, off closes it', async () => {
    const { settings, options } = await begin({ password: HASHED_PASSWORD });
    const host = await running(settings, options);
    const cookie = cookieOf(await webClient(portOf(host)).post('/api/login', { password: PASSWORD }));
    const web = { ...settings.web, password: 'another password' };
    await Promise.all([host.restart({ ...settings, web }), host.restart({ ...settings, web })]);
    const client = webClient(portOf(host));
    expect((await client.get('/api/state', { cookie })).status).toBe(401);
    expect((await client.post('/api/login', { password: 'another password' })).status).toBe(204);
    const port = portOf(host);
    await host.restart({ ...settings, web: { ...web, enabled: false } });
    expect(host.web()).toBeUndefined();
    await expect(webClient(port).get('/health')).rejects.toThrow('ECONNREFUSED');
    await host.restart({ ...settings, web });
    expect((await webClient(portOf(host)).get('/health')).status).toBe(200);
  });

  test('goes on with the settings before where the new ones cannot work', async () => {
    const { settings, wrong, options } = await begin();
    const host = await running(settings, options);
    const files: string[] = [];
    const swap = (): (() => void) => {
      files.push('restored');
      return () => void files.push('before');
    };
    await expect(host.restart(wrong, { swap })).rejects.toThrow('/nowhere.pem');
    expect(files).toEqual(['restored', 'before']);
    await answersAgain(webClient(portOf(host)));
  });

  test('takes rejected settings back before the further accounts read them', async () => {
    const { settings, wrong, options } = await begin();
    const steps: string[] = [];
    const others = { flush: () => undefined, halt: async () => undefined, resume: () => void steps.push('resume') };
    const host = await running(settings, { ...options, others });
    const restarted = host.restart(wrong, { takeBack: () => void steps.push('takeBack') });
    // What reads the settings at a signal meanwhile, as SIGHUP, waits for that.
    const settled = host.settled().then(() => steps.push('settled'));
    await expect(restarted).rejects.toThrow('/nowhere.pem');
    await settled;
    expect(steps).toEqual(['takeBack', 'resume', 'settled']);
  });

  test('has the log follow the settings with which the bridge runs', async () => {
    const { settings, wrong, options } = await begin();
    const levels: string[] = [];
    const configureLog = async ({ level }: Settings['log']): Promise<void> => void levels.push(level);
    const host = await running(settings, { ...options, configureLog });
    await host.restart({ ...settings, log: { ...settings.log, level: 'debug' } });
    await expect(host.restart(wrong)).rejects.toThrow('/nowhere.pem');
    expect(levels).toEqual(['debug', settings.log.level, 'debug']);
  });

  test('goes on with the settings before where the page itself could not be reached with the new ones', async () => {
    const { settings, elsewhere, options } = await begin({ password: HASHED_PASSWORD });
    const host = await running(settings, options);
    await expect(host.restart(elsewhere)).rejects.toThrow('web.listen');
    const client = webClient(portOf(host));
    const cookie = cookieOf(await client.post('/api/login', { password: PASSWORD }));
    expect((await client.get('/api/state', { cookie })).json()).toMatchObject({ base: 'heating2mqtt' });
    await answersAgain(client, { cookie });
  });

  test('tries again where it cannot even go on with the settings before', async () => {
    const { settings, options, logged, dataDir } = await begin();
    // The half minute until it is tried again.
    const clock = { ...systemClock, sleep: (ms: number, signal?: AbortSignal) => systemClock.sleep(ms === 30_000 ? 300 : ms, signal) };
    const host = await running(settings, { ...options, clock });
    const away = `${dataDir}-away`;
    renameSync(dataDir, away);
    onTestFinished(() => rmSync(away, { recursive: true, force: true }));
    writeFileSync(dataDir, 'a file in place of the folder');
    await expect(host.restart({ ...settings, poll: { ...settings.poll, seconds: 90 } })).rejects.toThrow();
    const client = webClient(portOf(host));
    expect((await client.post('/api/write', VALIDATE)).status).toBe(503);
    expect(logged.filter(({ level }) => level === 'error').map(({ sentence }) => sentence)).toContainEqual(
      'the bridge does not start with the previous settings either; it is tried again',
    );
    rmSync(dataDir);
    renameSync(away, dataDir);
    const isOnline = async () => JSON.stringify((await client.get('/api/state')).json()).includes('"heating2mqtt/bridge/state":"online"');
    await expect.poll(isOnline, { interval: 200 }).toBe(true);
  });

  test('stays in the set-up where the page could not be reached with its settings', async () => {
    const { elsewhere, setup } = await begin();
    const host = await setup();
    await expect(host.restart(elsewhere)).rejects.toThrow('web.listen');
    expect((await webClient(portOf(host)).get('/api/session')).json()).toMatchObject({ mode: 'setup' });
  });

  test('begins with the page alone where there are no settings, and then runs the bridge beside it', async () => {
    const { settings, setup } = await begin();
    const host = await setup();
    const client = webClient(portOf(host));
    expect((await client.get('/api/session')).json()).toEqual({ mode: 'setup', login: 'none', ingress: false });
    expect((await client.get('/api/state')).json()).toMatchObject({ topics: {} });
    await host.restart(settings);
    expect((await webClient(portOf(host)).get('/api/session')).json()).toEqual({ mode: 'run', login: 'none', ingress: false });
  });

  test('runs without the page where its port is taken', async () => {
    const taken = await begin();
    const first = await running(taken.settings, taken.options);
    const { settings, options, logged, broker } = await begin({ port: portOf(first) });
    const recorder = await listening(broker);
    const host = await running(settings, options);
    await recorder.untilTopic('heating2mqtt/bridge/state', 'online');
    expect(host.web()?.addresses()).toEqual([]);
    const facts = { port: portOf(first), address: '127.0.0.1', why: 'EADDRINUSE' };
    const sentence = `port ${portOf(first)} is used by another program; trying again. Set web.port to use another`;
    expect(logged).toContainEqual({ level: 'warn', facts, sentence });
  });

  test('has its page as a command of its own, with the log that it writes, and without secrets', async () => {
    const { settings, simulator } = await begin({ password: PASSWORD, metrics_token: 'for prometheus' });
    // A port that is free now.
    const probe = await startEmbeddedBroker(0);
    await probe.close();
    const bridge = startProcess({ ...settings, web: { ...settings.web, port: probe.port } });
    onTestFinished(() => void bridge.end('SIGKILL'));
    const client = webClient(probe.port);
    await expect.poll(() => client.get('/health').then(({ status }) => status, String), { interval: 100 }).toBe(200);
    const cookie = cookieOf(await client.post('/api/login', { password: PASSWORD }));
    const state = (await client.get('/api/state', { cookie })).text;
    expect(state).toContain('heating2mqtt starts');
    expect(state).toContain('the page is served here');
    for (const secret of [PASSWORD, 'for prometheus', simulator.issueTokens().access_token, cookie]) {
      expect(state).not.toContain(secret);
      expect(bridge.log()).not.toContain(secret);
    }
    const metrics = await client.get('/metrics', { authorization: 'Bearer for prometheus' });
    expect(metrics.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(metrics.text).toContain('heating2mqtt_broker_connected 1\n');
    expect(await bridge.end('SIGTERM')).toBe(0);
  });
});
