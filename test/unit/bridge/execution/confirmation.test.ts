import { describe, expect, test } from 'vitest';
import { DeviceState, deviceKey } from '../../../../src/bridge/devices/deviceState.ts';
import { Confirmation } from '../../../../src/bridge/execution/confirmation.ts';
import { recordReader } from '../../../../src/bridge/execution/recordReader.ts';
import { featureReader } from '../../../../src/bridge/polling/featureReader.ts';
import { RateLimiter } from '../../../../src/bridge/quota/rateLimiter.ts';
import type { Json } from '../../../../src/features/feature.ts';
import { bodyOf } from '../../../support/devices/bodyOf.ts';
import { storeOf } from '../../../support/devices/featureStore.ts';
import { featureOf } from '../../../support/devices/features.ts';
import { scheduleOf } from '../../../support/schedules/commands.ts';
import { daily, day } from '../../../support/schedules/weeks.ts';
import { type FakeClock, fakeClock, settled } from '../../../support/time/fakeClock.ts';

const DEVICE = { name: 'home', installation: '1', gateway: '757', device: '0', features: ['*'], exclude: [] };
const CONFIRM_S = [5, 15, 30, 60];

type World = {
  readonly clock: FakeClock;
  readonly state: DeviceState;
  readonly confirmations: Confirmation;
  /** When it was read, in seconds. */
  readonly reads: readonly number[];
  readonly counted: { count: number };
  /** What the platform shows. */
  readonly shows: { value: Json };
  readonly quota: RateLimiter;
  readonly stop: AbortController;
};

const world = (perDay = 1000): World => {
  const clock = fakeClock();
  const store = storeOf([DEVICE], clock);
  const state = store.states.get(deviceKey(DEVICE));
  if (!state) throw new Error('no state');
  const reads: number[] = [];
  const shows: { value: Json } = { value: 1 };
  const counted = { count: 0 };
  const stop = new AbortController();
  const silent = () => undefined;
  const quota = new RateLimiter({ per_10_minutes: 1000, per_day: perDay, reserve_for_commands: 0 });
  const reader = featureReader(
    {
      fetchFeatures: async () => {
        reads.push(clock.elapsedMs() / 1000);
        const properties = { value: { type: 'number', value: shows.value } };
        return bodyOf({ feature: 'f', gatewayId: '757', deviceId: '0', isEnabled: true, isReady: true, properties, commands: {} });
      },
      execute: () => Promise.reject(new Error('nobody asked for that')),
    },
    store,
    clock,
    { debug: silent, info: silent, warn: silent, error: silent },
    stop.signal,
  );
  const count = (): void => {
    counted.count += 1;
  };
  const records = recordReader(reader, { showing: () => READ }, { counted: count }, quota, CONFIRM_S, clock, stop.signal);
  const confirmations = new Confirmation(records, clock, CONFIRM_S, stop.signal);
  store.on('featuresRead', (read) => confirmations.seen(read.state, read.features));
  return { clock, state, confirmations, reads, counted, shows, quota, stop };
};

const READ = { device: DEVICE, target: { installation: '1', gateway: '757', device: '0', feature: 'f' } };

/** A write of a value: gives what became of it. `before`: what was shown until then. */
const wait = (
  { confirmations, state, clock }: World,
  value: number,
  { adapted = false, before = 1, accepted = true } = {},
): { readonly how: string[] } => {
  const told = { how: [] as string[] };
  const effect = { values: new Map([['value', value]]) };
  const was = [{ property: 'value', values: [before] }];
  void confirmations
    .wait({ state, feature: 'f', effect, before: was, adapted, accepted, sinceMs: clock.elapsedMs() })
    .then((confirmed) => told.how.push(confirmed.kind === 'adapted' ? `adapted ${confirmed.shows}` : confirmed.kind));
  return told;
};

