import { describe, expect, onTestFinished, test } from 'vitest';
import { startMosquitto } from '../support/network/mosquitto.ts';
import { listen } from '../support/network/mqttRecorder.ts';
import { SET, terminalFor } from '../support/schedules/writing.ts';
import { FEW, published } from '../support/system/outcome.ts';
import { retainedOn } from '../support/system/retainedTopics.ts';
import { startTestSystem, type TestSystemOptions } from '../support/system/testSystem.ts';

describe.each(['5', '3.1.1'] as const)('MQTT %s, a broker as it is delivered', (version) => {
  const start = async (options: TestSystemOptions = {}) => {
    const broker = await startMosquitto();
    onTestFinished(() => broker.stop());
    const system = await startTestSystem({ ...FEW, ...options, brokerUrl: broker.url, overrides: { mqtt: { version } } });
    onTestFinished(() => system.close());
    await published(system);
    return { broker, system };
  };

  test('a flood of rubbish: a write behind it is carried out and answered, and the connection stands', async () => {
    const { broker, system } = await start();
    const other = await listen(broker.url);
    onTestFinished(() => other.close());
    const from = system.recorder.heard.length;
    for (let sent = 0; sent < 20_000; sent += 1) {
      other.client.publish(`heating2mqtt/home/nothing/n${sent % 50}/set`, `rubbish ${sent}`, { qos: 0 });
      // The client would keep all of them before it sends the first.
      if (sent % 500 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await other.publish(SET, '{"value":{"mon":[]},"id":"honest"}');
    expect(await terminalFor(other, SET, 0)).toMatchObject({ status: 'applied', id: 'honest' });
    expect(system.logged.filter(({ sentence }) => sentence.startsWith('connection to the broker lost'))).toEqual([]);
    expect(system.recorder.heard.slice(from).filter(({ topic }) => topic === 'heating2mqtt/bridge/state')).toEqual([]);
  });

  test('two thousand retained commands: none is executed, each is cleared, and the log says so', async () => {
    const topics = Array.from({ length: 2000 }, (_, n) => `heating2mqtt/home/nothing/n${n}/set`);
    const { broker, system } = await start({
      prepare: async (_, recorder) => {
        await Promise.all(topics.map((topic) => recorder.publish(topic, '1', { retain: true })));
      },
    });
    await expect.poll(async () => [...(await retainedOn(broker.url)).keys()].filter((topic) => topic.endsWith('/set'))).toEqual([]);
    const told = () => system.logged.flatMap(({ facts, sentence }) => (/not executed; .* cleared$/.test(sentence) ? [facts] : []));
    const count = (): number => told().reduce((sum, facts) => sum + ('topics' in facts ? Number(facts.topics) : 1), 0);
    await expect.poll(count).toBe(2000);
    expect(system.posts()).toEqual([]);
  });
});
