import { expect, test } from 'vitest';
import type { Connection } from '../../../../../src/bridge/ports.ts';
import { mqttSession } from '../../../../../src/bridge/publish/broker/mqttSession.ts';
import { recordingLog } from '../../../../support/system/testSystem.ts';
import { fakeClock, settled } from '../../../../support/time/fakeClock.ts';

const setUp = (acknowledged: Promise<void> = Promise.resolve()) => {
  const clock = fakeClock();
  const done: string[] = [];
  const connection: Connection = {
    window: 16,
    refusesDots: false,
    protocol: '5',
    publish: ({ payload }) => {
      done.push(payload);
      return acknowledged;
    },
    subscribe: async () => undefined,
    unsubscribe: async () => undefined,
  };
  const session = mqttSession('base', undefined, connection, clock, recordingLog([]));
  session.on('ready', () => done.push('ready'));
  session.on('message', ({ topic }) => done.push(topic));
  const receive = (topic: string): void => session.received({ topic, payload: Buffer.from('1'), retain: false });
  /** A connection before the start, on which a first command is heard. */
  const heldConnection = async () => {
    void session.hold();
    const connected = session.connected(false);
    await settled();
    receive('base/first/set');
    return { connected };
  };
  const release = (): Promise<unknown> => {
    void session.release();
    return clock.pass(0);
  };
  return { done, session, receive, heldConnection, release };
};

test('before the start a session says `online`, and what is heard waits for it', async () => {
  const { done, receive, heldConnection, release } = setUp();
  const { connected } = await heldConnection();
  receive('base/second/set');
  await settled();
  expect(done).toEqual(['online']);
  await release();
  await connected;
  receive('base/third/set');
  expect(done).toEqual(['online', 'ready', 'base/first/set', 'base/second/set', 'base/third/set']);
});

test('a connection that was lost before the start loses no command', async () => {
  const { done, session, receive, heldConnection, release } = setUp();
  const { connected } = await heldConnection();
  session.disconnected();
  await release();
  await connected;
  expect(done).toEqual(['online', 'base/first/set']);
  await session.connected(false);
  receive('base/second/set');
  expect(done).toEqual(['online', 'base/first/set', 'online', 'ready', 'base/second/set']);
});

test('what was heard on two connections before the start is taken once, on the second', async () => {
  const { done, session, receive, heldConnection, release } = setUp();
  const { connected: first } = await heldConnection();
  session.disconnected();
  const second = session.connected(false);
  await settled();
  receive('base/second/set');
  await release();
  await Promise.all([first, second]);
  expect(done).toEqual(['online', 'online', 'ready', 'base/first/set', 'base/second/set']);
});

test('a start that does not wait takes what is heard at once', async () => {
  const { done, session, receive } = setUp();
  receive('base/first/set');
  await session.connected(false);
  expect(done).toEqual(['base/first/set', 'online', 'ready']);
});

test('what `check` sends to find out whether commands would come is no command', async () => {
  const { done, session, receive } = setUp();
  await session.connected(false);
  receive('base/bridge/check/set');
  receive('base/bridge/poll/set');
  expect(done).toEqual(['online', 'ready', 'base/bridge/poll/set']);
});

test('a stop while the broker has not acknowledged `online` says `offline` behind it', async () => {
  const acknowledge = Promise.withResolvers<void>();
  const { done, session } = setUp(acknowledge.promise);
  const connected = session.connected(false);
  await settled();
  const ended = session.sayOffline(false);
  acknowledge.resolve();
  expect(await ended).toBe(false);
  await connected;
  expect(done.filter((one) => one !== 'ready')).toEqual(['online', 'offline']);
});

test('a stop before `online` was said: it is not said any more', async () => {
  const { done, session } = setUp();
  const connected = session.connected(false);
  expect(await session.sayOffline(false)).toBe(false);
  await connected;
  await session.announce();
  expect(done).toEqual([]);
});
