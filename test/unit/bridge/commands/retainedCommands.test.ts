import { describe, expect, test } from 'vitest';
import { RetainedCommands } from '../../../../src/bridge/commands/retainedCommands.ts';
import { type FakeClock, fakeClock } from '../../../support/time/fakeClock.ts';

const message = (payload: string, topic = 'a/set') => ({ topic, payload: Buffer.from(payload), retain: false });

/** With the topics that are cleared and the warnings, in order. */
const begin = (protocol: '5' | '3.1.1' = '3.1.1', clock: FakeClock = fakeClock()) => {
  const [cleared, warned]: [string[], string[]] = [[], []];
  const silent = () => undefined;
  const log = { debug: silent, info: silent, error: silent, warn: (_: object, sentence: string) => void warned.push(sentence) };
  const publisher = { send: ({ topic, payload }: { topic: string; payload: string }) => void cleared.push(`${topic} ${payload}`) };
  return { retained: new RetainedCommands({ protocol }, publisher, clock, log), cleared, warned };
};

describe('a retained message is cleared and', () => {
  test('refused where nothing like it came live', () => {
    const { retained, cleared, warned } = begin();
    expect(retained.clear(message('x'))).toBe(true);
    retained.live(message('y'));
    retained.live(message('x', 'b/set'));
    expect(retained.clear(message('x'))).toBe(true);
    expect(cleared).toEqual(['a/set ', 'a/set ']);
    expect(warned).toEqual(Array(2).fill('a retained command was not executed; its topic was cleared'));
  });

  test('not refused where it is the copy of what was executed; a further copy is not cleared again', () => {
    const { retained, cleared, warned } = begin();
    retained.live(message('x'));
    retained.live(message('y'));
    expect([retained.clear(message('x')), cleared.length]).toEqual([false, 1]);
    expect([retained.clear(message('x')), cleared.length]).toEqual([false, 1]);
    retained.live(message('x'));
    expect([retained.clear(message('x')), cleared.length]).toEqual([false, 2]);
    expect(warned).toEqual(Array(2).fill('a command was published retained; its topic was cleared'));
  });

  test('refused where what came live came long ago', async () => {
    const clock = fakeClock();
    const { retained } = begin('3.1.1', clock);
    retained.live(message('x'));
    await clock.pass(9_999);
    expect(retained.clear(message('x'))).toBe(false);
    await clock.pass(1);
    expect(retained.clear(message('x'))).toBe(true);
  });

  test('refused where it came live on an earlier connection', () => {
    const { retained } = begin();
    retained.live(message('x'));
    retained.clear(message('y'));
    retained.reconnected();
    expect(retained.isOwnEcho('a/set')).toBe(false);
    expect(retained.clear(message('x'))).toBe(true);
  });

  test('refused always with MQTT 5, which shows the flag of a live message', () => {
    const { retained } = begin('5');
    retained.live(message('x'));
    expect(retained.clear(message('x'))).toBe(true);
    expect(retained.isOwnEcho('a/set')).toBe(false);
  });
});

describe('an empty message', () => {
  test('is our own as often as we cleared the topic', () => {
    const { retained } = begin();
    expect(retained.isOwnEcho('a/set')).toBe(false);
    retained.clear(message('x'));
    retained.clear(message('y'));
    expect([1, 2, 3].map(() => retained.isOwnEcho('a/set'))).toEqual([true, true, false]);
    expect(retained.isOwnEcho('b/set')).toBe(false);
  });
});
