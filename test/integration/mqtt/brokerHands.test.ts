import { describe, expect, onTestFinished, test } from 'vitest';
import { startEmbeddedBroker } from '../../../src/mqtt/embeddedBroker.ts';
import { hasMosquitto, NO_MOSQUITTO, startMosquitto } from '../../support/network/mosquitto.ts';
import { listen } from '../../support/network/mqttRecorder.ts';
import { startProxy } from '../../support/network/proxy.ts';
import { BRIDGE_RESULT, barrier, hurry, terminalFor } from '../../support/schedules/writing.ts';
import { type ProcessSystem, processSystem } from '../../support/system/processSystem.ts';
import { retainedOn } from '../../support/system/retainedTopics.ts';
import { awayFromChange } from '../../support/time/awayFromChange.ts';

const STATE = 'heating2mqtt/bridge/state';
const HEALTH = 'heating2mqtt/bridge/health';
const AVAILABILITY = 'heating2mqtt/home/availability';
const BRIDGE_DOCUMENT = 'homeassistant/device/heating2mqtt_bridge/config';

type Broker = { readonly url: string; readonly port: number };

const mosquitto = async (): Promise<Broker> => {
  const broker = await startMosquitto({ config: ['set_tcp_nodelay true'] });
  onTestFinished(() => broker.stop());
  return broker;
};

const aedes = async (): Promise<Broker> => {
  const broker = await startEmbeddedBroker(0);
  onTestFinished(() => broker.close());
  return broker;
};

const BROKERS = [['MQTT 3.1.1 (aedes)', aedes, 4], ...(hasMosquitto ? [['MQTT 5 (Mosquitto)', mosquitto, 5] as const] : [])] as const;

