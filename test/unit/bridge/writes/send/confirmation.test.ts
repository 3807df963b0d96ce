import { describe, expect, test } from 'vitest';
import { featureReader } from '../../../../../src/bridge/reads/featureReader.ts';
import { rateLimiter } from '../../../../../src/bridge/reads/rateLimiter.ts';
import { DeviceState, deviceKey } from '../../../../../src/bridge/state/deviceState.ts';
import { confirmationOf } from '../../../../../src/bridge/writes/send/confirmation.ts';
import { recordReader } from '../../../../../src/bridge/writes/send/recordReader.ts';
import type { SentWrite } from '../../../../../src/bridge/writes/write/write.ts';
import type { Json } from '../../../../../src/features/feature.ts';
import { bodyOf } from '../../../../support/devices/bodyOf.ts';
import { storeOf } from '../../../../support/devices/featureStore.ts';
import { featureOf } from '../../../../support/devices/features.ts';
import { scheduleOf } from '../../../../support/schedules/commands.ts';
import { daily, day } from '../../../../support/schedules/weeks.ts';
import { type Steps, storiesIn, tellBy } from '../../../../support/story.ts';
import { fakeClock, settled } from '../../../../support/time/fakeClock.ts';

const DEVICE = { name: 'home', installation: '1', gateway: '757', device: '0', features: ['*'], exclude: [] };
const CONFIRM_S = [5, 15, 30, 60];

const world = (perDay = 1000) => {
  const clock = fakeClock();
  const store = storeOf([DEVICE], clock);
  const state = store.states.get(deviceKey(DEVICE));
  if (!state) throw new Error('no state');
  const reads: number[] = [];
  const shows: { value: Json } = { value: 1 };
  const counted: unknown[] = [];
  const stop = new AbortController();
  const silent = () => undefined;
  const quota = rateLimiter({ per_10_minutes: 1000, per_day: perDay, reserve_for_commands: 0 });
  const reader = featureReader(
    {
      fetchFeatures: async ({ feature = '' }) => {
        reads.push(clock.elapsedMs() / 1000);
        if (shows.value === 'nothing') throw new Error('no answer');
        const properties = { value: { type: 'number', value: shows.value } };
        return bodyOf({ feature, gatewayId: '757', deviceId: '0', isEnabled: true, isReady: true, properties, commands: {} });
      },
      execute: () => Promise.reject(new Error('nobody asked for that')),
    },
    store,
    clock,
    { debug: silent, info: silent, warn: silent, error: silent },
    stop.signal,
  );
  const records = recordReader(
    {
      reader,
      reads: { showing: (_, feature) => ({ device: DEVICE, target: { installation: '1', gateway: '757', device: '0', feature } }) },
      poller: { counted: (read) => void counted.push(read) },
      quota,
    },
    CONFIRM_S,
    clock,
    stop.signal,
  );
  const writes = new Map<number, SentWrite>();
  /** Keeps a write that was sent, and returns its key. */
  const sent = (more: Partial<SentWrite>): number => {
    const key = writes.size + 1;
    const row = { key, at: 0, device: deviceKey(DEVICE), feature: 'f', state: 'accepted', name: 'home', topic: 't', command: 'c' } as const;
    writes.set(key, { ...row, answer: 'open', ...more });
    return key;
  };
  const confirmations = confirmationOf({ sent: (key) => writes.get(key) }, records, clock, CONFIRM_S, stop.signal);
  store.on('featuresRead', (read) => confirmations.seen(read.state, read.features));
  return { clock, state, confirmations, sent, reads, counted, shows, stop };
};

