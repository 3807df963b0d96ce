import { describe, expect, test } from 'vitest';
import { duplicateMessages } from '../../../../../src/bridge/writes/intake/duplicateMessages.ts';
import type { Incoming } from '../../../../../src/shared/message.ts';
import { fakeClock } from '../../../../support/time/fakeClock.ts';

const T = 'b/home/odd/call/set';
const message = (payload = '1', more: Partial<Incoming> = {}): Incoming => ({
  topic: T,
  payload: Buffer.from(payload),
  retain: false,
  ...more,
});

describe('of messages whose topic two filters match', () => {
  test('the second is a copy where it follows at once and is the same', () => {
    const copies = duplicateMessages('b', fakeClock());
    expect([message(), message(), message(), message()].map((one) => copies.isCopy(one))).toEqual([false, true, false, true]);
  });

  test.each([
    ['another payload', message('2')],
    ['another topic', message('1', { topic: 'b/other/odd/call/set' })],
    ['another correlation', message('1', { correlationData: Buffer.from('x') })],
    ['another topic for the answer', message('1', { responseTopic: 'x' })],
  ])('one with %s is none', (_, other) => {
    const copies = duplicateMessages('b', fakeClock());
    expect([message(), other].map((one) => copies.isCopy(one))).toEqual([false, false]);
  });

  test('one that comes later, or after another message, is none', async () => {
    const clock = fakeClock();
    const copies = duplicateMessages('b', clock);
    expect(copies.isCopy(message())).toBe(false);
    await clock.pass(200);
    expect(copies.isCopy(message())).toBe(false);
    expect(copies.isCopy(message('x', { topic: 'b/home/x/set' }))).toBe(false);
    expect(copies.isCopy(message())).toBe(false);
  });

  test('who writes on, off and on at once has written three messages', () => {
    const copies = duplicateMessages('b', fakeClock());
    const written = [message('1'), message('0'), message('1')];
    expect(written.map((one) => copies.isCopy(one))).toEqual([false, false, false]);
    const twice = written.flatMap((one) => [one, one]);
    expect(twice.map((one) => copies.isCopy(one))).toEqual([true, false, false, true, false, true]);
  });

  test('a retained one may come with others between', () => {
    const copies = duplicateMessages('b', fakeClock());
    const kept = message('1', { retain: true });
    expect([kept, message('2', { retain: true }), kept, kept].map((one) => copies.isCopy(one))).toEqual([false, false, true, false]);
  });
});

test('other topics have no copies', () => {
  const copies = duplicateMessages('b', fakeClock());
  const one = message('1', { topic: 'b/home/x/set' });
  expect([one, one].map((again) => copies.isCopy(again))).toEqual([false, false]);
});
