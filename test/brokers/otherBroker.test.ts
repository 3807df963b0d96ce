import { expect, onTestFinished, test } from 'vitest';
import { startMosquitto } from '../support/network/mosquitto.ts';
import { listen } from '../support/network/mqttRecorder.ts';
import { startRabbit } from '../support/network/rabbit.ts';
import { terminalFor } from '../support/schedules/writing.ts';
import { ALL, CANARY, polled, published } from '../support/system/outcome.ts';
import { startTestSystem } from '../support/system/testSystem.ts';
import { wrongTopics } from '../support/system/wrongTopics.ts';

const SLOPE_SET = 'heating2mqtt/home/heating/circuits/0/heating/curve/slope/set';

test('from RabbitMQ to Mosquitto when it is killed, and back: each speaks its own version of MQTT, and everything is there', async () => {
  const rabbit = await startRabbit();
  const mosquitto = await startMosquitto();
  onTestFinished(() => mosquitto.stop());
  const mqtt = { url: rabbit.url, others: [{ url: mosquitto.url }] };
  const system = await startTestSystem({ ...ALL, brokerUrl: rabbit.url, overrides: { mqtt } });
  onTestFinished(() => system.close());
  await published(system);
  await expect.poll(() => wrongTopics(system, rabbit.url)).toEqual([]);

  await rabbit.kill();
  const other = await listen(mosquitto.url);
  onTestFinished(() => other.close());
  await other.untilTopic('heating2mqtt/bridge/state', 'online');
  await expect.poll(() => wrongTopics(system, mosquitto.url)).toEqual([]);
  await other.publish(SLOPE_SET, '1.1');
  expect(await terminalFor(other, SLOPE_SET, 0)).toMatchObject({ status: 'applied' });
  system.simulator.control({ command: 'set', feature: CANARY, value: 3.25 });
  await polled({ ...system, recorder: other });

  const from = system.recorder.heard.length;
  await rabbit.start();
  await mosquitto.kill('SIGKILL');
  await system.recorder.untilTopic('heating2mqtt/bridge/state', 'online', from);
  await expect.poll(() => wrongTopics(system, rabbit.url)).toEqual([]);
  await system.recorder.publish(SLOPE_SET, '1.2');
  expect(await terminalFor(system.recorder, SLOPE_SET, from)).toMatchObject({ status: 'applied' });
  const versions = system.logged.flatMap(({ sentence, facts }) => (sentence.startsWith('connected to the broker') ? [facts] : []));
  expect(versions).toMatchObject([{ url: rabbit.url }, { url: mosquitto.url, protocol: '5' }, { url: rabbit.url }]);
}, 180_000);
