import { expect, test } from 'vitest';
import { HolidayWorld } from '../../support/execution/holidayWorld.ts';

test.each([
  ['start', '2030-12-21', 'end', '2031-01-04'],
  ['end', '2031-01-04', 'start', '2030-12-21'],
])('%s first: it is shown and waits for the other, over a restart too; then one command goes', async (first, one, second, other) => {
  const world = await HolidayWorld.begin();
  const kept = await world.write(`${first}/set`, one);
  const waits = { status: 'waiting', command: 'schedule', until: expect.any(String), message: expect.stringContaining(second) };
  expect(world.answers(kept)).toMatchObject([waits]);
  expect(JSON.parse(world.retained('waiting') ?? '')).toMatchObject({ command: 'schedule', values: { [first]: one }, missing: [second] });
  expect([world.retained(`${first}/field`), world.retained(first), world.calls]).toEqual([one, undefined, []]);
  await world.system.stop();
  await world.system.start();
  const last = await world.write(`${second}/set`, other);
  expect(world.calls).toEqual([{ command: 'schedule', args: { start: '2030-12-21', end: '2031-01-04' } }]);
  expect(world.answers(kept).map(({ status }) => status)).toEqual(['waiting', 'accepted', 'applied']);
  expect(world.answers(last)).toMatchObject([{ status: 'accepted' }, { status: 'applied', command: 'schedule' }]);
  expect(world.waiting()).toBeUndefined();
  for (const [name, value] of [
    [first, one],
    [second, other],
  ])
    expect([world.retained(`${name}`), world.retained(`${name}/field`)]).toEqual([value, value]);
  // In between the field never went back to nothing.
  const shown = world.system.messages.filter(({ topic }) => topic.endsWith(`/${first}/field`)).map(({ payload }) => payload);
  expect(new Set(shown.slice(shown.indexOf(one ?? '')))).toEqual(new Set([one]));
});

const BOTH_DAYS = /2030-12-21.*2031-01-04.*still waits: change/u;
const IN_GERMAN = /^„2030-12-21“ ist kein möglicher Tag.* end 2030-12-21 bleibt vorgemerkt.* start 2031-01-04 /u;

test.each([
  ['en', 'start', '2031-01-04', 'end', '2030-12-21', '2031-01-05', BOTH_DAYS],
  ['en', 'end', '2030-12-21', 'start', '2031-01-04', '2030-12-20', BOTH_DAYS],
  ['de', 'end', '2030-12-21', 'start', '2031-01-04', '2030-12-20', IN_GERMAN],
] as const)(
  'in %s, %s first: a start after the end is refused with both dates, and the first goes on waiting',
  async (language, first, one, second, other, right, message) => {
    const world = await HolidayWorld.begin({ language });
    const kept = await world.write(`${first}/set`, one);
    const refused = await world.write(`${second}/set`, other);
    expect(world.answers(refused)).toMatchObject([{ status: 'rejected', code: 'invalid', message: expect.stringMatching(message) }]);
    expect([world.waiting(), world.finals(kept), world.calls]).toEqual([{ [first]: one }, [], []]);
    expect(world.finals(await world.write(`${second}/set`, right))).toMatchObject([{ status: 'applied' }]);
  },
);

const WEEK = { start: '2030-12-24', end: '2030-12-31' };

test.each<[what: string, leaf: string, value: unknown, waits: object | undefined, calls: readonly object[]]>([
  ['a field that is written again', 'start/set', '2030-12-22', { start: '2030-12-22' }, []],
  ['a whole command on set', 'set', WEEK, undefined, [{ command: 'schedule', args: WEEK }]],
  ['a whole command on call', 'call/schedule', WEEK, undefined, [{ command: 'schedule', args: WEEK }]],
  ['cancelling, without a call where nothing is planned,', 'call/unschedule', {}, undefined, []],
  ['discarding', 'waiting/set', 'discard', undefined, []],
])('%s takes the place of what waits', async (_, leaf, value, waits, calls) => {
  const world = await HolidayWorld.begin();
  const kept = await world.write('start/set', '2030-12-21');
  const { reads } = world;
  const later = await world.write(leaf, value);
  expect(world.finals(kept)).toMatchObject([{ status: 'superseded' }]);
  expect(world.answers(later).at(-1)?.status).toBe(waits ? 'waiting' : 'applied');
  expect([world.waiting(), world.calls]).toEqual([waits, calls]);
  expect(world.retained('start/field')).toBe({ start: 'none', ...waits, ...calls.map(() => WEEK)[0] }.start);
  if (calls.length === 0) expect(world.reads).toBe(reads);
});

test('what is planned needs one field, whose day must fit the other, and is cancelled by its command', async () => {
  const world = await HolidayWorld.begin();
  await world.write('set', WEEK);
  const early = await world.write('end/set', '2030-12-20');
  expect(world.finals(early)).toMatchObject([{ status: 'rejected', message: expect.stringMatching(/2030-12-20.*2030-12-24/u) }]);
  await world.write('start/set', '2030-12-23');
  await world.write('end/set', '2031-01-02');
  await world.write('call/unschedule', {});
  expect(world.calls.slice(1)).toEqual([
    { command: 'schedule', args: { start: '2030-12-23', end: '2030-12-31' } },
    { command: 'changeEndDate', args: { end: '2031-01-02' } },
    { command: 'unschedule', args: {} },
  ]);
});

test('where nothing waits, there is nothing to discard', async () => {
  const world = await HolidayWorld.begin();
  expect(world.answers(await world.write('waiting/set', 'x'))).toMatchObject([{ status: 'unchanged' }]);
  const sensor = 'heating2mqtt/home/heating/sensors/temperature/outside';
  world.system.send(`${sensor}/waiting/set`, 'x');
  await world.settle();
  expect(world.system.messages.find(({ topic }) => topic === `${sensor}/result`)?.payload).toContain('"not_writable"');
});
