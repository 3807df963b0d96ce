import fc from 'fast-check';
import { expect, test } from 'vitest';
import { planCalls } from '../../../../src/bridge/plans/planCalls.ts';
import { type PlanExecutor, planExecutor } from '../../../../src/bridge/plans/planExecutor.ts';
import { planOwners } from '../../../../src/bridge/plans/planOwners.ts';
import type { KeyedStore } from '../../../../src/bridge/ports.ts';
import { type Device, DeviceState, deviceKey } from '../../../../src/bridge/state/deviceState.ts';
import type { Planner, Wish } from '../../../../src/schedule/plans/precedence.ts';
import { wakeLoop } from '../../../../src/shared/clock.ts';
import { runs } from '../../../support/chance.ts';
import { featureOf } from '../../../support/devices/features.ts';
import { recordingLog } from '../../../support/system/testSystem.ts';
import { virtualTime } from '../../../support/time/virtualTime.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const DEVICE: Device = { name: 'heating', installation: '1', gateway: 'g', device: '0', features: [], exclude: [] };
const PLACE = { device: deviceKey(DEVICE), feature: 'heating.circuits.0.heating.schedule' };

type Temporary = { key: number; by: string; value: string; untilMs: number; at: number; isMoved: boolean };

/** One schedule, whose week is a word; the bridge's own writes and what a person does to it. */
const scheduleWorld = () => {
  const time = virtualTime();
  const kept = new Map<string, object>();
  const never = Number.NEGATIVE_INFINITY;
  /** `handMs`: when a person acted; after the clock was set back before that, at some moment from `handFromMs` to it. */
  const world = {
    own: 'own',
    temporary: undefined as Temporary | undefined,
    handFromMs: never,
    handMs: never,
    loses: false,
    /** A command of a person waits to be sent. */
    isHandQueued: false,
    /** Whose temporary write somebody has changed elsewhere. */
    contested: '',
    /** Returns are accepted, and a minute later what was to end shows again. */
    ignoresReturns: false,
    returnAgainMs: never,
    refuses: false,
    /** A return is accepted at once and shown after so long; another write then waits for twice that. */
    slowMs: 0,
    mayRead: true,
  };
  const written: { atMs: number; by: string; value: string }[] = [];
  const logged: Parameters<typeof recordingLog>[0] = [];
  const owners = { now: planOwners() };
  let keys = 0;
  let run: { executor: PlanExecutor; kill: () => void } | undefined;
  const wishes = new Map<Planner, readonly Wish[]>();

  const put = (by: string, value: string, untilMs: number): void => {
    keys += 1;
    world.temporary = { key: keys, by, value, untilMs, at: time.now(), isMoved: false };
    returns.wake();
  };
  const start = (): void => {
    const { clock, kill } = time.process();
    const state = { alive: true };
    const device = new DeviceState(DEVICE);
    device.remember(featureOf(PLACE.feature, {}));
    owners.now = planOwners();
    const writes = {
      sent: () => world.temporary && ({ by: { kind: world.temporary.by }, at: world.temporary.at } as never),
      at: () => (world.isHandQueued ? [{ state: 'queued', by: { kind: 'mqtt' } } as never] : []),
      ...{ sentOn: () => [], all: () => [], isLeft: () => false },
    };
    const store: KeyedStore = {
      read: () => new Map(kept),
      write: (key, value) => {
        if (value) kept.set(key, structuredClone(value));
        else kept.delete(key);
        return true;
      },
    };
    const ends = { allRunning: () => (world.temporary ? [{ ...PLACE, ...world.temporary } as never] : []) };
    const calls = planCalls({ confirmS: [5], store, writes, ends, quota: { knownMs: () => time.trueMs(), pausedForMs: () => 0 } }, clock);
    const executor: PlanExecutor = planExecutor(
      {
        ...{ base: 'heat', calls, writes, store },
        states: new Map([[PLACE.device, device]]),
        ends: { running: () => world.temporary as never, contested: () => (world.temporary?.by === world.contested ? [{} as never] : []) },
        submit: ({ topic, payload, by, onAnswer }) => {
          const text = new TextDecoder().decode(payload);
          if (!state.alive || world.loses) return;
          if (topic.endsWith('/until/set')) {
            if (text === 'now') returned();
            if (world.slowMs > 0) {
              onAnswer({ status: 'accepted' } as never);
              void machine.sleep(world.slowMs).then(() => onAnswer({ status: 'applied' } as never));
              return;
            } else if (world.temporary) world.temporary.untilMs = Date.parse(text);
            returns.wake();
            onAnswer({ status: 'applied' } as never);
            return;
          }
          if (world.refuses) {
            onAnswer({ status: 'failed' } as never);
            return;
          }
          const { value, until } = JSON.parse(text);
          if (value === (world.temporary?.value ?? world.own)) {
            onAnswer({ status: 'unchanged' } as never);
            return;
          }
          written.push({ atMs: time.elapsedMs(), by: by.kind, value });
          const carryOut = (): void => {
            // As the bridge reads it.
            put(by.kind, value, Math.ceil(Date.parse(until) / 1000) * 1000);
            onAnswer({ status: 'accepted', until } as never);
            executor.accepted(PLACE, [by.kind]);
            onAnswer({ status: 'applied', until } as never);
          };
          if (world.slowMs > 0) void machine.sleep(2 * world.slowMs).then(carryOut);
          else carryOut();
        },
        quota: { mayRead: () => world.mayRead },
        owners: owners.now,
      },
      clock,
      recordingLog(logged),
    );
    for (const [planner, all] of wishes) executor.wish(planner, all);
    void executor.run(new AbortController().signal);
    run = {
      executor,
      kill: () => {
        state.alive = false;
        kill();
      },
    };
  };
  const machine = time.process().clock;
  /** What is in force comes back, where the platform does not ignore that: then it is tried again, from now on. */
  const returned = (): void => {
    const ended = world.temporary;
    world.temporary = undefined;
    if (!world.ignoresReturns || !ended) return;
    const untilMs = Math.min(ended.untilMs, Math.floor(time.now() / 1000) * 1000);
    void machine.sleep(MINUTE).then(() => {
      world.temporary ??= { ...ended, untilMs };
      world.returnAgainMs = time.elapsedMs() + 10 * MINUTE;
      run?.executor.wake();
      returns.wake();
    });
  };
  /** The bridge's own return, at the end of whatever is in force. */
  const returns = wakeLoop(machine);
  void returns.run(new AbortController().signal, () => {
    const endsInMs = (world.temporary?.untilMs ?? Number.POSITIVE_INFINITY) - time.now();
    const leftMs = Math.max(endsInMs, world.returnAgainMs - time.elapsedMs());
    if (leftMs > 0) return Math.min(DAY, leftMs);
    returned();
    run?.executor.accepted(PLACE, ['end']);
    return DAY;
  });
  const hand = (): void => {
    world.handFromMs = world.handMs = time.now();
    run?.executor.accepted(PLACE, ['mqtt']);
  };
  start();
  return {
    time,
    world,
    written,
    pass: time.pass,
    owner: () => owners.now.of(PLACE)?.owner,
    owned: () => owners.now.of(PLACE),
    warnings: () => logged.filter(({ level }) => level === 'warn').map(({ sentence }) => sentence),
    shown: () => world.temporary?.value ?? world.own,
    wish: (planner: Planner, all: readonly Wish[]) => {
      wishes.set(planner, all);
      run?.executor.wish(planner, all);
    },
    restart: () => {
      run?.kill();
      world.loses = false;
      start();
    },
    handFor: (ms: number) => {
      put('page', 'hand', time.now() + ms);
      hand();
    },
    handWrites: (value: string) => {
      world.own = value;
      world.temporary = undefined;
      hand();
    },
    seasonWrites: (value: string) => {
      world.own = value;
      run?.executor.accepted(PLACE, ['season']);
    },
    /** A person has not acted later than the clock shows. */
    setClock: async (byMs: number): Promise<void> => {
      time.setWall(byMs);
      returns.wake();
      world.handFromMs = Math.min(world.handFromMs, time.now());
      await time.pass(MINUTE);
    },
    handEnds: () => {
      if (!world.temporary) return;
      world.temporary = undefined;
      hand();
    },
    handMovesEnd: (ms: number) => {
      if (!world.temporary) return;
      world.temporary.untilMs = time.now() + ms;
      returns.wake();
      if (world.temporary.by !== 'page') world.handFromMs = world.handMs = time.now();
      world.temporary.isMoved = true;
      run?.executor.wake();
    },
  };
};

