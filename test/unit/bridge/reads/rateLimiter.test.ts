import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CallHistory, CallRecord } from '../../../../src/bridge/ports.ts';
import { type RateLimiter, rateLimiter } from '../../../../src/bridge/reads/rateLimiter.ts';
import { msOf, type Story, storiesIn, tellBy } from '../../../support/story.ts';

const ALLOWANCE = { per_10_minutes: 120, per_day: 1450, reserve_for_commands: 50 };
const START = Date.parse('2026-11-21T12:00:00Z');
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A machine: its disk, and clocks of which the wall's can be set. */
const machine = () => {
  const at = { elapsed: 5000, wall: START, isKnown: true };
  const lines: CallRecord[] = [];
  const clock = { now: () => at.wall, elapsedMs: () => at.elapsed };
  const memory = (lost = 0): CallHistory => ({
    kept: [...lines],
    lost,
    append: (line) => void lines.push(line),
    rewrite: (all) => void lines.splice(0, lines.length, ...all),
    holds: () => undefined,
  });
  return {
    clock,
    start: (lost = 0): RateLimiter => rateLimiter(ALLOWANCE, clock, memory(lost), at.isKnown),
    /** From the next start on nothing is known of the platform's time. */
    untold: () => Object.assign(at, { isKnown: false }),
    pass: (ms: number) => Object.assign(at, { elapsed: at.elapsed + ms, wall: at.wall + ms }),
    setClock: (ms: number) => Object.assign(at, { wall: at.wall + ms }),
    /** A new process: its span clock begins anew. */
    reboot: () => Object.assign(at, { elapsed: 0 }),
  };
};

const spend = (quota: RateLimiter, calls: number): void => {
  for (let call = 0; call < calls; call += 1) quota.count();
};

/** What can happen in a story: a word and what belongs to it; `; ` between steps. */
const tellStory = async (...parts: readonly string[]): Promise<void> => {
  const home = machine();
  const world = { quota: home.start(), said: false };
  await tellBy(
    {
      calls: ([count]) => spend(world.quota, Number(count)),
      pass: ([span = '']) => home.pass(msOf(span)),
      clock: ([span = '']) => home.setClock(msOf(span)),
      restart: () => {
        home.reboot();
        world.quota = home.start();
      },
      // Of the platform's time nothing is known at starts from now on; or an answer has said it, minus that of the wall.
      untold: () => home.untold(),
      told: ([span = '0s']) => world.quota.calls.onClock(msOf(span)),
      // A start with a disk that may have lost so many lines.
      lost: ([lines]) => Object.assign(world, { quota: home.start(Number(lines)) }),
      // The platform refuses a call (429): until when, and of which window, where it says so.
      refused: ([until = '-', window]) => {
        const limitReset = until === '-' ? undefined : home.clock.now() + msOf(until);
        const limit = { limitReset, limitName: window && `ViCare ${window} limit` };
        world.said = world.quota.refused(Object.assign(new Error(), { code: 'rate_limited', executed: 'no' as const, ...limit }), 0);
      },
      worked: () => Object.assign(world, { said: world.quota.worked() }),
      // What the last call that was refused, or that worked, is: the first of its kind, or another.
      first: () => expect(world.said).toBe(true),
      another: () => expect(world.said).toBe(false),
      used: (rest) => expect(Object.values(world.quota.used())).toEqual(rest.map(Number)),
      'left-of-day': ([calls]) => expect(world.quota.left().per_day).toBe(Number(calls)),
      may: (rest) => expect({ read: world.quota.mayRead(), command: world.quota.mayCommand() }).toEqual(may(rest)),
      wait: ([span = '']) => expect(world.quota.commandWaitMs()).toBe(msOf(span)),
      paused: ([span = '']) => expect(world.quota.pausedForMs()).toBe(msOf(span)),
      round: ([seconds]) => expect(world.quota.plan(1, 60).roundSeconds).toBe(Number(seconds)),
    },
    parts,
  );
};
const may = (who: readonly string[]) => ({ read: who.includes('read'), command: who.includes('command') });

const PAUSES = [1, 2, 4, 8, 16, 32, 60, 60];

