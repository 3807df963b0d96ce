import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startProxy } from '../support/network/proxy.ts';
import { startTestBroker } from '../support/network/testBroker.ts';
import { BRIDGE_RESULT, barrier, hurry, terminalFor } from '../support/schedules/writing.ts';
import { clockWithSpeed } from '../support/system/clockWithSpeed.ts';
import { ALL, CANARY, CANARY_TOPIC, published } from '../support/system/outcome.ts';
import { retainedOn } from '../support/system/retainedTopics.ts';
import { startTestSystem, type TestSystem } from '../support/system/testSystem.ts';

const STATE = 'heating2mqtt/bridge/state';
const HEALTH = 'heating2mqtt/bridge/health';
const AVAILABILITY = 'heating2mqtt/home/availability';
const BRIDGE_DOCUMENT = 'homeassistant/device/heating2mqtt_bridge/config';

/** What was heard but for reports, answers, and what tests send themselves. */
const outside = (heard: TestSystem['recorder']['heard']) =>
  heard.filter(({ topic }) => !/^(heating2mqtt\/(bridge|nobody)|test)\//.test(topic));

/** Somebody else publishes, retained. */
const plant = async ({ recorder }: TestSystem, topic: string, payload: string): Promise<void> => {
  const from = recorder.heard.length;
  await recorder.publish(topic, payload, { retain: true });
  await recorder.untilTopic(topic, payload, from);
};

/** Ends the bridge; gives what its last health report says. */
const stopped = async (system: TestSystem): Promise<string> => {
  await system.stopApp();
  await system.recorder.caughtUp();
  return (await retainedOn(system.broker.url)).get(HEALTH) ?? '';
};

const restarted = async (system: TestSystem): Promise<void> => {
  const from = system.recorder.heard.length;
  await system.restart();
  await published(system, from);
};

test('a command that is sent on seeing `online` is answered, at each start and at each new connection', async () => {
  const broker = await startTestBroker();
  onTestFinished(() => broker.close());
  const proxy = await startProxy(broker.port);
  onTestFinished(() => proxy.close());
  const asked: string[] = [];
  const system = await startTestSystem({
    ...ALL,
    brokerUrl: broker.url,
    overrides: { mqtt: { url: proxy.url } },
    prepare: (_, recorder) => {
      hurry(recorder);
      recorder.client.on('message', (topic, payload, { retain }) => {
        if (topic !== STATE || String(payload) !== 'online' || retain) return;
        asked.push(`heating2mqtt/nobody/x${asked.length}/set`);
        recorder.client.publish(asked.at(-1) ?? '', 'x', { qos: 1 });
      });
    },
  });
  onTestFinished(() => system.close());
  const answered = async (count: number): Promise<void> => {
    await expect.poll(() => asked.length, { interval: 5 }).toBe(count);
    await terminalFor(system.recorder, asked.at(-1) ?? '', 0, BRIDGE_RESULT);
  };
  await answered(1);
  await system.restart();
  await answered(2);
  await published(system);
  proxy.cut();
  await answered(3);
});

describe('what somebody else has changed', () => {
  const { clock, setSpeed } = clockWithSpeed();
  let system: TestSystem;
  beforeAll(async () => {
    system = await startTestSystem({ ...ALL, clock });
    hurry(system.recorder);
    await published(system);
  });
  afterAll(() => system.close());
  /** Repairs wait some seconds, and a minute after others. */
  const quickly = async (repaired: () => Promise<unknown>): Promise<void> => {
    setSpeed(10);
    await repaired();
    setSpeed(1);
  };

  test('on `bridge/state`, and the availability of a device, is set right', async () => {
    await barrier(system);
    const from = system.recorder.heard.length;
    await quickly(async () => {
      await Promise.all([STATE, AVAILABILITY].map((topic) => plant(system, topic, 'offline')));
      for (const topic of [STATE, AVAILABILITY]) await system.recorder.untilTopic(topic, 'online', from);
    });
    await barrier(system);
    expect(outside(system.recorder.heard.slice(from)).map(({ topic }) => topic)).toEqual([AVAILABILITY, AVAILABILITY]);
  });

  test('documents that were deleted are back some seconds later, each once', async () => {
    const documents = [...(await retainedOn(system.broker.url))].filter(([topic]) => topic.startsWith('homeassistant/'));
    expect(documents.map(([topic]) => topic)).toContain(BRIDGE_DOCUMENT);
    const from = system.recorder.heard.length;
    const sinceMs = clock.elapsedMs();
    await quickly(async () => {
      for (const [topic] of documents) await plant(system, topic, '');
      for (const [topic, payload] of documents) await system.recorder.until((one) => one.topic === topic && one.payload === payload, from);
    });
    expect(clock.elapsedMs() - sinceMs).toBeGreaterThan(5000);
    await barrier(system);
    expect(outside(system.recorder.heard.slice(from))).toHaveLength(2 * documents.length);
  });

  test('`bridge/republish/set` publishes everything retained, `state` and `health` included', async () => {
    const all = [...(await retainedOn(system.broker.url)).keys()];
    const from = system.recorder.heard.length;
    await system.recorder.publish('heating2mqtt/bridge/republish/set', 'x');
    for (const topic of all) await system.recorder.until((one) => one.topic === topic && !one.retain && one.payload !== '', from);
    expect(all).toEqual(expect.arrayContaining([STATE, HEALTH, 'heating2mqtt/bridge/info', 'heating2mqtt/bridge/quota', BRIDGE_DOCUMENT]));
  });

  test('while the bridge was away is set right by its next start: a document deleted, a state changed', async () => {
    await stopped(system);
    expect((await retainedOn(system.broker.url)).get(STATE)).toBe('offline');
    await plant(system, BRIDGE_DOCUMENT, '');
    await plant(system, AVAILABILITY, 'offline');
    const from = system.recorder.heard.length;
    await restarted(system);
    await quickly(async () => {
      await system.recorder.until((one) => one.topic === BRIDGE_DOCUMENT && one.payload !== '', from);
      await system.recorder.untilTopic(AVAILABILITY, 'online', from);
    });
    await barrier(system);
    expect(outside(system.recorder.heard.slice(from)).filter(({ payload }) => payload !== 'offline' && payload !== '')).toHaveLength(2);
  });

  test('a retained beat of 1e308 does not end the repair of a broker that has fallen back', async () => {
    await stopped(system);
    await plant(system, HEALTH, '{"beat":1e308}');
    await restarted(system);
    const older = await stopped(system);
    // What was published since then is lost, as after a power cut.
    await plant(system, 'heating2mqtt/bridge/auth', '');
    await plant(system, HEALTH, older);
    system.simulator.control({ command: 'set', feature: CANARY, property: 'value', value: 33.25 });
    await restarted(system);
    await system.recorder.publish('heating2mqtt/bridge/poll/set', 'home');
    await system.recorder.untilTopic(CANARY_TOPIC, '33.25');
    await stopped(system);
    await plant(system, CANARY_TOPIC, '7');
    await plant(system, HEALTH, older);
    const from = system.recorder.heard.length;
    await restarted(system);
    await system.recorder.untilTopic(CANARY_TOPIC, '33.25', from);
    expect(Number(JSON.parse(older).beat)).toBeLessThan(1000);
  });
});