const wish = (owner: Planner, value: string, beginMs: number, untilMs: number): Wish => ({
  ...{ owner, device: DEVICE.name, feature: PLACE.feature, beginMs, untilMs, reason: value },
  command: { leaf: 'profile', value },
});

test('a hand wins, then the calendar, then the price plan; each ends by itself', async () => {
  const it = scheduleWorld();
  const now = it.time.now();
  it.wish('price', [wish('price', 'cheap', now, now + 20 * HOUR)]);
  it.wish('calendar', [wish('calendar', 'away', now + HOUR, now + 10 * HOUR)]);
  await it.pass(MINUTE);
  expect([it.shown(), it.owner()]).toEqual(['cheap', 'price']);
  await it.pass(HOUR);
  expect([it.shown(), it.owner()]).toEqual(['away', 'calendar']);
  it.handFor(2 * HOUR);
  await it.pass(MINUTE);
  expect([it.shown(), it.owner()]).toEqual(['hand', 'hand']);
  // The calendar leaves the schedule alone until its next event, and the price plan does too meanwhile.
  await it.pass(3 * HOUR);
  expect([it.shown(), it.owner()]).toEqual(['own', 'hand']);
  it.wish('calendar', [wish('calendar', 'guests', now + 11 * HOUR, now + 12 * HOUR)]);
  await it.pass(7 * HOUR);
  expect([it.shown(), it.owner()]).toEqual(['guests', 'calendar']);
  await it.pass(10 * HOUR);
  expect([it.shown(), it.owner()]).toEqual(['own', undefined]);
});

