import { describe, expect, onTestFinished, test } from 'vitest';
import { defaultHome, type Home } from '../../src/simulator/home/home.ts';
import { featureTopics, recordsFrom, stateOf } from '../support/devices/expected.ts';
import { freePort } from '../support/network/freePort.ts';
import { startMosquitto } from '../support/network/mosquitto.ts';
import { listen } from '../support/network/mqttRecorder.ts';
import { type BrokerProxy, startProxy } from '../support/network/proxy.ts';
import { AT_MOSQUITTO, startTestBroker, type TestBroker, VERSIONS } from '../support/network/testBroker.ts';
import { ALL, CANARY, heardInPoll, isOwn, published } from '../support/system/outcome.ts';
import { processSystem } from '../support/system/processSystem.ts';
import { retainedOn } from '../support/system/retainedTopics.ts';
import { startTestSystem, type TestSystem, type TestSystemOptions } from '../support/system/testSystem.ts';
import { untilSo } from '../support/system/untilSo.ts';

const makeBroker = async (port?: number): Promise<TestBroker> => {
  const broker = await startTestBroker(port);
  onTestFinished(() => broker.close());
  return broker;
};

const start = async (options: TestSystemOptions): Promise<TestSystem> => {
  const system = await startTestSystem(options);
  onTestFinished(() => system.close());
  return system;
};

const said = (system: TestSystem, level: string) => system.logged.filter((line) => line.level === level).map(({ sentence }) => sentence);

const documentsOf = (retained: ReadonlyMap<string, unknown>): readonly string[] =>
  [...retained.keys()].filter((topic) => topic.startsWith('homeassistant/'));

/** The broker holds what the platform's records say of the device. */
const expectAll = async (system: TestSystem, url: string, documents = 7): Promise<void> => {
  // Documents of parts come one after the other.
  await expect.poll(async () => documentsOf(await retainedOn(url))).toHaveLength(documents);
  const retained = await retainedOn(url);
  const wanted = stateOf('heating2mqtt/home', await recordsFrom(system.simulator, system.settings.devices[0]?.device ?? ''));
  const seen = featureTopics(retained, 'heating2mqtt/home');
  expect([...seen.keys()].sort()).toEqual([...wanted.keys()].sort());
  for (const [topic, payload] of wanted) if (payload) expect([topic, seen.get(topic)]).toEqual([topic, payload]);
  expect(retained.get('heating2mqtt/bridge/state')).toBe('online');
  expect(retained.get('heating2mqtt/home/availability')).toBe('online');
};

/** A recorder and a bridge whose broker will be reached through the proxy. */
const throughProxy = async (
  broker: Pick<TestBroker, 'url' | 'port'>,
  options: TestSystemOptions = ALL,
): Promise<{ system: TestSystem; proxy: BrokerProxy }> => {
  const proxy = await startProxy(broker.port);
  onTestFinished(() => proxy.close());
  const system = await start({ ...options, brokerUrl: broker.url, overrides: { ...options.overrides, mqtt: { url: proxy.url } } });
  return { system, proxy };
};

