import { once } from 'node:events';
import { chmodSync, chownSync, closeSync, existsSync, openSync, readdirSync, readSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startEmbeddedBroker } from '../../src/mqtt/embeddedBroker.ts';
import { startSimulator } from '../../src/simulator/simulator.ts';
import { startAppSystem } from '../support/app/appSystem.ts';
import { TOKEN } from '../support/app/falseSupervisor.ts';
import { freePort } from '../support/network/freePort.ts';
import { listen } from '../support/network/mqttRecorder.ts';
import { SCHEDULE, SCHEDULE_TOPIC, storeTokens, tempDir } from '../support/system/testSystem.ts';
import { buildImages, OTHER, OWN } from './buildImages.ts';
import { Container, SUPERVISOR } from './container.ts';
import { type ImageConfig, ImageStore } from './imageStore.ts';

const ARGS = { VERSION: '1.2.3', REVISION: '0123456789abcdef' };
const SOURCE = 'https://github.com/heating2mqtt/heating2mqtt';
const SECOND = 1e9;

/** `e_machine` in the header of an ELF file. */
const MACHINES = { amd64: 62, arm64: 183 };
const HASS_ARCH = { amd64: 'amd64', arm64: 'aarch64' };

const machineOf = (file: string): number => {
  const header = Buffer.alloc(20);
  const descriptor = openSync(file, 'r');
  readSync(descriptor, header);
  closeSync(descriptor);
  expect(header.toString('latin1', 1, 4)).toBe('ELF');
  return header.readUInt16LE(18);
};