test('no plan begins while a command of a person waits to be sent', async () => {
  const it = scheduleWorld();
  const now = it.time.now();
  it.world.isHandQueued = true;
  it.wish('calendar', [wish('calendar', 'away', now, now + 10 * HOUR)]);
  await it.pass(MINUTE);
  it.world.isHandQueued = false;
  it.handFor(2 * HOUR);
  await it.pass(HOUR);
  expect([it.shown(), it.owner(), it.written.length]).toEqual(['hand', 'hand', 0]);
  await it.pass(2 * HOUR);
  expect([it.shown(), it.owner()]).toEqual(['own', 'hand']);
});

test('a change in the app during an event stays, also over a temporary write of a person', async () => {
  const it = scheduleWorld();
  const now = it.time.now();
  it.wish('calendar', [
    wish('calendar', 'away', now + HOUR, now + 10 * HOUR),
    wish('calendar', 'guests', now + 11 * HOUR, now + 12 * HOUR),
  ]);
  it.handFor(3 * HOUR);
  await it.pass(2 * HOUR);
  Object.assign(it.world, { own: 'app', contested: 'page' });
  await it.pass(2 * HOUR);
  expect([it.shown(), it.owner()]).toEqual(['app', 'hand']);
  await it.pass(7.5 * HOUR);
  expect([it.shown(), it.owner()]).toEqual(['guests', 'calendar']);
});

