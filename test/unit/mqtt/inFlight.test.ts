import { expect, test } from 'vitest';
import { messagesInFlight } from '../../../src/mqtt/inFlight.ts';
import { fakeClock, settled } from '../../support/time/fakeClock.ts';

const setUp = () => {
  const clock = fakeClock();
  let lost = 0;
  const inFlight = messagesInFlight(30_000, clock, () => {
    lost += 1;
  });
  /** Sends one; gives what acknowledges it. */
  const send = (): (() => Promise<void>) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    void inFlight.track(promise);
    return async () => {
      resolve();
      await settled();
    };
  };
  return { clock, inFlight, send, lost: () => lost };
};

test('what is acknowledged in its time is never lost, however much there is and however long it goes on', async () => {
  const { clock, send, lost, inFlight } = setUp();
  const open = [send(), send()];
  for (let step = 0; step < 100; step += 1) {
    await clock.pass(20_000);
    await open.shift()?.();
    open.push(send());
  }
  for (const acknowledge of open) await acknowledge();
  await clock.pass(1e6);
  expect(inFlight.size).toBe(0);
  expect(lost()).toBe(0);
});

test('nothing acknowledged for the limit is told once', async () => {
  const { clock, send, lost } = setUp();
  for (let n = 0; n < 20; n += 1) send();
  await clock.pass(29_999);
  expect(lost()).toBe(0);
  await clock.pass(1);
  expect(lost()).toBe(1);
  send();
  await clock.pass(1e6);
  expect(lost()).toBe(1);
});

test('one acknowledgement that got lost is noticed while others come', async () => {
  const { clock, send, lost } = setUp();
  await send()();
  await clock.pass(1e6);
  send();
  for (let second = 0; second < 29; second += 1) {
    await clock.pass(1000);
    await send()();
  }
  expect(lost()).toBe(0);
  await clock.pass(1000);
  expect(lost()).toBe(1);
});

test('a failure ends the waiting too, and so does the end of the connection', async () => {
  const { clock, inFlight, lost, send } = setUp();
  await expect(inFlight.track(Promise.reject(new Error('refused')))).rejects.toThrow('refused');
  await clock.pass(60_000);
  send();
  inFlight.end();
  await clock.pass(60_000);
  expect(lost()).toBe(0);
});