describe('the broker', () => {
  test('is what the bridge speaks there', async () => {
    const broker = await makeBroker();
    const system = await start({ ...ALL, brokerUrl: broker.url });
    await published(system);
    expect(JSON.parse(system.recorder.last('heating2mqtt/bridge/info') ?? '')).toMatchObject({ protocol: VERSIONS[0] });
    await expectAll(system, broker.url);
  });

  test('a broker that comes after the bridge gets everything, and its absence is told once', async () => {
    const port = await freePort();
    const early = await makeBroker();
    const system = await start({ ...ALL, brokerUrl: early.url, overrides: { mqtt: { url: `mqtt://127.0.0.1:${port}` } } });
    await untilSo(() => said(system, 'warn').length > 0);
    const broker = await makeBroker(port);
    const recorder = await listen(broker.url);
    onTestFinished(() => recorder.close());
    await recorder.untilTopic('heating2mqtt/bridge/health');
    await expectAll(system, broker.url);
    expect(said(system, 'warn')).toEqual(['broker not reached; trying again']);
  });

  test('a broker restarted empty gets everything again; what changed meanwhile is not missing', async () => {
    const first = await makeBroker();
    const system = await start({ ...ALL, brokerUrl: first.url });
    await published(system);
    await first.close();
    system.simulator.control({ command: 'set', feature: CANARY, value: 3.25 });
    const reads = system.reads();
    await untilSo(() => said(system, 'warn').includes('connection to the broker lost'));
    const from = system.recorder.heard.length;
    const second = await makeBroker(first.port);
    await published(system, from);
    await system.recorder.publish('heating2mqtt/bridge/poll/set', 'home');
    await untilSo(() => system.reads() > reads);
    await system.recorder.untilTopic('heating2mqtt/home/heating/sensors/temperature/outside/value', '3.25', from);
    await expectAll(system, second.url);
    expect(said(system, 'warn')).toEqual(['connection to the broker lost']);
    expect(said(system, 'info').filter((sentence) => sentence.includes('broker'))).toEqual([
      'connected to the broker',
      'connected to the broker again',
    ]);
  });

  test('a connection cut in the midst of 500 topics is made again, with nothing missing', async () => {
    const features = Object.fromEntries(
      Array.from({ length: 250 }, (_, n) => [`test.feature.${n}`, { properties: { value: { type: 'number', value: n } } }]),
    );
    const home: Home = { ...defaultHome, lives: false, gatewayFeatures: {}, devices: { '0': { features } } };
    const broker = await makeBroker();
    const proxy = await startProxy(broker.port);
    onTestFinished(() => proxy.close());
    proxy.cutAfter(250);
    const system = await start({ ...ALL, simulator: { home }, brokerUrl: broker.url, overrides: { mqtt: { url: proxy.url } } });
    await published(system);
    await expectAll(system, broker.url, 2);
    expect(said(system, 'warn')).toEqual(['connection to the broker lost']);
    expect(proxy.mostUnacknowledged()).toBeLessThanOrEqual(AT_MOSQUITTO ? 20 : 16);
  });

  test('a cut connection to a broker that has forgotten nothing publishes nothing', async () => {
    const broker = await makeBroker();
    const { system, proxy } = await throughProxy(broker);
    await published(system);
    await expectAll(system, broker.url);
    // The next report is the mark that the broker has everything before it.
    await heardInPoll(system);
    await system.recorder.untilTopic('heating2mqtt/bridge/health', undefined, system.recorder.heard.length);
    const from = system.recorder.heard.length;
    proxy.cut();
    await untilSo(() => said(system, 'info').includes('connected to the broker again') && system.app.status().broker);
    expect(await heardInPoll(system)).toEqual([]);
    expect(system.recorder.heard.slice(from).filter((one) => !isOwn(one) && !one.topic.includes('/outside/'))).toEqual([]);
  });

  test('the will says `offline` after a kill', async () => {
    const broker = await makeBroker();
    const { recorder, started } = await processSystem({ brokerUrl: broker.url, protocolVersion: AT_MOSQUITTO ? 5 : 4 });
    const from = recorder.heard.length;
    const bridge = await started();
    expect((await retainedOn(broker.url)).get('heating2mqtt/bridge/state')).toBe('online');
    await bridge.end('SIGKILL');
    await recorder.untilTopic('heating2mqtt/bridge/state', 'offline', from);
    expect((await retainedOn(broker.url)).get('heating2mqtt/bridge/state')).toBe('offline');
  });
});

// Limits that the embedded broker cannot be given.
if (AT_MOSQUITTO) {
  describe('a message that is too long for the broker', () => {
    const big = { 'a.big': { properties: { value: { type: 'string', value: 'x'.repeat(9000) } } } };
    const features = { ...defaultHome.devices['0']?.features, ...big };
    const bigHome: Home = { ...defaultHome, lives: false, devices: { '0': { features } } };
    const BIG = 'heating2mqtt/home/a/big/value';

    test.each(VERSIONS)('MQTT %s: is told with its topic and left out, and the others come through', async (version) => {
      const broker = await startMosquitto({ config: ['max_packet_size 8192'] });
      onTestFinished(() => broker.stop());
      const system = await start({
        ...ALL,
        simulator: { home: bigHome },
        brokerUrl: broker.url,
        overrides: { mqtt: { version }, homeassistant: { discovery: 'off' } },
      });
      const told = () => system.logged.filter(({ facts }) => 'topic' in facts && facts.topic === BIG);
      await untilSo(() => told().length > 0);
      const from = system.recorder.heard.length;
      system.simulator.control({ command: 'set', feature: CANARY, value: 5.5 });
      await untilSo(() => system.app.status().broker);
      await system.recorder.publish('heating2mqtt/bridge/poll/set', 'home');
      await system.recorder.untilTopic('heating2mqtt/home/heating/sensors/temperature/outside/value', '5.5', from);
      const seen = featureTopics(await retainedOn(broker.url), 'heating2mqtt/home');
      const wanted = stateOf('heating2mqtt/home', await recordsFrom(system.simulator, '0'));
      expect([...seen.keys()].sort()).toEqual([...wanted.keys()].filter((topic) => topic !== BIG).sort());
      expect(told()).toMatchObject([{ level: 'warn', facts: { bytes: 9000 } }]);
      system.simulator.control({ command: 'set', feature: 'a.big', value: 'short' });
      await system.recorder.publish('heating2mqtt/bridge/poll/set', 'home');
      await system.recorder.untilTopic(BIG, 'short');
    });
  });

  test('a broker that takes few messages at a time is never given more', async () => {
    const broker = await startMosquitto({ config: ['max_inflight_messages 3'] });
    onTestFinished(() => broker.stop());
    const { system, proxy } = await throughProxy(broker);
    await published(system);
    await expectAll(system, broker.url);
    const from = system.recorder.heard.length;
    await system.recorder.publish('heating2mqtt/bridge/republish/set', 'all');
    await system.recorder.untilTopic('heating2mqtt/bridge/health', undefined, from);
    expect(proxy.mostUnacknowledged()).toBeLessThanOrEqual(3);
    expect(new Set(proxy.connects)).toEqual(new Set([5]));
  });
}