describe('the images', () => {
  let store: ImageStore;
  beforeAll(() => {
    if (process.getuid?.() !== 0) throw new Error('Images are built and run as root.');
    store = new ImageStore();
    buildImages(store, ARGS);
  });
  afterAll(() => store.close());

  describe.each([OWN, OTHER])('for %s', (platform) => {
    test.each(['default', 'app'])('%s: hold the release and a Node for it, and say what they are', (target) => {
      const image = `${target}-${platform}`;
      const { architecture, config } = store.inspect(image);
      expect(architecture).toBe(platform);
      expect(config).toMatchObject({
        Entrypoint: ['node', '/app/heating2mqtt.js'],
        Cmd: ['run'],
        WorkingDir: '/',
        User: target === 'app' ? '0' : '1000',
        ExposedPorts: { '8427/tcp': {} },
        Env: expect.arrayContaining(['NODE_ENV=production', 'HEATING2MQTT_DATA_DIR=/data']),
        Healthcheck: {
          Test: ['CMD', 'node', '/app/heating2mqtt.js', 'check', '--health'],
          Interval: 60 * SECOND,
          Timeout: 10 * SECOND,
          StartPeriod: 60 * SECOND,
          Retries: 3,
        },
      });
      expect(Object.keys(config.Volumes ?? {})).toEqual(target === 'app' ? [] : ['/config', '/data']);
      expect(config.Labels).toMatchObject({
        'org.opencontainers.image.title': 'heating2mqtt',
        'org.opencontainers.image.description': expect.stringContaining('MQTT'),
        'org.opencontainers.image.source': SOURCE,
        'org.opencontainers.image.licenses': 'MIT',
        'org.opencontainers.image.version': ARGS.VERSION,
        'org.opencontainers.image.revision': ARGS.REVISION,
      });
      const ofApp = Object.entries(config.Labels).filter(([name]) => name.startsWith('io.hass.'));
      expect(Object.fromEntries(ofApp)).toEqual(
        target === 'app' ? { 'io.hass.arch': HASS_ARCH[platform], 'io.hass.type': 'app', 'io.hass.version': ARGS.VERSION } : {},
      );

      const root = store.mount(image);
      expect(machineOf(join(root, 'usr/local/bin/node'))).toBe(MACHINES[platform]);
      expect(readdirSync(join(root, 'app')).toSorted()).toEqual(readdirSync('dist').toSorted());
      // Nothing of the checkout but the release: no sources, no packages.
      expect(existsSync(join(root, 'build'))).toBe(false);
      if (target === 'default') expect(statSync(join(root, 'data'))).toMatchObject({ uid: 1000, gid: 1000 });
    });
  });

  /** Checks a running image: who it is, what it may do, that it is healthy, and how it stops. */
  const expectHarmless = async (container: Container, user: number, { Healthcheck }: ImageConfig): Promise<void> => {
    expect(container.status('NSpid')).toMatch(/ 1$/);
    const ids = `${user} ${user} ${user} ${user}`;
    expect(['Uid', 'Gid', 'Groups'].map((name) => container.status(name).trim())).toEqual([ids, ids, '']);
    for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'])
      expect([set, container.status(set)]).toEqual([set, '0'.repeat(16)]);
    expect(container.status('NoNewPrivs')).toBe('1');
    expect(container.exec(['touch', '/app/x'])).toMatchObject({ code: 1, text: expect.stringContaining('Read-only file system') });
    expect(container.exec(Healthcheck.Test.slice(1))).toMatchObject({ code: 0 });
    // So that a check, which comes every minute, costs as little as it can.
    expect(container.exec(['ls', '/tmp/heating2mqtt/compile'])).toMatchObject({ code: 0, text: expect.stringContaining('check') });
    expect(await container.stop()).toBe(0);
    expect(container.text).not.toContain('Warning');
    expect(container.text).not.toContain('EROFS');
  };

  const start = (target: string, volumes: Readonly<Record<string, string>>, env: readonly string[] = []) => {
    const { config } = store.inspect(`${target}-${OWN}`);
    const container = new Container(store.mount(`${target}-${OWN}`), config, volumes, env);
    onTestFinished(() => container.kill());
    return { container, config };
  };

  const ifItRuns = (container: Container): Promise<never> =>
    container.ended().then((code) => Promise.reject(new Error(`ended with ${code}: ${container.text}`)));

  test('default: runs as its user with nothing but its data to write, is healthy, and stops cleanly', async () => {
    const [folder, data] = [tempDir(), tempDir()];
    const simulator = await startSimulator();
    const broker = await startEmbeddedBroker(0);
    const recorder = await listen(broker.url);
    onTestFinished(async () => {
      await recorder.close();
      await broker.close();
      await simulator.close();
    });
    const settings = {
      platform: { base_url: simulator.url, auth_url: simulator.url, client_id: 'heating2mqtt-demo', scope: 'IoT User offline_access' },
      mqtt: { url: broker.url },
      devices: [{ name: 'home', installation: simulator.installation, gateway: simulator.gateway, device: '0', features: [SCHEDULE] }],
      web: { enabled: false },
    };
    chmodSync(folder, 0o755);
    writeFileSync(join(folder, 'local.yaml'), JSON.stringify(settings));
    await storeTokens(data, simulator);
    for (const path of [data, ...readdirSync(data).map((name) => join(data, name))]) chownSync(path, 1000, 1000);
    const { container, config } = start('default', { '/config': folder, '/data': data });
    await Promise.race([recorder.untilTopic(`${SCHEDULE_TOPIC}/entries`), ifItRuns(container)]);
    expect(readdirSync(data)).toContain('heating2mqtt.db');
    await expectHarmless(container, 1000, config);
  });

  test('app: takes options and broker from the Supervisor, as root with nothing but its data to write', async () => {
    const home = await startAppSystem({ options: { platform: { client_id: 'heating2mqtt-demo' } }, notYet: 2 });
    // In the container's file of hosts this address is called `supervisor`.
    const gate = createServer((socket) => void socket.pipe(connect(home.supervisor.port, '127.0.0.1')).pipe(socket));
    gate.listen(80, SUPERVISOR);
    await once(gate, 'listening');
    onTestFinished(() => void gate.close());
    const { container, config } = start('app', { '/config': tempDir(), '/data': home.dataDir }, [
      `SUPERVISOR_TOKEN=${TOKEN}`,
      'HEATING2MQTT_WEB_ENABLED=false',
      'HEATING2MQTT_PLATFORM_PROFILE=v2',
      `HEATING2MQTT_PLATFORM_BASE_URL=${home.simulator.url}`,
      `HEATING2MQTT_PLATFORM_AUTH_URL=${home.simulator.url}`,
    ]);
    const isWeek = ({ topic }: { readonly topic: string }) => topic.endsWith('/heating/circuits/0/heating/schedule/entries');
    await Promise.race([home.recorder.until(isWeek), ifItRuns(container)]);
    expect(home.supervisor.asked.map(({ status }) => status).slice(0, 3)).toEqual([400, 400, 200]);
    expect(container.text).not.toContain(TOKEN);
    await expectHarmless(container, 0, config);
  });

  test('without settings it serves the page that makes them, and is healthy', async () => {
    const [folder, data] = [tempDir(), tempDir()];
    chmodSync(folder, 0o755);
    chownSync(data, 1000, 1000);
    const port = await freePort();
    const { container, config } = start('default', { '/config': folder, '/data': data }, [`HEATING2MQTT_WEB_PORT=${port}`]);
    await container.printed(`:${port}`);
    expect(await fetch(`http://127.0.0.1:${port}/`)).toMatchObject({ status: 200 });
    expect(container.exec(config.Healthcheck.Test.slice(1))).toMatchObject({ code: 0 });
    expect(await container.stop()).toBe(0);
  });
});