test('a plan that the calendar held off is not written late', async () => {
  const it = scheduleWorld();
  const now = it.time.now();
  it.wish('price', [{ ...wish('price', 'cheap', now, now + 20 * HOUR), writeByMs: now + 9 * HOUR }]);
  it.wish('calendar', [wish('calendar', 'away', now, now + 10 * HOUR)]);
  await it.pass(MINUTE);
  await it.pass(11 * HOUR);
  expect([it.shown(), it.owner(), it.written.length]).toEqual(['own', undefined, 1]);
});

test('an event that moves moves its end, and one that goes ends now', async () => {
  const it = scheduleWorld();
  const now = it.time.now();
  it.wish('calendar', [wish('calendar', 'away', now, now + 5 * HOUR)]);
  await it.pass(MINUTE);
  it.wish('calendar', [wish('calendar', 'away', now, now + 7 * HOUR)]);
  await it.pass(6 * HOUR);
  expect([it.shown(), it.written.length]).toEqual(['away', 1]);
  it.wish('calendar', []);
  await it.pass(MINUTE);
  expect([it.shown(), it.owner(), it.written.length]).toEqual(['own', undefined, 1]);
});

test('a plan without a call left says so, once in the log, and goes on when there is one', async () => {
  const it = scheduleWorld();
  const now = it.time.now();
  const waiting = { ...PLACE, owner: 'calendar', waits: 'calls' };
  const events = Array.from({ length: 12 }, (_, index) =>
    wish('calendar', `event ${index}`, now + index * HOUR, now + index * HOUR + HOUR / 2),
  );
  it.wish('calendar', events);
  await it.pass(MINUTE);
  for (let half = 0; half < 20; half += 1) await it.pass(HOUR / 2);
  expect([it.shown(), it.owned()]).toEqual(['own', { ...waiting, reason: 'event 10' }]);
  await it.pass(HOUR / 2);
  expect(it.owned()).toBe(undefined);
  it.world.mayRead = false;
  it.wish('calendar', [wish('calendar', 'late', now + 11 * HOUR, now + 40 * HOUR)]);
  await it.pass(5 * HOUR);
  expect([it.shown(), it.owned()]).toEqual(['own', { ...waiting, reason: 'late' }]);
  it.world.mayRead = true;
  await it.pass(HOUR);
  expect([it.shown(), it.owned()]).toEqual(['late', { ...PLACE, owner: 'calendar', reason: 'late' }]);
  const warned = expect.stringMatching(
    /^the calendar plan waits: the calls for plans in 24 hours are used up, or no call is left for reads$/u,
  );
  expect(it.warnings()).toEqual([warned, warned]);
});

test('an end before its time for which no call is left says so, and comes when there is one', async () => {
  const it = scheduleWorld();
  const now = it.time.now();
  const short = Array.from({ length: 10 }, (_, index) =>
    wish('calendar', `event ${index}`, now + index * HOUR, now + index * HOUR + HOUR / 2),
  );
  it.wish('calendar', [...short, wish('calendar', 'long', now + 10 * HOUR, now + 60 * HOUR)]);
  for (let half = 0; half < 21; half += 1) await it.pass(HOUR / 2);
  it.wish('calendar', []);
  await it.pass(2 * MINUTE);
  expect([it.shown(), it.owned()]).toEqual(['long', { ...PLACE, owner: 'calendar', reason: 'long', waits: 'calls' }]);
  await it.pass(14 * HOUR);
  expect([it.shown(), it.owned(), it.warnings().length]).toEqual(['own', undefined, 1]);
});

test('an event that found its values there already writes them where the season changes meanwhile', async () => {
  const it = scheduleWorld();
  const now = it.time.now();
  it.handWrites('away');
  await it.pass(MINUTE);
  it.wish('calendar', [wish('calendar', 'away', now + HOUR, now + 5 * HOUR)]);
  await it.pass(2 * HOUR);
  expect([it.shown(), it.owner(), it.written.length]).toEqual(['away', 'calendar', 0]);
  it.seasonWrites('summer');
  await it.pass(MINUTE);
  expect([it.shown(), it.owner(), it.written.length]).toEqual(['away', 'calendar', 1]);
  await it.pass(4 * HOUR);
  expect([it.shown(), it.owner()]).toEqual(['summer', undefined]);
});