/** What can happen in a story: a word and what belongs to it; `; ` between steps. */
const tellStory = async (story: readonly string[], perDay = 1000): Promise<void> => {
  const { clock, state, confirmations, sent, reads, counted, shows, stop } = world(perDay);
  const ends = new Map<string, string[]>();
  const told = (name: string): ((end: string) => void) => {
    ends.set(name, []);
    return (end) => void ends.get(name)?.push(end);
  };
  const steps: Steps = {
    // A write of a value, with a name; `before`: what was shown until then.
    write: ([name = '', value, ...how]) => {
      const before = how.find((one) => one.startsWith('before='))?.slice(7) ?? 1;
      const key = sent({
        values: { value: Number(value) },
        before: [{ property: 'value', values: [Number(before)] }],
        ...(how.includes('adapted') ? { adapted: true } : {}),
        ...(how.includes('lost') ? { state: 'lost', isPossible: true } : {}),
      });
      const end = told(name);
      const feature = how.includes('elsewhere') ? 'g' : 'f';
      const waits = how.includes('earlier')
        ? confirmations.recheck(state, feature, key)
        : confirmations.wait({ state, feature, keys: [key], sinceMs: clock.elapsedMs() });
      void waits.then(({ code, ...result }) => end('adapted' in result ? `adapted/${result.adapted}` : (code ?? 'shown')));
    },
    // A command whose effect nobody can tell.
    look: ([name = '']) => {
      const end = told(name);
      void confirmations.wait({ state, feature: 'f', keys: [sent({})], sinceMs: 0 }).then(() => end('done'));
    },
    pass: ([seconds]) => clock.pass(1000 * Number(seconds)),
    stop: () => stop.abort(),
    // What the platform shows from now on; what another read has shown, and of what.
    shows: ([value]) => Object.assign(shows, { value: value === 'nothing' ? value : Number(value) }),
    seen: ([name = '', value, stranger]) =>
      confirmations.seen(stranger ? new DeviceState(DEVICE) : state, [featureOf(name, { value: { value: Number(value) } })]),
    taken: ([value, at = '5']) => state.take(featureOf('f', { value: { value: Number(value) } }), Number(at) * 1000),
    // How the writes ended: `a=shown b=`.
    ends: (rest) => expect([...ends].map(([name, all]) => `${name}=${all.join(',')}`)).toEqual(rest),
    // When it was read, in seconds.
    reads: (rest) => expect(reads).toEqual(rest.map(Number)),
    counted: ([count]) => expect(counted).toHaveLength(Number(count)),
  };
  await tellBy(steps, story);
};

test.each(
  storiesIn(`
    takes a read that somebody else made at its moment for its own :: write a 2; taken 1; pass 15; reads 15
    is looked for 5, 15, 30 and 60 s after it, and then given up
      write a 2; pass 59.999; ends a=; pass 0.001; ends a=not_shown; reads 5 15 30 60; counted 4; pass 600; reads 5 15 30 60
    is done with the first read that shows it :: write a 2; pass 6; shows 2.0000001; pass 100; ends a=shown; reads 5 15
    is done when any other read shows it, and asks no more
      write a 2; seen other 2; seen f 3; seen f 2 stranger; ends a=; seen f 2; pass 100; ends a=shown; reads
    # The last read is not early for either.
    shares its reads with who waits for the same feature, where they are nearly due
      write a 2; pass 0.9; write b 3; pass 100; ends a=not_shown b=not_shown; reads 5 15 30 60.9
    shares a read that fails :: shows nothing; write a 2; write b 3; write c 4; pass 29; reads 5 15; shows 4; pass 1; ends a=shown b=shown c=shown; reads 5 15 30
    reads together with who makes the last read soon :: write a 2; pass 54.5; write b 3; pass 5.5; ends a=not_shown b=; reads 5 15 30 60
    does not wait for the last read of another feature :: write a 2; pass 54.5; write b 3 elsewhere; pass 5; reads 5 15 30 59.5
    makes the last read, where another one was early :: write a 2; pass 59.9; taken 1 59.9; pass 0.1; ends a=not_shown; reads 5 15 30 60
    has its own reads where it came later :: write a 2; pass 7; write b 3; pass 100; reads 5 12 15 22 30 37 60 67
    is done with a later one that is shown, which was carried out after it
      write a 2; write b 3; shows 2; pass 5; ends a=shown b=; write c 4; shows 4; pass 10; ends a=shown b=shown c=shown
    that the platform adapted is done with another value, but not with the old one
      write a 2 adapted; pass 5; ends a=; shows 2.5; pass 10; ends a=adapted/2.5
    that the platform did not adapt waits on when another value is shown :: write a 2; shows 2.5; pass 59.999; ends a=
    is told that the bridge stops, and so is who comes later :: write a 2; stop; write b 3; ends a=stopping b=stopping; pass 100; reads
    of unknown effect is followed by one read :: look a; pass 4.999; ends a=; reads; pass 100; ends a=done; reads 5; counted 1
    of unknown effect hides no other one :: look a; write b 2; shows 2; pass 5; ends a=done b=shown; reads 5
    of unknown effect is not read where somebody else has read it by then :: look a; taken 2; pass 5; ends a=done; reads
    of unknown effect is not read after a stop :: look a; stop; ends a=done; reads
    that goes back to the beginning is not confirmed by what was there before
      write a 2; write b 1 before=2; seen f 1; ends a= b=; seen f 2; seen f 1; ends a=shown b=shown
    that got no answer is not confirmed by a value from before, until the last read
      write a 2 lost before=2; seen f 2; ends a=; shows 2; pass 59; ends a=; pass 2; ends a=shown
    that got no answer is not confirmed by a later one that is shown :: write a 2 lost; write b 3; seen f 3; ends a= b=shown
  `),
)('a write that waits for its effect %s', (_, ...story) => tellStory(story));

