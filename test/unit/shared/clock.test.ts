import { expect, onTestFinished, test } from 'vitest';
import { wakeLoop } from '../../../src/shared/clock.ts';
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