describe('a write that waits for its effect', () => {
  test('takes a read that somebody else made at its moment for its own', async () => {
    const here = world();
    wait(here, 2);
    here.state.take(featureOf('f', { value: { value: 1 } }), 5000);
    await here.clock.pass(15_000);
    expect(here.reads).toEqual([15]);
  });

  test('is looked for 5, 15, 30 and 60 s after it, and then given up', async () => {
    const here = world();
    const { how } = wait(here, 2);
    await here.clock.pass(59_999);
    expect(how).toEqual([]);
    await here.clock.pass(1);
    expect(how).toEqual(['not_shown']);
    expect(here.reads).toEqual([5, 15, 30, 60]);
    expect(here.counted.count).toBe(4);
    await here.clock.pass(600_000);
    expect(here.reads).toHaveLength(4);
  });

  test('is done with the first read that shows it', async () => {
    const here = world();
    const { how } = wait(here, 2);
    await here.clock.pass(6_000);
    here.shows.value = 2.000_000_1;
    await here.clock.pass(100_000);
    expect(how).toEqual(['shown']);
    expect(here.reads).toEqual([5, 15]);
  });

  test('is done when any other read shows it, and asks no more', async () => {
    const here = world();
    const { how } = wait(here, 2);
    here.confirmations.seen(here.state, [featureOf('other', { value: { value: 2 } }), featureOf('f', { value: { value: 3 } })]);
    here.confirmations.seen(new DeviceState(DEVICE), [featureOf('f', { value: { value: 2 } })]);
    await settled();
    expect(how).toEqual([]);
    here.confirmations.seen(here.state, [featureOf('f', { value: { value: 2 } })]);
    await here.clock.pass(100_000);
    expect(how).toEqual(['shown']);
    expect(here.reads).toEqual([]);
  });

  test('shares its reads with who waits for the same feature, where they are nearly due', async () => {
    const here = world();
    const first = wait(here, 2);
    await here.clock.pass(900);
    const second = wait(here, 3);
    await here.clock.pass(100_000);
    expect([first.how, second.how]).toEqual([['not_shown'], ['not_shown']]);
    // The last read is not early for either.
    expect(here.reads).toEqual([5, 15, 30, 60.9]);
  });

  test('has its own reads where it came later', async () => {
    const here = world();
    wait(here, 2);
    await here.clock.pass(7_000);
    wait(here, 3);
    await here.clock.pass(100_000);
    expect(here.reads).toEqual([5, 12, 15, 22, 30, 37, 60, 67]);
  });

  test('is done with a later one that is shown, which was carried out after it', async () => {
    const here = world();
    const [first, second] = [wait(here, 2), wait(here, 3)];
    here.shows.value = 2;
    await here.clock.pass(5_000);
    expect([first.how, second.how]).toEqual([['shown'], []]);
    const third = wait(here, 4);
    here.shows.value = 4;
    await here.clock.pass(10_000);
    expect([second.how, third.how]).toEqual([['shown'], ['shown']]);
  });

  test('that the platform adapted is done with another value, but not with the old one', async () => {
    const here = world();
    const { how } = wait(here, 2, { adapted: true });
    await here.clock.pass(5_000);
    expect(how).toEqual([]);
    here.shows.value = 2.5;
    await here.clock.pass(10_000);
    expect(how).toEqual(['adapted 2.5']);
  });

  test('that the platform did not adapt waits on when another value is shown', async () => {
    const here = world();
    const { how } = wait(here, 2);
    here.shows.value = 2.5;
    await here.clock.pass(59_999);
    expect(how).toEqual([]);
  });

  test('is given up without a read where there is no call for one', async () => {
    const here = world(0);
    const { how } = wait(here, 2);
    await here.clock.pass(5_000);
    expect(how).toEqual(['no_quota']);
    expect([here.reads, here.counted.count]).toEqual([[], 0]);
  });

  test('is told that the bridge stops, and so is who comes later', async () => {
    const here = world();
    const first = wait(here, 2);
    here.stop.abort();
    const second = wait(here, 3);
    await settled();
    expect([first.how, second.how]).toEqual([['stopping'], ['stopping']]);
    await here.clock.pass(100_000);
    expect(here.reads).toEqual([]);
  });
});