test.each<Story>([
  ...storiesIn(`
    windows slide, and restarts forget nothing
      calls 30; pass 9m; calls 10; restart; used 40 40; pass 2m; used 10 40; pass 1430m; used 0 10
    a disk that may have lost lines counts them as made just now :: lost 7; used 7 7
    of the calls of ten minutes the last are for commands
      calls 99; may read command; calls 1; may command; calls 19; may command; calls 1; may
    of the calls of a day the last are for commands
      calls 1399; pass 1h; may read command; calls 1; pass 1h; may command; calls 49; pass 1h; may command; calls 1; pass 1h; may
    a command that finds the window full knows when there is room :: calls 1; pass 4m; calls 119; wait 6m; pass 6m; wait 0m
    after a 429 nothing goes until its end, also after restarts; then the window is free of what others spent
      calls 200; pass 1h; refused 3h; first; refused; another; left-of-day 0; restart; paused 3h; may; pass 3h; may read command; used 0 200
    what others spent is expected of them again, half as much each day
      refused 1h day; pass 1h; worked; round 63; pass 24h; refused 1h day; pass 1h; worked; round 618; pass 1d; round 130; pass 8d; round 63
    refusals in a row are one day that was full, however long they last
      refused - day; first; ${'pass 1h; refused - day; another; '.repeat(19)}pass 1h; worked; round 63; restart; round 63
    a clock that was set ahead opens no window at a start, before the platform has said what time it is nor after
      calls 120; pass 5s; untold; clock 11m; restart; used 120 120; may read command; calls 3; may; told -11m; used 123 123; may
    nor does it open the window of a day
      calls 1450; pass 1h; untold; clock 1d; restart; left-of-day 0; told -1d; left-of-day 0; pass 23h; left-of-day 1450
    where the time has really passed, one call finds out
      calls 120; pass 11m; untold; restart; used 120 120; may read command; calls 1; told; used 1 121; may read command
    a pause that is over by the wall is looked at, too
      refused 30m; pass 31m; untold; restart; paused 0m; calls 3; told; paused 0m; used 3 3
    one that goes on by the wall is not
      refused 3h day; pass 11m; untold; restart; may; paused 180m; pass 170m; may read command
    three calls find out at most
      calls 120; pass 11m; untold; restart; calls 2; may read command; calls 1; may; wait 10m
    of a clock that was wrong before and is right now nothing is gained
      told 11m; calls 120; pass 5s; untold; clock 11m; restart; calls 1; told; used 121 121
    what an earlier run kept is not written anew before it has its place
      calls 1300; pass 10h; untold; restart; lost 7; used 1307 1307; told; used 7 1307; restart; told; used 7 1307
    lost calls are written once it is known when that is
      untold; clock -11m; lost 7; lost 7; told 11m; used 7 7; restart; told 11m; used 7 7
    so many lost calls that no other is left let some find out
      untold; lost 1450; may read command; calls 3; may; told; may; pass 1d; may read command
    a clock that is behind at one start opens no window at the next
      calls 120; pass 5s; untold; clock -30d; restart; calls 1; clock 30d; restart; calls 1; told; used 122 122
    a clock that is set back while the bridge runs opens no window at the next start
      untold; restart; told; calls 60; clock -1h; calls 60; restart; calls 1; told 1h; used 121 121; restart; told 1h; used 121 121
    a clock that stays behind lets some calls find out after ten minutes
      calls 1450; untold; clock -30d; restart; may; pass 11m; may read command; calls 3; may
    a pause is no longer after a restart than it was before, whatever the clock was set to
      refused 30m; clock -365d; restart; paused 30m
  `),
  [
    'the pause doubles from a minute to an hour, also where another call was on its way, and begins anew after a call that worked',
    ...PAUSES.map((minutes) => `refused -1ms; refused -1ms; paused ${minutes}m; pass ${minutes}m`),
    'worked; first; worked; another; refused -1ms; paused 1m',
  ],
])('%s', (_, ...story) => tellStory(...story));

test('calls are told apart by what they were for; also after a restart', async () => {
  const home = machine();
  let quota = home.start();
  for (const kind of ['read', 'command', 'discovery', 'identity', 'read']) quota.calls.onCall(kind);
  await quota.poll(async () => quota.calls.onCall('read'));
  expect(quota.causes()).toEqual({ confirm: 2, command: 1, discovery: 1, identity: 1, poll: 1 });
  home.reboot();
  quota = home.start();
  quota.calls.onCall('command');
  expect(quota.causes()).toEqual({ confirm: 2, command: 2, discovery: 1, identity: 1, poll: 1 });
  home.pass(DAY_MS + 1);
  expect(quota.causes()).toEqual({});
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
        spend(quota, calls);
        truly.push({ atMs: total, calls });
        home.pass(passMs);
        total += passMs;
        if (calls === 0) continue;
        home.reboot();
        quota = home.start();
      }
      const inDay = truly.filter(({ atMs }) => atMs > total - DAY_MS).reduce((sum, { calls }) => sum + calls, 0);
      expect(quota.used().per_day).toBeGreaterThanOrEqual(inDay);
    }),
  );
});

test('of two that want the last call one has to wait', async () => {
  const home = machine();
  const quota = home.start();
  spend(quota, 119);
  const release = quota.hold();
  expect(quota.mayCommand()).toBe(false);
  release();
  expect(quota.mayCommand()).toBe(true);
});