test('a person who moves the end of a plan has the schedule from then on', async () => {
  const it = scheduleWorld();
  const now = it.time.now();
  it.wish('calendar', [wish('calendar', 'away', now, now + 5 * HOUR)]);
  await it.pass(MINUTE);
  it.handMovesEnd(8 * HOUR);
  await it.pass(MINUTE);
  it.wish('calendar', []);
  await it.pass(7 * HOUR);
  expect([it.shown(), it.owner()]).toEqual(['away', 'hand']);
  await it.pass(2 * HOUR);
  expect(it.shown()).toBe('own');
});

test('a person who moves the end again, after the event begins later, has the schedule from then on', async () => {
  const it = scheduleWorld();
  const now = it.time.now();
  it.wish('calendar', [wish('calendar', 'away', now, now + 2 * HOUR)]);
  await it.pass(MINUTE);
  it.handMovesEnd(HOUR);
  await it.pass(MINUTE);
  it.wish('calendar', [wish('calendar', 'away', now + 2 * MINUTE, now + 4 * HOUR)]);
  await it.pass(MINUTE);
  it.handMovesEnd(HOUR);
  await it.pass(MINUTE);
  expect([it.shown(), it.owner()]).toEqual(['away', 'hand']);
  await it.pass(2 * HOUR);
  expect([it.shown(), it.owner(), it.written.length]).toEqual(['own', 'hand', 1]);
});

test('a person who moves the end of a later event to the instant of an earlier one has the schedule from then on', async () => {
  const it = scheduleWorld();
  const now = it.time.now();
  it.wish('calendar', [wish('calendar', 'away', now, now + HOUR), wish('calendar', 'guests', now + HOUR, now + 4 * HOUR)]);
  await it.pass(MINUTE);
  it.handMovesEnd(2 * HOUR);
  await it.pass(MINUTE);
  it.handEnds();
  await it.pass(HOUR);
  expect([it.shown(), it.owner()]).toEqual(['guests', 'calendar']);
  it.handMovesEnd(now + 2 * HOUR + MINUTE - it.time.now());
  await it.pass(2 * HOUR);
  expect([it.shown(), it.owner(), it.written.length]).toEqual(['own', 'hand', 2]);
});

test('the return of a wish is shown while the next wish waits to be sent: that one is sent once', async () => {
  const it = scheduleWorld();
  const now = it.time.now();
  it.wish('calendar', [wish('calendar', 'first', now, now + 9 * HOUR)]);
  await it.pass(MINUTE);
  it.world.slowMs = 5000;
  it.wish('calendar', [wish('calendar', 'second', now + MINUTE, now + 9 * HOUR)]);
  await it.pass(HOUR);
  expect([it.shown(), it.owner(), it.written.map(({ value }) => value)]).toEqual(['second', 'calendar', ['first', 'second']]);
});

test('what somebody has changed of a plan elsewhere is theirs until the next event begins', async () => {
  const it = scheduleWorld();
  const now = it.time.now();
  it.wish('price', [wish('price', 'cheap', now, now + 20 * HOUR)]);
  await it.pass(MINUTE);
  Object.assign(it.world, { own: 'app', contested: 'price' });
  it.wish('calendar', [wish('calendar', 'away', now + 2 * HOUR, now + 4 * HOUR)]);
  await it.pass(HOUR);
  expect([it.owner(), it.written.length]).toEqual(['hand', 1]);
  await it.pass(HOUR + MINUTE);
  expect([it.shown(), it.owner()]).toEqual(['away', 'calendar']);
  await it.pass(2 * HOUR);
  expect([it.shown(), it.owner(), it.written.length]).toEqual(['app', 'hand', 2]);
});