describe('a week', () => {
  const effect = { values: new Map([['entries', { ...daily(''), mon: day('06:00-07:00 normal') }]]), days: ['mon' as const] };

  test.each<[what: string, week: Json, shown: boolean]>([
    ['as it was sent', { ...daily(''), mon: day('06:00-07:00 normal') }, true],
    ['with other positions', { ...daily(''), mon: [{ start: '06:00', end: '07:00', mode: 'normal', position: 3 }] }, true],
    ['with another day that somebody else changed', { ...daily('08:00-09:00 comfort'), mon: day('06:00-07:00 normal') }, true],
    ['without the days that have nothing', { mon: day('06:00-07:00 normal') }, true],
    ['with another mode', { ...daily(''), mon: day('06:00-07:00 comfort') }, false],
    ['as it was', daily(''), false],
    ['that makes no sense', 'week', false],
  ])('is shown %s: %j → %s', async (_, week, shown) => {
    const { confirmations, state } = world();
    const told: string[] = [];
    const before = scheduleOf(daily(''));
    void confirmations
      .wait({
        state,
        feature: before.name,
        effect,
        before: [{ property: 'entries', day: 'mon', values: [[]] }],
        adapted: false,
        accepted: true,
        sinceMs: 0,
      })
      .then(({ kind }) => told.push(kind));
    confirmations.seen(state, [scheduleOf(week)]);
    await settled();
    expect(told).toEqual(shown ? ['shown'] : []);
  });
});

describe('a command whose effect nobody can tell', () => {
  test('is followed by one read', async () => {
    const here = world();
    let done = false;
    void here.confirmations.look({ state: here.state, feature: 'f', sinceMs: 0 }).then(() => {
      done = true;
    });
    await here.clock.pass(4_999);
    expect([done, here.reads]).toEqual([false, []]);
    await here.clock.pass(100_000);
    expect([done, here.reads, here.counted.count]).toEqual([true, [5], 1]);
  });

  test('is not read where somebody else has read it by then', async () => {
    const here = world();
    const looked = here.confirmations.look({ state: here.state, feature: 'f', sinceMs: 0 });
    here.state.take(featureOf('f', { value: { value: 2 } }), 5000);
    await here.clock.pass(5000);
    await looked;
    expect(here.reads).toEqual([]);
  });

  test('is not read after a stop', async () => {
    const here = world();
    const looked = here.confirmations.look({ state: here.state, feature: 'f', sinceMs: 0 });
    here.stop.abort();
    await looked;
    expect(here.reads).toEqual([]);
  });
});

describe('several writes on their way', () => {
  test('of which the last goes back to the beginning are not confirmed by what was there before them', async () => {
    const here = world();
    const [there, back] = [wait(here, 2), wait(here, 1, { before: 2 })];
    here.confirmations.seen(here.state, [featureOf('f', { value: { value: 1 } })]);
    await settled();
    expect([there.how, back.how]).toEqual([[], []]);
    here.confirmations.seen(here.state, [featureOf('f', { value: { value: 2 } })]);
    here.confirmations.seen(here.state, [featureOf('f', { value: { value: 1 } })]);
    await settled();
    expect([there.how, back.how]).toEqual([['shown'], ['shown']]);
  });

  test('of which the first got no answer: a later one that is shown says nothing of it', async () => {
    const here = world();
    const [lost, later] = [wait(here, 2, { accepted: false }), wait(here, 3)];
    here.confirmations.seen(here.state, [featureOf('f', { value: { value: 3 } })]);
    await settled();
    expect([lost.how, later.how]).toEqual([[], ['shown']]);
  });
});
