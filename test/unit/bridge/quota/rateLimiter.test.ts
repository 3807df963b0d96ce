import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CallHistory, CallRecord } from '../../../../src/bridge/ports.ts';
import { RateLimiter } from '../../../../src/bridge/quota/rateLimiter.ts';

const ALLOWANCE = { per_10_minutes: 120, per_day: 1450, reserve_for_commands: 50 };
const START = Date.parse('2026-11-21T12:00:00Z');
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A machine: its disk, and clocks of which the wall's can be set. */
const machine = () => {
  let [elapsed, wall] = [5000, START];
  let lines: readonly CallRecord[] = [];
  const clock = { now: () => wall, elapsedMs: () => elapsed };
  const memory = (lost = 0): CallHistory => ({
    kept: lines,
    lost,
    append: (line) => {
      lines = [...lines, line];
    },
    rewrite: (all) => {
      lines = all;
    },
  });
  return {
    clock,
    start: (lost = 0): RateLimiter => new RateLimiter(ALLOWANCE, clock, memory(lost), () => 0),
    pass: (ms: number) => {
      elapsed += ms;
      wall += ms;
    },
    setClock: (ms: number) => {
      wall += ms;
    },
    /** A new process: its span clock begins anew. */
    reboot: () => {
      elapsed = 0;
    },
    now: () => elapsed,
  };
};

const spend = (quota: RateLimiter, calls: number, atMs: number): void => {
  for (let call = 0; call < calls; call += 1) quota.count(atMs);
};

const limited = (facts: object) => Object.assign(new Error(), { code: 'rate_limited', executed: 'no' as const, ...facts });

describe('counting', () => {
  test('calls are told apart by what they were for; also after a restart', async () => {
    const home = machine();
    let quota = home.start();
    for (const kind of ['read', 'command', 'discovery', 'identity', 'read']) quota.calls.onCall(kind);
    await quota.poll(async () => quota.calls.onCall('read'));
    expect(quota.causes(home.now())).toEqual({ confirm: 2, command: 1, discovery: 1, identity: 1, poll: 1 });
    home.reboot();
    quota = home.start();
    quota.calls.onCall('command');
    expect(quota.causes(home.now())).toEqual({ confirm: 2, command: 2, discovery: 1, identity: 1, poll: 1 });
    home.pass(DAY_MS + 1);
    expect(quota.causes(home.now())).toEqual({});
  });

  test('windows slide, and restarts forget nothing', () => {
    const home = machine();
    let quota = home.start();
    spend(quota, 30, home.now());
    home.pass(9 * MINUTE_MS);
    spend(quota, 10, home.now());
    home.reboot();
    quota = home.start();
    expect(quota.used(home.now())).toEqual({ per_10_minutes: 40, per_day: 40 });
    home.pass(2 * MINUTE_MS);
    expect(quota.used(home.now())).toEqual({ per_10_minutes: 10, per_day: 40 });
    home.pass(DAY_MS - 10 * MINUTE_MS);
    expect(quota.used(home.now())).toEqual({ per_10_minutes: 0, per_day: 10 });
  });

  test('whatever the clock of the machine does, a restart counts no less than what truly is in the windows', () => {
    const step = fc.record({ calls: fc.nat(20), passMs: fc.nat(3 * HOUR_MS), jumpMs: fc.integer({ min: -5 * DAY_MS, max: 5 * DAY_MS }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        const home = machine();
        let quota = home.start();
        let total = 0;
        const truly: { atMs: number; calls: number }[] = [];
        for (const { calls, passMs, jumpMs } of steps) {
          home.setClock(jumpMs);
          spend(quota, calls, home.now());
          truly.push({ atMs: total, calls });
          home.pass(passMs);
          total += passMs;
          if (calls === 0) continue;
          home.reboot();
          quota = home.start();
        }
        const inDay = truly.filter(({ atMs }) => atMs > total - DAY_MS).reduce((sum, { calls }) => sum + calls, 0);
        expect(quota.used(home.now()).per_day).toBeGreaterThanOrEqual(inDay);
      }),
    );
  });

  test('a disk that may have lost lines counts them as made just now', () => {
    const home = machine();
    expect(home.start(7).used(home.now())).toEqual({ per_10_minutes: 7, per_day: 7 });
  });
});