test('a person who has ended a wish of events that touch keeps the schedule where the calendar forgets the first of them', async () => {
  const it = scheduleWorld();
  const now = it.time.now();
  it.wish('calendar', [wish('calendar', 'away', now, now + 6 * DAY)]);
  await it.pass(HOUR);
  it.handEnds();
  await it.pass(3 * DAY);
  it.wish('calendar', [wish('calendar', 'away', now + 2 * DAY, now + 8 * DAY)]);
  for (const restart of [false, true]) {
    if (restart) it.restart();
    await it.pass(HOUR);
    expect([it.shown(), it.owner(), it.written.length]).toEqual(['own', 'hand', 1]);
  }
  // Another one that begins behind them is not theirs.
  it.wish('calendar', [wish('calendar', 'away', now + 8 * DAY + 1, now + 9 * DAY)]);
  await it.pass(5 * DAY);
  expect([it.shown(), it.owner()]).toEqual(['away', 'calendar']);
});

test('a plan that begins behind another event keeps its begin where the calendar forgets that event', async () => {
  const it = scheduleWorld();
  const now = it.time.now();
  it.handWrites('mine');
  await it.pass(HOUR);
  it.wish('calendar', [wish('calendar', 'away', now + HOUR, now + 30 * HOUR)]);
  await it.pass(MINUTE);
  expect([it.shown(), it.owner()]).toEqual(['away', 'calendar']);
  it.wish('calendar', [wish('calendar', 'away', now - 9 * HOUR, now + 30 * HOUR)]);
  for (let day = 0; day < 2; day += 1) {
    await it.pass(HOUR);
    expect([it.shown(), it.owner(), it.written.length]).toEqual(['away', 'calendar', 1]);
    it.restart();
  }
  it.wish('calendar', [wish('calendar', 'away', now - 9 * HOUR, now + 8 * HOUR)]);
  await it.pass(9 * HOUR);
  expect([it.shown(), it.owner()]).toEqual(['mine', undefined]);
});

test('a wish that a person wrote over begins anew where the clock was set back before its begin', async () => {
  const it = scheduleWorld();
  const now = it.time.now();
  it.wish('price', [wish('price', 'cheap', now, now + 5 * HOUR)]);
  await it.pass(MINUTE);
  it.handWrites('mine');
  await it.pass(MINUTE);
  await it.setClock(-HOUR);
  expect([it.shown(), it.owner()]).toEqual(['mine', undefined]);
  await it.pass(HOUR);
  expect([it.shown(), it.owner()]).toEqual(['cheap', 'price']);
  await it.pass(5 * HOUR);
  expect(it.shown()).toBe('mine');
});

test('a person who acts after the clock was set back keeps the schedule when the begin of an earlier event comes again', async () => {
  const it = scheduleWorld();
  const now = it.time.now();
  it.wish('calendar', [wish('calendar', 'away', now, now + HOUR)]);
  await it.pass(MINUTE);
  it.handFor(HOUR);
  await it.setClock(-7 * HOUR);
  it.wish('calendar', [wish('calendar', 'away', now - 7 * HOUR, now + HOUR)]);
  await it.pass(3 * HOUR);
  it.handWrites('mine');
  await it.pass(4 * HOUR);
  expect([it.time.now() > now, it.shown(), it.owner()]).toEqual([true, 'mine', 'hand']);
});

test('an event that a person has written over stays so where the clock is set back to it while the next one runs', async () => {
  const it = scheduleWorld();
  const now = it.time.now();
  it.wish('calendar', [wish('calendar', 'away', now, now + HOUR), wish('calendar', 'away', now + 2 * HOUR, now + 3 * HOUR)]);
  await it.pass(MINUTE);
  it.handWrites('mine');
  await it.pass(2.5 * HOUR);
  expect([it.shown(), it.owner()]).toEqual(['away', 'calendar']);
  await it.setClock(-2 * HOUR);
  expect([it.shown(), it.owner()]).toEqual(['mine', 'hand']);
});

