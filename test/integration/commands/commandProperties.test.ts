import { beforeAll, describe, expect, test } from 'vitest';
import { listen, type Recorder } from '../../support/network/mqttRecorder.ts';
import { AT_MOSQUITTO } from '../../support/network/testBroker.ts';
import { day } from '../../support/schedules/weeks.ts';
import {
  answersOn,
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
} from '../../support/schedules/writing.ts';
import { published } from '../../support/system/outcome.ts';
import { type BridgeSystem, SCHEDULE_TOPIC, startTestSystem } from '../../support/system/testSystem.ts';
import { startVirtualSystem } from '../../support/system/virtualTestSystem.ts';

/** What MQTT 5 adds to a message, at a broker in memory, and again at Mosquitto. */

const WISH = JSON.stringify({ mon: day('04:00-05:00 comfort') });
const REPLY = 'flows/reply';

let system: BridgeSystem;
/** A client with MQTT 5 that hears everything. */
let recorder: Recorder;

const startAtMosquitto = async () => {
  const atBroker = await startTestSystem(ONE);
  const asker = await listen(atBroker.broker.url, { protocolVersion: 5 });
  for (const one of [atBroker.recorder, asker]) hurry(one);
  [system, recorder] = [atBroker, asker];
  await published(system);
  return async () => {
    await asker.close();
    await system.close();
  };
};

beforeAll(async () => {
  if (AT_MOSQUITTO) return startAtMosquitto();
  system = await startVirtualSystem(ONE);
  recorder = system.recorder;
  await published(system);
  return () => system.close();
});

describe('a response topic', () => {
  const ask = async (topic: string, payload: string, responseTopic: string) => {
    const from = recorder.heard.length;
    await recorder.publish(topic, payload, { responseTopic, correlation: 'nr 7' });
    await terminalFor(recorder, topic, from, topic.includes('/bridge/') ? BRIDGE_RESULT : DEVICE_RESULT);
    await barrier({ recorder });
    return recorder.heard.slice(from);
  };
  /** What came on a topic of answers: its status, with the correlation data. */
  const repliesOn = async (heard: ReturnType<typeof ask>, topic: string) =>
    (await heard).filter((one) => one.topic === topic).map((one) => [resultIn(one).status, one.correlation]);

  test('gets every answer, with the correlation data, those of the bridge too', async () => {
    const heard = ask(SET, WISH, REPLY);
    expect(await repliesOn(heard, REPLY)).toEqual([
      ['accepted', 'nr 7'],
      ['applied', 'nr 7'],
    ]);
    expect((await repliesOn(heard, RESULT)).map(([status]) => status)).toEqual(['accepted', 'applied']);
    expect(await repliesOn(ask(SET, 'nonsense', REPLY), REPLY)).toEqual([['rejected', 'nr 7']]);
    expect(await repliesOn(ask('heating2mqtt/bridge/poll/set', 'home', REPLY), REPLY)).toEqual([['applied', 'nr 7']]);
    expect((await system.retained()).has(REPLY)).toBe(false);
  });

  test.each([RESULT, DEVICE_RESULT])('that is a result topic gets each answer once: %s', async (topic) => {
    expect((await repliesOn(ask(SET, 'nonsense', topic), topic)).map(([status]) => status)).toEqual(['rejected']);
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
    'homeassistant/device/heating2mqtt_bridge/config',
  ])('that is one of our own is not used: %s', async (topic) => {
    const [posts, kept] = [system.posts().length, recorder.last(topic)];
    const heard = await ask(SET, 'nonsense', topic);
    const there = heard.filter((one) => one.topic === topic).map(({ payload }) => payload);
    expect(there.filter((payload) => payload.includes('"status"') && !payload.includes('barrier'))).toEqual([]);
    if (topic !== BRIDGE_RESULT) expect(recorder.last(topic)).toBe(topic === SET ? 'nonsense' : kept);
    expect(system.posts()).toHaveLength(posts);
    expect(heard.filter((one) => one.topic === DEVICE_RESULT)).toHaveLength(1);
  });
});

describe('a retained command', () => {
  const told = () => system.logged.filter(({ level, sentence }) => level === 'warn' && sentence.includes('cleared'));

  test('that another client clears is neither executed nor answered', async () => {
    const [from, posts] = [recorder.heard.length, system.posts().length];
    await recorder.publish(SET, '', { retain: true });
    await barrier({ recorder });
    expect(answersOn(recorder.heard.slice(from), DEVICE_RESULT)).toEqual([]);
    expect([system.posts().length, told()]).toEqual([posts, []]);
  });

  test('that is published live is not executed, cleared, told once, answered once, and the value falls back', async () => {
    const [from, posts] = [recorder.heard.length, system.posts().length];
    await recorder.publish(SET, JSON.stringify({ tue: [] }), { retain: true });
    expect(await terminalFor(recorder, SET, from)).toMatchObject({ status: 'rejected', code: 'retained', topic: SET });
    await expect.poll(async () => (await system.retained()).has(SET)).toBe(false);
    await barrier({ recorder });
    expect(system.posts()).toHaveLength(posts);
    const heard = recorder.heard.slice(from);
    expect(answersOn(heard, DEVICE_RESULT)).toHaveLength(1);
    expect(heard.filter(({ topic }) => topic === ENTRIES)).toHaveLength(1);
    expect(told().map(({ sentence }) => sentence)).toEqual(['a retained command was not executed; its topic was cleared']);
  });
});
