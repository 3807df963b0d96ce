import { expect, test } from 'vitest';
import type { Connection } from '../../../../src/bridge/ports.ts';
import { MqttSession } from '../../../../src/bridge/publishing/mqttSession.ts';
import { recordingLog } from '../../../support/system/testSystem.ts';
import { fakeClock, settled } from '../../../support/time/fakeClock.ts';

const setUp = () => {
  const clock = fakeClock();
  const done: string[] = [];
  const connection: Connection = {
    window: 16,
    protocol: '5',
    publish: async ({ payload }) => void done.push(payload),
    subscribe: async () => undefined,
    unsubscribe: async () => undefined,
  };
  const session = new MqttSession({ base: 'base', hubTopic: undefined }, connection, clock, recordingLog([]));
  session.on('ready', () => done.push('ready'));
  session.on('message', ({ topic }) => done.push(topic));
  const receive = (topic: string): void => session.received({ topic, payload: Buffer.from('1'), retain: false });
  return { clock, done, session, receive };
};

test('before the start a session says `online`, and what is heard waits for it', async () => {
  const { clock, done, session, receive } = setUp();
  session.hold();
  const connected = session.connected(false);
  await settled();
  receive('base/first/set');
  receive('base/second/set');
  await settled();
  expect(done).toEqual(['online']);
  void session.release();
  await clock.pass(0);
  await connected;
  receive('base/third/set');
  expect(done).toEqual(['online', 'ready', 'base/first/set', 'base/second/set', 'base/third/set']);
});

test('a connection that was lost before the start loses no command', async () => {
  const { clock, done, session, receive } = setUp();
  session.hold();
  const connected = session.connected(false);
  await settled();
  receive('base/first/set');
  session.disconnected();
  void session.release();
  await clock.pass(0);
  await connected;
  expect(done).toEqual(['online', 'base/first/set']);
  await session.connected(false);
  receive('base/second/set');
  expect(done).toEqual(['online', 'base/first/set', 'online', 'ready', 'base/second/set']);
});

test('what was heard on two connections before the start is taken once, on the second', async () => {
  const { clock, done, session, receive } = setUp();
  session.hold();
  const first = session.connected(false);
  await settled();
  receive('base/first/set');
  session.disconnected();
  const second = session.connected(false);
  await settled();
  receive('base/second/set');
  void session.release();
  await clock.pass(0);
  await Promise.all([first, second]);
  expect(done).toEqual(['online', 'online', 'ready', 'base/first/set', 'base/second/set']);
});

test('a start that does not wait takes what is heard at once', async () => {
  const { done, session, receive } = setUp();
  receive('base/first/set');
  await session.connected(false);
  expect(done).toEqual(['base/first/set', 'online', 'ready']);
});