test('what somebody has changed of a plan elsewhere is theirs until the next event, also where the clock was set back', async () => {
  const it = scheduleWorld();
  const now = it.time.now();
  it.wish('price', [wish('price', 'cheap', now, now + 8 * HOUR)]);
  await it.pass(MINUTE);
  it.world.contested = 'price';
  await it.pass(MINUTE);
  expect(it.owner()).toBe('hand');
  await it.setClock(-3 * HOUR);
  it.wish('calendar', [wish('calendar', 'guests', now - HOUR, now + HOUR)]);
  await it.pass(HOUR);
  expect(it.owner()).toBe('hand');
  await it.pass(1.5 * HOUR);
  expect([it.shown(), it.owner()]).toEqual(['guests', 'calendar']);
});

test('a write that a kill has taken is made once more, and one that came through is not', async () => {
  for (const loses of [true, false]) {
    const it = scheduleWorld();
    const now = it.time.now();
    it.world.loses = loses;
    it.wish('calendar', [wish('calendar', 'away', now, now + 5 * HOUR)]);
    await it.pass(MINUTE);
    it.restart();
    await it.pass(MINUTE);
    expect([it.shown(), it.owner(), it.written.length]).toEqual(['away', 'calendar', 1]);
  }
});

test('a return that the platform ignores is no act of a person: the event comes back where it is put back', async () => {
  const it = scheduleWorld();
  const now = it.time.now();
  const away = wish('calendar', 'away', now, now + 5 * HOUR);
  it.wish('calendar', [away]);
  await it.pass(MINUTE);
  it.world.ignoresReturns = true;
  it.wish('calendar', []);
  await it.pass(3 * MINUTE);
  expect([it.shown(), it.owner()]).toEqual(['away', 'calendar']);
  it.world.ignoresReturns = false;
  await it.pass(2 * HOUR);
  expect([it.shown(), it.owner()]).toEqual(['own', undefined]);
  it.wish('calendar', [away]);
  await it.pass(MINUTE);
  expect([it.shown(), it.owner()]).toEqual(['away', 'calendar']);
});

test.each(['refuses', 'loses'] as const)(
  'an event whose write the platform %s while it ignores the return of the one before begins later',
  async (how) => {
    const it = scheduleWorld();
    const now = it.time.now();
    it.wish('calendar', [wish('calendar', 'away', now, now + HOUR), wish('calendar', 'guests', now + HOUR, now + 9 * HOUR)]);
    await it.pass(MINUTE);
    Object.assign(it.world, { ignoresReturns: true, [how]: true });
    await it.pass(HOUR + 3 * MINUTE);
    it.restart();
    await it.pass(MINUTE);
    expect([it.shown(), it.owner()]).toEqual(['away', 'calendar']);
    Object.assign(it.world, { ignoresReturns: false, [how]: false });
    await it.pass(3 * HOUR);
    expect([it.shown(), it.owner()]).toEqual(['guests', 'calendar']);
  },
);

const span = fc.record({
  from: fc.integer({ min: -4, max: 40 }),
  hours: fc.integer({ min: 1, max: 30 }),
  value: fc.constantFrom('a', 'b'),
});
const step = fc.record({
  after: fc.integer({ min: 1, max: 9 * 60 }),
  what: fc.oneof(
    fc.record({ kind: fc.constantFrom('calendar' as const, 'price' as const), spans: fc.array(span, { maxLength: 2 }) }),
    fc.record({ kind: fc.constantFrom('handFor' as const, 'handMovesEnd' as const), hours: fc.integer({ min: 1, max: 9 }) }),
    fc.record({ kind: fc.constant('clock' as const), hours: fc.constantFrom(-9000, -7, -1, 1, 7, 9000) }),
    fc.record({ kind: fc.constantFrom('handWrites' as const, 'handEnds' as const, 'restart' as const, 'lost' as const) }),
    fc.record({ kind: fc.constant('ignoring' as const), hours: fc.integer({ min: 1, max: 12 }), drops: fc.boolean() }),
  ),
});

