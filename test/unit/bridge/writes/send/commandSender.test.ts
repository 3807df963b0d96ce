import { describe, expect, test } from 'vitest';
import { featureOf } from '../../../../support/devices/features.ts';
import { CommandWorld, failure } from '../../../../support/execution/commandWorld.ts';
import { commandOf, scheduleOf } from '../../../../support/schedules/commands.ts';
import { begin } from '../../../../support/schedules/weekStory.ts';
import { day } from '../../../../support/schedules/weeks.ts';

const CURVE = 'home/heating/curve';
const curve = featureOf(
  'heating.curve',
  { slope: { value: 1.4 }, shift: { value: 2 } },
  { commands: new Map([commandOf('setCurve', { slope: ['number'], shift: ['number'] })]) },
);

const statuses = (results: readonly { readonly status: string; readonly code?: string | undefined }[]): readonly string[] =>
  results.map(({ status, code }) => [status, code].filter((part) => part !== undefined).join(' '));
const calls = ({ steps }: CommandWorld): readonly string[] => steps.filter((step) => step.startsWith('call'));

/** What happens in the moment of the next read. */
const atRead = ({ platform }: CommandWorld, happens: () => void): void => {
  platform.get = (name) => {
    happens();
    return Map.prototype.get.call(platform, name);
  };
};

describe('a write is not sent, and tells why, where between its decision and its call', () => {
  test.each<[what: string, happens: (world: CommandWorld) => unknown, expected: string]>([
    ['the bridge is stopped', ({ stop }) => stop.abort(), 'failed stopping'],
    ['another device takes the last call', ({ quota }) => Object.assign(quota, { mayCommand: () => false }), 'failed no_quota'],
    ['the platform refuses all calls', ({ quota }) => Object.assign(quota, { pausedForMs: () => 1000 }), 'failed rate_limited'],
  ])('%s', async (_, happens, expected) => {
    const world = new CommandWorld([curve]);
    await world.clock.pass(5001);
    atRead(world, () => happens(world));
    const results = world.submit(`${CURVE}/slope/set`, '1.2');
    await world.clock.pass(1000);
    expect([statuses(results), calls(world)]).toEqual([[expected], []]);
  });

  test('another device takes the last call: what waited for it goes on waiting', async () => {
    const params = { a: ['string'], b: ['string'] } as const;
    const trip = featureOf('heating.trip', { a: { value: '' }, b: { value: '' } }, { commands: new Map([commandOf('setTrip', params)]) });
    const world = new CommandWorld([trip]);
    const a = world.submit('home/heating/trip/a/set', 'x');
    await world.clock.pass(1000);
    const { mayCommand } = world.quota;
    world.quota.mayCommand = () => false;
    const b = world.submit('home/heating/trip/b/set', 'y');
    await world.clock.pass(1000);
    expect([statuses(a), statuses(b), calls(world)]).toEqual([['waiting'], ['failed no_quota'], []]);
    world.quota.mayCommand = mayCommand;
    const again = world.submit('home/heating/trip/b/set', 'z');
    await world.clock.pass(60_000);
    expect([statuses(a), statuses(again), calls(world)]).toEqual([
      ['waiting', 'accepted', 'applied'],
      ['accepted', 'applied'],
      ['call setTrip {"a":"x","b":"z"}'],
    ]);
  });
});

test.each([
  ['is carried out', undefined, ['accepted', 'applied']],
  ['is refused', failure('validation', 'no'), ['failed validation']],
  ['ends in a fault of the bridge', new TypeError('no function'), ['failed internal']],
])('the call that a command holds is free again when it %s, and its outcome is waited for', async (_, error, expected) => {
  const world = new CommandWorld([curve]);
  let held = 0;
  world.quota.hold = () => {
    held += 1;
    return () => {
      held -= 1;
    };
  };
  if (error) world.failures.push(error);
  const results = world.submit(`${CURVE}/call/setCurve`, '{"slope":1,"shift":2}');
  const idle = world.handler.idle().then(() => statuses(results));
  await world.clock.pass(60_000);
  expect([held, await idle]).toEqual([0, expected]);
});

test('what becomes of a command that ended in a fault of the bridge is not known, and no next run answers it again', async () => {
  const world = new CommandWorld([curve]);
  world.failures.push(new TypeError('no function'));
  world.submit(`${CURVE}/call/setCurve`, '{"slope":1,"shift":2}');
  await world.clock.pass(1000);
  expect(world.steps.filter((step) => step.startsWith('stored'))).toEqual(['stored sent 1', 'stored lost 1', 'stored delivered 1']);
});

test.each([
  ['aborted', 'no', 'failed stopping'],
  ['validation', 'no', 'failed validation'],
  ['aborted', 'unknown', 'unconfirmed stopping'],
] as const)('a call that fails (%s, executed: %s) while the bridge is stopped: %s', async (code, executed, expected) => {
  const world = new CommandWorld([curve]);
  world.failures.shift = () => {
    world.stop.abort();
    return failure(code, executed);
  };
  const results = world.submit(`${CURVE}/call/setCurve`, '{"slope":1,"shift":2}');
  await world.clock.pass(60_000);
  expect([statuses(results), calls(world).length]).toEqual([[expected], 1]);
});

test('of a command whose effect cannot be predicted nothing tells what became of it where its answer got lost; it is read once', async () => {
  const world = new CommandWorld([scheduleOf()]);
  world.failures.push(failure('timeout', 'unknown'));
  const results = world.submit('home/heating/schedule/call/resetSchedule', '{}');
  await world.clock.pass(100_000);
  expect(results).toMatchObject([
    { status: 'failed', code: 'unknown_outcome', message: expect.stringContaining('its records cannot show it') },
  ]);
  expect(world.steps.filter((step) => step === 'read' || step.startsWith('call'))).toEqual(['call resetSchedule {}', 'read']);
});

test.each([
  [1500, ['accepted', 'unconfirmed stopping']],
  [2500, ['unconfirmed stopping']],
])('the platform has two seconds to answer when the bridge is stopped: after %i ms', async (postMs, expected) => {
  const world = await begin({ postMs: postMs + 100, settle_ms: 0 });
  const id = world.write('set', { mon: day('01:00-02:00 normal') });
  await world.clock.pass(100);
  await world.stop();
  expect([statuses(world.answers(id)), world.platform.posts.length]).toEqual([expected, 1]);
});

test('a write after one that the platform has adapted does not wait for the last confirming read', async () => {
  const world = await begin({ settle_ms: 0 });
  world.platform.fates.push('adapted');
  world.write('set', { mon: day('01:00-02:00 normal'), sun: day('01:00-02:00 normal') });
  await world.clock.pass(6000);
  world.write('set', { tue: day('01:00-02:00 normal') });
  await world.clock.pass(1000);
  expect(world.platform.posts).toHaveLength(2);
});
