import { describe, expect, onTestFinished, test } from 'vitest';
import { startMosquitto } from '../support/network/mosquitto.ts';
import { type Heard, listen, type MqttRecorder } from '../support/network/mqttRecorder.ts';
import { day } from '../support/schedules/weeks.ts';
import {
  BRIDGE_RESULT,
  barrier,
  DEVICE_RESULT,
  ENTRIES,
  hurry,
  ONE,
  RESULT,
  resultIn,
  SET,
  terminalFor,
} from '../support/schedules/writing.ts';
import { published } from '../support/system/outcome.ts';
import { SCHEDULE_TOPIC, startTestSystem, type TestSystem } from '../support/system/testSystem.ts';

const WISH = JSON.stringify({ mon: day('04:00-05:00 comfort') });
const REPLY = 'flows/reply';

type World = { readonly system: TestSystem; readonly asker: MqttRecorder };

/** A test system over Mosquitto, and a client with MQTT 5 that asks and hears everything. */
const start = async (): Promise<World> => {
  const mosquitto = await startMosquitto({ config: ['set_tcp_nodelay true'] });
  onTestFinished(() => mosquitto.stop());
  const system = await startTestSystem({ ...ONE, brokerUrl: mosquitto.url });
  onTestFinished(() => system.close());
  const asker = await listen(mosquitto.url, { protocolVersion: 5 });
  onTestFinished(() => asker.close());
  hurry(system.recorder);
  hurry(asker);
  await published(system);
  return { system, asker };
};

/** What came on each topic of answers. */
const repliesOn = (heard: readonly Heard[], topic: string): [status: string, correlation: string | undefined][] =>
  heard.filter((one) => one.topic === topic).map((one) => [resultIn(one).status, one.correlation]);

describe('a response topic (MQTT 5)', () => {
  const ask = async ({ system, asker }: World, topic: string, payload: string, responseTopic: string): Promise<readonly Heard[]> => {
    const from = asker.heard.length;
    await asker.publish(topic, payload, { responseTopic, correlation: 'nr 7' });
    await terminalFor(asker, topic, from, topic.includes('/bridge/') ? BRIDGE_RESULT : DEVICE_RESULT);
    await barrier({ recorder: asker });
    await barrier(system);
    return asker.heard.slice(from);
  };

  test('gets every answer, with the correlation data, and so do the result topics', async () => {
    const world = await start();
    const heard = await ask(world, SET, WISH, REPLY);
    expect(repliesOn(heard, REPLY)).toEqual([
      ['accepted', 'nr 7'],
      ['applied', 'nr 7'],
    ]);
    expect(repliesOn(heard, RESULT).map(([status]) => status)).toEqual(['accepted', 'applied']);
    const [first] = heard.filter(({ topic }) => topic === REPLY);
    expect(first?.retain).toBe(false);
    expect(await ask(world, SET, 'nonsense', REPLY).then((all) => repliesOn(all, REPLY))).toEqual([['rejected', 'nr 7']]);
  });

  test('gets the answers of the bridge itself too', async () => {
    const world = await start();
    const heard = await ask(world, 'heating2mqtt/bridge/poll/set', 'home', REPLY);
    expect(repliesOn(heard, REPLY)).toEqual([['applied', 'nr 7']]);
  });

  test.each([RESULT, DEVICE_RESULT])('that is a result topic gets each answer once: %s', async (topic) => {
    const heard = await ask(await start(), SET, WISH, topic);
    expect(repliesOn(heard, topic).map(([status]) => status)).toEqual(['accepted', 'applied']);
  });

  test.each([
    SET,
    `${SCHEDULE_TOPIC}/validate`,
    `${SCHEDULE_TOPIC}/call/setSchedule`,
    'heating2mqtt/bridge/poll/set',
    'heating2mqtt/other/%zz/set',
    ENTRIES,
    'heating2mqtt/home/availability',
    'heating2mqtt/home/without/a/value',
    'heating2mqtt/bridge/state',
    BRIDGE_RESULT,
    '$SYS/broker/version',
  ])('that is one of our own is not used: %s', async (topic) => {
    const world = await start();
    const { system } = world;
    const kept = system.recorder.last(topic);
    const heard = await ask(world, SET, 'nonsense', topic);
    const there = heard.filter((one) => one.topic === topic).map(({ payload }) => payload);
    expect(there.filter((payload) => payload.includes('"status"') && !payload.includes('barrier'))).toEqual([]);
    if (topic !== BRIDGE_RESULT) expect(system.recorder.last(topic)).toBe(topic === SET ? 'nonsense' : kept);
    expect(system.posts()).toEqual([]);
    expect(heard.filter((one) => one.topic === DEVICE_RESULT)).toHaveLength(1);
  });

  test('that is a document of a hub is not used', async () => {
    const world = await start();
    const document = world.system.recorder.heard.find(({ topic }) => topic.startsWith('homeassistant/'));
    const heard = await ask(world, SET, 'nonsense', document?.topic ?? '');
    expect(document).toBeDefined();
    expect(heard.filter(({ topic }) => topic === document?.topic)).toEqual([]);
  });
});
