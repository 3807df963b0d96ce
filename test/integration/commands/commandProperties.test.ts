import { describe, expect, test } from 'vitest';
import { day } from '../../support/schedules/weeks.ts';
import {
  answersOn,
  BRIDGE_RESULT,
  barrier,
  DEVICE_RESULT,
  ENTRIES,
  RESULT,
  resultIn,
  SET,
  sharedSystem,
  started,
  terminalFor,
} from '../../support/schedules/writing.ts';
import { SCHEDULE_TOPIC } from '../../support/system/testSystem.ts';

/** What MQTT 5 adds to a message; the same over a real broker: test/brokers, and writesRetained.test.ts with MQTT 3.1.1. */

const WISH = JSON.stringify({ mon: day('04:00-05:00 comfort') });
const REPLY = 'flows/reply';

describe('a response topic', () => {
  const system = sharedSystem({});
  const ask = async (topic: string, payload: string, responseTopic: string) => {
    const { recorder } = system();
    const from = recorder.heard.length;
    await recorder.publish(topic, payload, { responseTopic, correlation: 'nr 7' });
    await terminalFor(recorder, topic, from, topic.includes('/bridge/') ? BRIDGE_RESULT : DEVICE_RESULT);
    await barrier(system());
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
    const posts = system().posts().length;
    const heard = await ask(SET, 'nonsense', topic);
    const there = heard.filter((one) => one.topic === topic).map(({ payload }) => payload);
    expect(there.filter((payload) => payload.includes('"status"') && !payload.includes('barrier'))).toEqual([]);
    expect(system().posts()).toHaveLength(posts);
    expect(heard.filter((one) => one.topic === DEVICE_RESULT)).toHaveLength(1);
  });
});

describe('a retained command', () => {
  const NOT_EXECUTED = 'a retained command was not executed; its topic was cleared';

  test('that is published live is not executed, cleared, told once, answered once, and the value falls back', async () => {
    const system = await started({});
    const from = system.recorder.heard.length;
    await system.recorder.publish(SET, WISH, { retain: true });
    expect(await terminalFor(system.recorder, SET, from)).toMatchObject({ status: 'rejected', code: 'retained', topic: SET });
    await barrier(system);
    expect(system.onBroker.has(SET)).toBe(false);
    expect(system.posts()).toEqual([]);
    const heard = system.recorder.heard.slice(from);
    expect(answersOn(heard, DEVICE_RESULT)).toHaveLength(1);
    expect(heard.filter(({ topic }) => topic === ENTRIES)).toHaveLength(1);
    const told = system.logged.filter(({ level, sentence }) => level === 'warn' && sentence.includes('cleared'));
    expect(told.map(({ sentence }) => sentence)).toEqual([NOT_EXECUTED]);
  });

  test('that another client clears is neither executed nor answered', async () => {
    const system = await started({});
    const from = system.recorder.heard.length;
    await system.recorder.publish(SET, '', { retain: true });
    await barrier(system);
    expect(answersOn(system.recorder.heard.slice(from), DEVICE_RESULT)).toEqual([]);
    expect(system.logged.filter(({ sentence }) => sentence.includes('cleared'))).toEqual([]);
  });
});
