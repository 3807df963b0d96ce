import { expect, onTestFinished, test } from 'vitest';
import { later, wakeLoop, within } from '../../../src/shared/clock.ts';
import { fakeClock, settled } from '../../support/time/fakeClock.ts';

const start = (work: (wake: () => void) => void = () => undefined, pauseMs = 1000) => {
  const clock = fakeClock();
  const loop = wakeLoop(clock);
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const seen = { worked: 0, hasEnded: false };
  const ran = loop.run(stop.signal, () => {
    seen.worked += 1;
    work(loop.wake);
    return pauseMs;
  });
  void ran.then(() => {
    seen.hasEnded = true;
  });
  return { clock, loop, stop, seen };
};

test('work is done at once, after each pause, and as soon as it is woken, until the signal', async () => {
  const { clock, loop, stop, seen } = start();
  expect(seen.worked).toBe(1);
  await clock.pass(2500);
  expect(seen.worked).toBe(3);
  for (let times = 0; times < 3; times += 1) loop.wake();
  await settled();
  expect(seen.worked).toBe(4);
  // The pause begins anew.
  await clock.pass(900);
  expect(seen.worked).toBe(4);
  stop.abort();
  await settled();
  expect(seen).toEqual({ worked: 4, hasEnded: true });
});

test('a wake that comes while it works is not missed, and is one', async () => {
  let wakes = 3;
  const { seen } = start((wake) => {
    wakes -= 1;
    if (wakes >= 0) wake();
    if (wakes >= 0) wake();
  });
  await settled();
  expect(seen.worked).toBe(4);
});

test('a pause below nothing is none', async () => {
  const { clock } = start(undefined, -5);
  await Promise.resolve();
  expect(clock.asked).toEqual([0]);
});

test('the result of work that ends in time is given, its error too, and of other work nothing after that time', async () => {
  const clock = fakeClock();
  expect(await within(clock, 1000, Promise.resolve('done'))).toBe('done');
  await expect(within(clock, 1000, Promise.reject(new Error('wrong')))).rejects.toThrow('wrong');
  const [late, given] = [Promise.withResolvers<string>(), [] as unknown[]];
  void within(clock, 1000, late.promise).then((result) => given.push(result));
  await clock.pass(900);
  expect(given).toEqual([]);
  await clock.pass(200);
  expect(given).toEqual([undefined]);
  const stop = new AbortController();
  void within(clock, 1000, late.promise, stop.signal).then((result) => given.push(result));
  stop.abort();
  await settled();
  expect(given).toEqual([undefined, undefined]);
});

test('what is done later is not done after the signal', async () => {
  const clock = fakeClock();
  const [stop, done] = [new AbortController(), [] as string[]];
  later(clock, 1000, stop.signal, () => done.push('first'));
  later(clock, 2000, stop.signal, () => done.push('second'));
  await clock.pass(1500);
  stop.abort();
  await clock.pass(1500);
  expect(done).toEqual(['first']);
});
