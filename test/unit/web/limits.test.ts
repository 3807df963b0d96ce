import { expect, test } from 'vitest';
import { BoundedQueue, RequestLimit, TryLimit } from '../../../src/web/security/limits.ts';

test('a client makes 100 requests at once and 10 a second from then on, and slows down no other', () => {
  const limit = new RequestLimit();
  const taken = (client: string, count: number, nowMs: number): number =>
    Array.from({ length: count }, () => limit.takes(client, nowMs)).filter(Boolean).length;
  expect(taken('a', 150, 0)).toBe(100);
  expect(taken('b', 20, 0)).toBe(20);
  expect(taken('a', 100, 500)).toBe(5);
  expect(taken('a', 100, 1500)).toBe(10);
  expect(taken('a', 150, 600_000)).toBe(100);
});

test('as many clients as one likes are remembered in bounded room', () => {
  const limit = new RequestLimit();
  for (let client = 0; client < 5000; client += 1) expect(limit.takes(String(client), 0)).toBe(true);
  // The latest ones are remembered.
  for (let request = 1; request < 100; request += 1) limit.takes('4999', 0);
  expect(limit.takes('4999', 0)).toBe(false);
});

test('five tries a minute a client', () => {
  const limit = new TryLimit();
  expect(Array.from({ length: 7 }, (_, i) => limit.take('a', i * 1000))).toEqual([0, 0, 0, 0, 0, 55, 54]);
  expect(limit.take('b', 7000)).toBe(0);
  expect(limit.take('a', 60_000)).toBe(0);
  expect(limit.take('a', 60_000)).toBe(1);
});

test('thirty tries a minute of all, and one of each beyond: nobody locks out the others', () => {
  const limit = new TryLimit();
  for (let i = 0; i < 30; i += 1) expect(limit.take(`10.0.0.${i % 6}`, i * 100)).toBe(0);
  expect([limit.take('10.0.0.0', 3000), limit.take('192.168.1.2', 3000), limit.take('192.168.1.2', 4000)]).toEqual([57, 0, 57]);
  expect(limit.take('192.168.1.2', 63_000)).toBe(0);
});

test('a try that was not looked at does not count, also beyond the thirty', () => {
  const limit = new TryLimit();
  for (let i = 0; i < 30; i += 1) limit.take(`10.0.0.${i}`, 0);
  for (let i = 0; i < 3; i += 1) {
    expect(limit.take('192.168.1.2', i)).toBe(0);
    limit.giveBack('192.168.1.2');
  }
  expect([limit.take('192.168.1.2', 4), limit.take('192.168.1.2', 5)]).toEqual([0, 60]);
});

test('all addresses of an IPv6 network are one client', () => {
  const limit = new TryLimit();
  const tries = ['2001:db8::1', '2001:db8:0:0:9::1', '2001:DB8::ffff', '2001:db8::192.168.1.1', '2001:db8::', '2001:db8::2'];
  expect(tries.map((address) => limit.take(address.toLowerCase(), 0))).toEqual([0, 0, 0, 0, 0, 60]);
  expect(limit.take('2001:db8:0:1::1', 0)).toBe(0);
});

test('the right password ends the count', () => {
  const limit = new TryLimit();
  for (let i = 0; i < 5; i += 1) limit.take('a', 0);
  limit.worked('a');
  expect(limit.take('a', 0)).toBe(0);
});

test('checks of a password run one at a time, with a queue of five', async () => {
  const queue = new BoundedQueue();
  let [running, most] = [0, 0];
  const work = async (): Promise<true> => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    return true;
  };
  const taken = await Promise.all(Array.from({ length: 20 }, () => queue.run(work)));
  expect(taken.filter((one) => one === true)).toHaveLength(6);
  expect(most).toBe(1);
  expect(await queue.run(work)).toBe(true);
  await expect(queue.run(() => Promise.reject(new Error('x')))).rejects.toThrow('x');
  expect(await queue.run(work)).toBe(true);
});
