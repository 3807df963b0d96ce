import { describe, expect, test } from 'vitest';
import { RetainedCommands } from '../../../../src/bridge/commands/retainedCommands.ts';
import { fakeClock } from '../../../support/time/fakeClock.ts';

const message = (payload: string, topic = 'a/set') => ({ topic, payload: Buffer.from(payload), retain: false });

describe('a retained message', () => {
  test('waited, where nothing like it came live', () => {
    const retained = new RetainedCommands(fakeClock());
    expect(retained.whatIs(message('x'))).toBe('waited');
    retained.live(message('y'));
    retained.live(message('x', 'b/set'));
    expect(retained.whatIs(message('x'))).toBe('waited');
  });

  test('is the copy of what was executed, and any further copy is another', () => {
    const retained = new RetainedCommands(fakeClock());
    retained.live(message('x'));
    retained.live(message('y'));
    expect(retained.whatIs(message('x'))).toBe('executed');
    expect(retained.whatIs(message('x'))).toBe('again');
    retained.live(message('x'));
    expect(retained.whatIs(message('x'))).toBe('executed');
  });

  test('waited, where what came live came long ago', async () => {
    const clock = fakeClock();
    const retained = new RetainedCommands(clock);
    retained.live(message('x'));
    await clock.pass(9_999);
    expect(retained.whatIs(message('x'))).toBe('executed');
    await clock.pass(1);
    expect(retained.whatIs(message('x'))).toBe('waited');
  });

  test('waited, where it came live on an earlier connection', () => {
    const retained = new RetainedCommands(fakeClock());
    retained.live(message('x'));
    retained.clearing('a/set');
    retained.reconnected();
    expect(retained.whatIs(message('x'))).toBe('waited');
    expect(retained.isOwnEcho('a/set')).toBe(false);
  });
});

describe('an empty message', () => {
  test('is our own as often as we cleared the topic', () => {
    const retained = new RetainedCommands(fakeClock());
    expect(retained.isOwnEcho('a/set')).toBe(false);
    retained.clearing('a/set');
    retained.clearing('a/set');
    expect([1, 2, 3].map(() => retained.isOwnEcho('a/set'))).toEqual([true, true, false]);
    expect(retained.isOwnEcho('b/set')).toBe(false);
  });
});