test('a write of an earlier run is read at once, and waits on where there is no call for that', async () => {
  await tellStory(['write a 2 earlier; pass 0; reads 0; pass 60; ends a=not_shown; reads 0 5 15 30 60']);
  await tellStory(['write a 2 earlier; pass 4.999; ends a=; seen f 2; pass 0; ends a=shown'], 0);
  await tellStory(['write a 2 earlier; pass 5; ends a=no_quota; reads'], 0);
});

test('a write that waits for its effect is given up without a read where there is no call for one', () =>
  tellStory(['write a 2; pass 5; ends a=no_quota; reads; counted 0'], 0));

describe('a week', () => {
  const written = { values: { entries: { ...daily(''), mon: day('06:00-07:00 normal') } }, days: ['mon' as const] };

  test.each<[what: string, week: Json, shown: boolean]>([
    ['as it was sent', { ...daily(''), mon: day('06:00-07:00 normal') }, true],
    ['with other positions', { ...daily(''), mon: [{ start: '06:00', end: '07:00', mode: 'normal', position: 3 }] }, true],
    ['with another day that somebody else changed', { ...daily('08:00-09:00 comfort'), mon: day('06:00-07:00 normal') }, true],
    ['without the days that have nothing', { mon: day('06:00-07:00 normal') }, true],
    ['with another mode', { ...daily(''), mon: day('06:00-07:00 comfort') }, false],
    ['as it was', daily(''), false],
    ['that makes no sense', 'week', false],
  ])('is shown %s: %j → %s', async (_, week, shown) => expect(await isConfirmed(written, week)).toBe(shown));

  test.each<[write: Partial<SentWrite>, isConfirmed: boolean]>([
    // The other named day was so already, and the app has changed it since.
    [{ changed: ['mon'] }, true],
    [{ kept: ['mon'] }, true],
    [{}, false],
    // The day that seems to be back already may be a lag of the platform.
    [{ changed: ['mon'], purpose: 'revert' }, false],
    [{ changed: ['mon'], purpose: 'restore' }, false],
  ])('of two named days is shown by one as %j: %s', async (write, expected) => {
    const week = { ...daily(''), mon: day('06:00-07:00 normal'), tue: day('08:00-09:00 comfort') };
    expect(await isConfirmed({ ...written, days: ['mon', 'tue'], ...write }, week)).toBe(expected);
  });

  const isConfirmed = async (write: Partial<SentWrite>, week: Json): Promise<boolean> => {
    const { confirmations, sent, state } = world();
    const told: string[] = [];
    const key = sent({ ...write, before: [{ property: 'entries', day: 'mon', values: [[]] }] });
    void confirmations
      .wait({ state, feature: scheduleOf(daily('')).name, keys: [key], sinceMs: 0 })
      .then(({ status }) => told.push(status));
    confirmations.seen(state, [scheduleOf(week)]);
    await settled();
    return told.includes('applied');
  };
});