describe('who may go', () => {
  test.each([
    [99, true, true],
    [100, false, true],
    [119, false, true],
    [120, false, false],
  ])('after %i calls in ten minutes: a read %s, a command %s', (calls, read, command) => {
    const home = machine();
    const quota = home.start();
    spend(quota, calls, home.now());
    expect([quota.mayRead(home.now()), quota.mayCommand(home.now())]).toEqual([read, command]);
  });

  test.each([
    [1399, true, true],
    [1400, false, true],
    [1450, false, false],
  ])('after %i calls in a day: a read %s, a command %s', (calls, read, command) => {
    const home = machine();
    const quota = home.start();
    spend(quota, calls, home.now());
    home.pass(HOUR_MS);
    expect([quota.mayRead(home.now()), quota.mayCommand(home.now())]).toEqual([read, command]);
  });

  test('a command that finds the window full knows when there is room', () => {
    const home = machine();
    const quota = home.start();
    spend(quota, 1, home.now());
    home.pass(4 * MINUTE_MS);
    spend(quota, 119, home.now());
    expect(quota.commandWaitMs(home.now())).toBe(6 * MINUTE_MS);
    home.pass(6 * MINUTE_MS);
    expect(quota.commandWaitMs(home.now())).toBe(0);
  });

  test('of two that want the last call one has to wait', async () => {
    const home = machine();
    const quota = home.start();
    spend(quota, 119, home.now());
    await quota.hold(async () => expect(quota.mayCommand(home.now())).toBe(false));
    expect(quota.mayCommand(home.now())).toBe(true);
  });
});

describe('after a 429', () => {
  test('nothing goes until its end, also after restarts; then the window is free of what others spent', () => {
    const home = machine();
    let quota = home.start();
    spend(quota, 200, home.now());
    home.pass(HOUR_MS);
    expect(quota.refused(limited({ limitReset: home.clock.now() + 3 * HOUR_MS }), home.now(), 0)).toBe(true);
    expect(quota.refused(limited({}), home.now(), 0)).toBe(false);
    expect(quota.left(home.now()).per_day).toBe(0);
    home.reboot();
    quota = home.start();
    expect(quota.pausedForMs(home.now())).toBe(3 * HOUR_MS);
    expect([quota.mayRead(home.now()), quota.mayCommand(home.now())]).toEqual([false, false]);
    home.pass(3 * HOUR_MS);
    expect([quota.mayRead(home.now()), quota.mayCommand(home.now())]).toEqual([true, true]);
    expect(quota.used(home.now()).per_day).toBe(200);
  });

  test('what others spent is expected of them again, half as much each day', () => {
    const home = machine();
    const quota = home.start();
    const refuse = (): void => {
      quota.refused(limited({ limitReset: home.clock.now() + HOUR_MS, limitName: 'ViCare day limit' }), home.now(), 0);
      home.pass(HOUR_MS);
      quota.worked();
    };
    const round = (): number => quota.plan(home.now(), 1, 60).roundSeconds;
    refuse();
    expect(round()).toBe(63);
    home.pass(DAY_MS);
    refuse();
    const rounds = [0, DAY_MS, 8 * DAY_MS].map((ms) => {
      home.pass(ms);
      return round();
    });
    expect(rounds).toEqual([618, 130, 63]);
  });

  test('refusals in a row are one day that was full, however long they last', () => {
    const home = machine();
    let quota = home.start();
    for (let hour = 0; hour < 20; hour += 1) {
      expect(quota.refused(limited({ limitName: 'ViCare day limit' }), home.now(), 0)).toBe(hour === 0);
      home.pass(HOUR_MS);
    }
    quota.worked();
    expect(quota.plan(home.now(), 1, 60).roundSeconds).toBe(63);
    home.reboot();
    quota = home.start();
    expect(quota.plan(home.now(), 1, 60).roundSeconds).toBe(63);
  });

  test('the pause doubles from a minute to an hour, and begins anew after a call that worked', () => {
    const home = machine();
    const quota = home.start();
    const pause = (): number => {
      quota.refused(limited({ limitReset: home.clock.now() - 1 }), home.now(), 0);
      // Another call was on its way.
      quota.refused(limited({ limitReset: home.clock.now() - 1 }), home.now(), 0);
      const pausedMs = quota.pausedForMs(home.now());
      home.pass(pausedMs);
      return pausedMs / MINUTE_MS;
    };
    expect(Array.from({ length: 8 }, pause)).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
    expect([quota.worked(), quota.worked()]).toEqual([true, false]);
    expect(pause()).toBe(1);
  });

  test('a pause is no longer after a restart than it was before, whatever the clock was set to', () => {
    const home = machine();
    home.start().refused(limited({ limitReset: home.clock.now() + 30 * MINUTE_MS }), home.now(), 0);
    home.setClock(-365 * DAY_MS);
    home.reboot();
    expect(home.start().pausedForMs(home.now())).toBe(30 * MINUTE_MS);
  });
});
