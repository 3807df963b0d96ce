import { expect, test } from 'vitest';
import { OutOfStep, whereStuck } from '../../../src/fleet/outOfStep.ts';

test('another node is to lead a stream that takes nothing for a while, once, and not where it refuses or takes something', async () => {
  let nowMs = 0;
  let asked = 0;
  const led = whereStuck(
    async () => {
      asked += 1;
      throw new Error('it does not answer either');
    },
    () => nowMs,
    20_000,
  );
  const timeout = Object.assign(new Error('timeout'), { name: 'TimeoutError' });
  const tryAt = async (ms: number, cause?: Error): Promise<number> => {
    nowMs = ms;
    const done = led(async () => {
      if (cause) throw cause;
      return 'taken';
    });
    if (cause) await expect(done).rejects.toBe(cause);
    else expect(await done).toBe('taken');
    return asked;
  };
  expect([await tryAt(0, timeout), await tryAt(19_000, timeout), await tryAt(20_000, timeout)]).toEqual([0, 0, 1]);
  expect([await tryAt(21_000, timeout), await tryAt(40_000, timeout), await tryAt(41_000, timeout)]).toEqual([1, 1, 2]);
  expect([await tryAt(50_000, timeout), await tryAt(60_000), await tryAt(75_000, timeout)]).toEqual([2, 2, 2]);
  expect([await tryAt(90_000, new OutOfStep('wrong last sequence')), await tryAt(100_000, timeout)]).toEqual([2, 2]);
  // Nothing was written for minutes, as where NATS was away.
  expect([await tryAt(400_000, timeout), await tryAt(410_000, timeout), await tryAt(420_000, timeout)]).toEqual([2, 2, 3]);
});