/** Planners resolve what overlaps themselves: of two the first. */
const apart = (all: readonly Wish[]): readonly Wish[] =>
  all.filter((one, index) => !all.slice(0, index).some((other) => other.beginMs < one.untilMs && one.beginMs < other.untilMs));

test('whatever happens, the week is that of the rule of precedence, and the limits of writes are kept', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const it = scheduleWorld();
      const plans = new Map<Planner, readonly Wish[]>();
      const look = async (): Promise<void> => {
        await it.pass(2000);
        const now = it.time.now();
        const { temporary, handFromMs } = it.world;
        if ([...plans.values()].some((all) => all.length > 0)) it.world.handMs = Math.min(it.world.handMs, now);
        const { handMs } = it.world;
        if (temporary && (temporary.by === 'page' || temporary.isMoved)) return;
        const isNow = (one: Wish): boolean => one.beginMs <= now && now < one.untilMs;
        const counts = plans.get('calendar')?.find(isNow) ?? plans.get('price')?.find(isNow);
        const isTheirs = counts !== undefined && handMs < counts.beginMs;
        const isUnclear = counts !== undefined && handFromMs < counts.beginMs && counts.beginMs <= handMs;
        const lately = it.written.filter(({ atMs }) => atMs > it.time.elapsedMs() - DAY);
        // A limit of writes may leave the own week.
        const mayRest =
          (counts && counts.untilMs - now < 20 * MINUTE) ||
          lately.length >= 3 ||
          it.written.filter(({ value }) => value === counts?.command.value).length >= 2;
        if (!isUnclear && (!isTheirs || it.shown() !== it.world.own || !mayRest))
          expect(it.shown()).toBe(isTheirs ? counts.command.value : it.world.own);
        expect(lately.filter(({ by }) => by === 'calendar').length).toBeLessThanOrEqual(6);
        expect(lately.length * 6).toBeLessThan(40);
      };
      for (const { after, what } of steps) {
        await it.pass(after * MINUTE);
        const now = it.time.now();
        if (what.kind === 'calendar' || what.kind === 'price') {
          const { kind } = what;
          const all = what.spans.map(({ from, hours, value }) =>
            wish(kind, `${kind} ${value}`, now + from * HOUR + 1, now + (from + hours) * HOUR + 1),
          );
          plans.set(kind, apart(all.filter(({ untilMs }) => untilMs > now)));
          it.wish(kind, plans.get(kind) ?? []);
        } else if (what.kind === 'handFor') it.handFor(what.hours * HOUR);
        else if (what.kind === 'handMovesEnd') it.handMovesEnd(what.hours * HOUR);
        else if (what.kind === 'clock') await it.setClock(what.hours * HOUR);
        else if (what.kind === 'handWrites') it.handWrites(`hand ${now}`);
        else if (what.kind === 'handEnds') it.handEnds();
        else if (what.kind === 'ignoring') {
          it.world.ignoresReturns = true;
          if (what.drops) it.wish('calendar', []);
          await it.pass(what.hours * HOUR);
          it.wish('calendar', plans.get('calendar') ?? []);
          it.world.ignoresReturns = false;
          await it.pass(15 * MINUTE);
        } else {
          it.world.loses = what.kind === 'lost';
          if (what.kind === 'lost') await it.pass(3 * MINUTE);
          it.restart();
        }
        await look();
      }
      it.wish('calendar', []);
      it.wish('price', []);
      // However far ahead a clock that was set has put the ends.
      await it.setClock(Math.max(0, (it.world.temporary?.untilMs ?? 0) - it.time.now()));
      await it.pass(3 * DAY);
      expect(it.shown()).toBe(it.world.own);
    }),
    { numRuns: runs(600) },
  );
});
