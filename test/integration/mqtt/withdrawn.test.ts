import { expect, onTestFinished, test } from 'vitest';
import { startProxy } from '../../support/network/proxy.ts';
import { startTestBroker } from '../../support/network/testBroker.ts';
import { retainedOn } from '../../support/system/retainedTopics.ts';
import { SCHEDULE_TOPIC, startTestSystem } from '../../support/system/testSystem.ts';

test('an end that clears all topics says whether the broker has taken that', async () => {
  const broker = await startTestBroker();
  const proxy = await startProxy(broker.port);
  const system = await startTestSystem({ brokerUrl: broker.url, overrides: { mqtt: { url: proxy.url } } });
  onTestFinished(async () => {
    await system.close();
    await proxy.close();
    await broker.close();
  });
  const record = `${SCHEDULE_TOPIC}/record`;
  await system.recorder.untilTopic(record);
  proxy.cutAfter(20);
  expect(await system.app.stop({ withdraw: true })).toBe(false);
  expect((await retainedOn(broker.url)).size).toBeGreaterThan(10);
  const from = system.recorder.heard.length;
  await system.restart();
  await system.recorder.until(({ topic, payload }) => topic === 'heating2mqtt/bridge/state' && payload === 'online', from);
  expect(await system.app.stop({ withdraw: true })).toBe(true);
  expect([...(await retainedOn(broker.url)).keys()]).toEqual([]);
});
