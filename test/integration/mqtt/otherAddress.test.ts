import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { Aedes } from 'aedes';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../support/network/freePort.ts';
import { listen } from '../../support/network/mqttRecorder.ts';
import { startProxy } from '../../support/network/proxy.ts';
import { startTestBroker } from '../../support/network/testBroker.ts';
import { DEVICE_RESULT, terminalFor } from '../../support/schedules/writing.ts';
import { ALL, CANARY, polled, published } from '../../support/system/outcome.ts';
import { startTestSystem } from '../../support/system/testSystem.ts';
import { wrongTopics } from '../../support/system/wrongTopics.ts';

const SLOPE_SET = 'heating2mqtt/home/heating/circuits/0/heating/curve/slope/set';
const STATE = 'heating2mqtt/bridge/state';

const oneOfTwo = async () => {
  const broker = await startTestBroker();
  const proxy = await startProxy(broker.port);
  const recorder = await listen(broker.url);
  onTestFinished(async () => {
    await Promise.all([recorder.close(), proxy.close()]);
    await broker.close();
  });
  return { broker, proxy, recorder };
};

test('of two brokers that share nothing each has everything when the bridge comes to it, and takes commands', async () => {
  const [a, b] = [await oneOfTwo(), await oneOfTwo()];
  const mqtt = { url: a.proxy.url, others: [{ url: b.proxy.url }] };
  const system = await startTestSystem({ ...ALL, brokerUrl: a.broker.url, overrides: { mqtt } });
  onTestFinished(() => system.close());
  const everywhere = system.logged.filter(({ sentence }) => sentence.includes('another address'));
  expect(everywhere).toEqual([]);
  await published(system);
  await expect.poll(() => wrongTopics(system, a.broker.url)).toEqual([]);
  const mark = system.recorder.last('heating2mqtt/bridge/health');

  a.proxy.cut();
  await b.recorder.untilTopic(STATE, 'online');
  await expect.poll(() => wrongTopics(system, b.broker.url)).toEqual([]);
  expect(system.recorder.last(STATE)).toBe('offline');
  await b.recorder.publish(SLOPE_SET, '1.1');
  expect(await terminalFor(b.recorder, SLOPE_SET, 0)).toMatchObject({ status: 'applied' });
  system.simulator.control({ command: 'set', feature: CANARY, value: 3.25 });
  await polled({ ...system, recorder: b.recorder });

  // The first broker still shows its own mark; it is not the last one.
  expect(system.recorder.last('heating2mqtt/bridge/health')).toBe(mark);
  const from = system.recorder.heard.length;
  b.proxy.cut();
  await system.recorder.untilTopic(STATE, 'online', from);
  await expect.poll(() => wrongTopics(system, a.broker.url)).toEqual([]);
  await system.recorder.publish(SLOPE_SET, '1.2');
  expect(await terminalFor(system.recorder, SLOPE_SET, from)).toMatchObject({ status: 'applied' });
  expect(b.recorder.heard.filter(({ topic }) => topic === DEVICE_RESULT).length).toBeGreaterThan(0);
  expect(system.logged.filter(({ sentence }) => sentence.includes('broker at another address'))).toMatchObject([
    { facts: { url: b.proxy.url } },
    { facts: { url: a.proxy.url } },
  ]);
});

test('an address gets its own user alone, also where the bridge looks for what an earlier one has left', async () => {
  const seen: { readonly id: string; readonly user: string | undefined }[] = [];
  const broker = await Aedes.createBroker({
    authenticate: ({ id }, user, _, done) => {
      seen.push({ id, user: user || undefined });
      done(null, true);
    },
  });
  const server = createServer(broker.handle).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(async () => {
    await new Promise<void>((resolve) => broker.close(resolve));
    server.close();
  });
  const mqtt = { url: `mqtt://127.0.0.1:${await freePort()}`, username: 'u', password: 'secret', others: [{ url }] };
  const system = await startTestSystem({ ...ALL, brokerUrl: url, overrides: { mqtt } });
  onTestFinished(() => system.close());
  const ofBridge = () => seen.filter(({ id }) => id.startsWith('heating2mqtt'));
  await expect.poll(() => ofBridge().some(({ id }) => id !== 'heating2mqtt'), { timeout: 20_000 }).toBe(true);
  expect(ofBridge().filter(({ user }) => user !== undefined)).toEqual([]);
});