/** What was heard but for reports, answers, and what tests send themselves. */
const outside = (heard: ProcessSystem['recorder']['heard']) =>
  heard.filter(({ topic }) => !/^(heating2mqtt\/(bridge|nobody)|test)\//.test(topic));

/** Somebody else publishes, retained. */
const plant = async ({ recorder }: ProcessSystem, topic: string, payload: string): Promise<void> => {
  const from = recorder.heard.length;
  await recorder.publish(topic, payload, { retain: true });
  await recorder.untilTopic(topic, payload, from);
};

// Repairs wait some seconds, and processes take their time to start.
describe.each(BROKERS)('%s', (_name, makeBroker, protocolVersion) => {
  const begin = async () => {
    // A test takes 15 seconds and counts messages.
    await awayFromChange(25_000);
    const broker = await makeBroker();
    const system = await processSystem({ brokerUrl: broker.url, protocolVersion });
    return { broker, system };
  };

  test('a command that is sent on seeing `online` is answered, at each start and at each new connection', async () => {
    const broker = await makeBroker();
    const proxy = await startProxy(broker.port);
    onTestFinished(() => proxy.close());
    const system = await processSystem({ brokerUrl: broker.url, bridgeUrl: proxy.url, protocolVersion });
    const flow = await listen(broker.url, { protocolVersion });
    onTestFinished(() => flow.close());
    hurry(flow);
    const asked: string[] = [];
    flow.client.on('message', (topic, payload, { retain }) => {
      if (topic !== STATE || String(payload) !== 'online' || retain) return;
      asked.push(`heating2mqtt/nobody/x${asked.length}/set`);
      flow.client.publish(asked.at(-1) ?? '', 'x', { qos: 1 });
    });
    const answered = async (count: number): Promise<void> => {
      await expect.poll(() => asked.length, { interval: 5 }).toBe(count);
      await terminalFor(system.recorder, asked.at(-1) ?? '', 0, BRIDGE_RESULT);
    };
    for (let count = 1; count <= 3; count += 1) {
      const bridge = system.start();
      await answered(count);
      await bridge.end('SIGKILL');
    }
    const bridge = await system.started();
    await answered(4);
    proxy.cut();
    await answered(5);
    await bridge.end('SIGTERM');
  });

  test('a foreign `offline` on `bridge/state` is set right, and a device that somebody made unavailable too', async () => {
    const { system } = await begin();
    const bridge = await system.started();
    await system.recorder.until(({ topic }) => topic.startsWith('homeassistant/device/heating2mqtt_7'));
    await barrier(system);
    const from = system.recorder.heard.length;
    await Promise.all([STATE, AVAILABILITY].map((topic) => plant(system, topic, 'offline')));
    for (const topic of [STATE, AVAILABILITY]) await system.recorder.untilTopic(topic, 'online', from);
    await barrier(system);
    expect(outside(system.recorder.heard.slice(from)).map(({ topic }) => topic)).toEqual([AVAILABILITY, AVAILABILITY]);
    await bridge.end('SIGTERM');
    expect((await retainedOn(system.brokerUrl)).get(STATE)).toBe('offline');
  });

  test('documents that somebody deleted are back some seconds later, each once', async () => {
    const { system } = await begin();
    await system.started();
    const documents = [...(await retainedOn(system.brokerUrl))].filter(([topic]) => topic.startsWith('homeassistant/'));
    expect(documents.map(([topic]) => topic)).toContain(BRIDGE_DOCUMENT);
    const from = system.recorder.heard.length;
    for (const [topic] of documents) await plant(system, topic, '');
    const since = Date.now();
    for (const [topic, payload] of documents) await system.recorder.until((one) => one.topic === topic && one.payload === payload, from);
    expect(Date.now() - since).toBeGreaterThan(5000);
    await barrier(system);
    expect(outside(system.recorder.heard.slice(from))).toHaveLength(2 * documents.length);
  });

  test('a document that was deleted, and a state that was changed, while the bridge was away are set right by its next start', async () => {
    const { system } = await begin();
    const bridge = await system.started();
    await bridge.end('SIGTERM');
    await plant(system, BRIDGE_DOCUMENT, '');
    await plant(system, AVAILABILITY, 'offline');
    const from = system.recorder.heard.length;
    await system.started();
    await system.recorder.until((one) => one.topic === BRIDGE_DOCUMENT && one.payload !== '', from);
    await system.recorder.untilTopic(AVAILABILITY, 'online', from);
    await barrier(system);
    expect(outside(system.recorder.heard.slice(from)).filter(({ payload }) => payload !== 'offline' && payload !== '')).toHaveLength(2);
  });

  test('`bridge/republish/set` publishes everything retained, `state` and `health` included', async () => {
    const { system } = await begin();
    await system.started();
    const all = [...(await retainedOn(system.brokerUrl)).keys()];
    const from = system.recorder.heard.length;
    await system.recorder.publish('heating2mqtt/bridge/republish/set', 'x');
    for (const topic of all) await system.recorder.until((one) => one.topic === topic && !one.retain && one.payload !== '', from);
    expect(all).toEqual(expect.arrayContaining([STATE, HEALTH, 'heating2mqtt/bridge/info', 'heating2mqtt/bridge/quota', BRIDGE_DOCUMENT]));
  });

  test('a retained beat of 1e308 does not end the repair of a broker that has fallen back', async () => {
    const { system } = await begin();
    const end = async (): Promise<string> => {
      const bridge = await system.started();
      await bridge.end('SIGTERM');
      return (await retainedOn(system.brokerUrl)).get(HEALTH) ?? '';
    };
    await end();
    await plant(system, HEALTH, '{"beat":1e308}');
    const older = await end();
    // What was published since then is lost, as after a power cut.
    await plant(system, 'heating2mqtt/bridge/auth', '');
    await plant(system, HEALTH, older);
    system.simulator.control({ command: 'set', feature: 'heating.sensors.temperature.outside', property: 'value', value: 33.25 });
    const bridge = await system.started();
    const outsideTopic = 'heating2mqtt/home/heating/sensors/temperature/outside/value';
    await system.recorder.publish('heating2mqtt/bridge/poll/set', 'home');
    await system.recorder.untilTopic(outsideTopic, '33.25');
    await bridge.end('SIGTERM');
    await plant(system, outsideTopic, '7');
    await plant(system, HEALTH, older);
    const from = system.recorder.heard.length;
    await system.started();
    await system.recorder.untilTopic(outsideTopic, '33.25', from);
    expect(Number(JSON.parse(older).beat)).toBeLessThan(1000);
  });
});

test.skipIf(hasMosquitto)(`MQTT 5: ${NO_MOSQUITTO}`, ({ skip }) => skip(NO_MOSQUITTO));
