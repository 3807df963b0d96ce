import { describe, expect, test } from 'vitest';
import { barrier, type Result, resultIn, sentBy, started, terminalFor, write } from '../../support/schedules/writing.ts';
import { FEW } from '../../support/system/outcome.ts';
import type { BridgeSystem } from '../../support/system/testSystem.ts';
import type { VirtualTestOptions } from '../../support/system/virtualTestSystem.ts';

const HOLIDAY = 'heating2mqtt/home/heating/operating/programs/holiday';
const AT_HOME = 'heating2mqtt/home/heating/operating/programs/holidayAtHome';
const RESULT = 'heating2mqtt/home/result';

const start = (options: VirtualTestOptions = {}) => started({ ...FEW, ...options });

/** Publishes a write; gives the answer of this status to its id. */
const sent = async ({ recorder }: BridgeSystem, topic: string, value: string, id: string, status = 'waiting'): Promise<Result> => {
  const from = recorder.heard.length;
  await recorder.publish(topic, JSON.stringify({ value, id }));
  return answered({ recorder }, id, status, from);
};

const answered = async ({ recorder }: Pick<BridgeSystem, 'recorder'>, id: string, status: string, from = 0): Promise<Result> =>
  resultIn(
    await recorder.until(
      ({ topic, payload }) => topic === RESULT && resultIn({ payload }).id === id && resultIn({ payload }).status === status,
      from,
      40_000,
    ),
  );

const waiting = ({ recorder }: BridgeSystem, feature = HOLIDAY): unknown => {
  const payload = recorder.last(`${feature}/waiting`);
  return payload === undefined || payload === '' ? undefined : JSON.parse(payload);
};

const finals = ({ recorder }: BridgeSystem, id: string): readonly string[] =>
  recorder.heard
    .filter(({ topic }) => topic === RESULT)
    .map((heard) => resultIn(heard))
    .filter((result) => result.id === id)
    .map(({ status }) => status);

describe('a value that needs others waits for them', () => {
  test.each([
    ['start', '2030-12-21', 'end', '2031-01-04'],
    ['end', '2031-01-04', 'start', '2030-12-21'],
  ])('%s first: nothing is sent before the other comes, then one command', async (first, one, second, other) => {
    const system = await start();
    const kept = await sent(system, `${HOLIDAY}/${first}/set`, one, 'a');
    expect(kept).toMatchObject({ command: 'schedule', until: expect.any(String), message: expect.stringContaining(second) });
    await system.recorder.untilTopic(`${HOLIDAY}/${first}/field`, one);
    expect(waiting(system)).toMatchObject({ command: 'schedule', values: { [first]: one }, missing: [second] });
    expect(system.recorder.last(`${HOLIDAY}/${first}`)).toBeUndefined();
    expect(system.posts()).toEqual([]);

    const outcome = await write(system, `${HOLIDAY}/${second}/set`, JSON.stringify({ value: other, id: 'b' }));
    expect(outcome.terminal).toMatchObject({ id: 'b', status: 'applied', command: 'schedule' });
    expect(sentBy(outcome)).toEqual({ start: '2030-12-21', end: '2031-01-04' });
    await answered(system, 'a', 'applied');
    await barrier(system);
    expect(finals(system, 'a')).toEqual(['waiting', 'accepted', 'applied']);
    expect(finals(system, 'b')).toEqual(['accepted', 'applied']);
    expect(waiting(system)).toBeUndefined();
    for (const [name, value] of [
      [first, one],
      [second, other],
    ])
      expect([system.recorder.last(`${HOLIDAY}/${name}`), system.recorder.last(`${HOLIDAY}/${name}/field`)]).toEqual([value, value]);
    expect(system.posts()).toHaveLength(1);
    // In between the field never went back to nothing.
    const shown = system.recorder.heard.filter(({ topic }) => topic === `${HOLIDAY}/${first}/field`).map(({ payload }) => payload);
    expect(shown).toEqual([one]);
  });

  test.each([
    ['start', '2031-01-04', 'end', '2030-12-21'],
    ['end', '2030-12-21', 'start', '2031-01-04'],
  ])('%s first: a start after the end is refused with both dates, and the first goes on waiting', async (first, one, second, other) => {
    const system = await start();
    await sent(system, `${HOLIDAY}/${first}/set`, one, 'a');
    const refused = await sent(system, `${HOLIDAY}/${second}/set`, other, 'b', 'rejected');
    expect(refused).toMatchObject({
      code: 'invalid',
      message: expect.stringMatching(/2030-12-21.*2031-01-04.*still waits: write another/u),
    });
    await barrier(system);
    expect(waiting(system)).toMatchObject({ values: { [first]: one } });
    expect(finals(system, 'a')).toEqual(['waiting']);
    expect(system.posts()).toEqual([]);
    const right = first === 'start' ? '2031-01-05' : '2030-12-20';
    expect((await write(system, `${HOLIDAY}/${second}/set`, right)).terminal).toMatchObject({ status: 'applied' });
  });

  test('in German too both dates are named, and what still waits', async () => {
    const system = await start({ overrides: { language: 'de' } });
    await sent(system, `${HOLIDAY}/end/set`, '2030-12-21', 'a');
    const refused = await sent(system, `${HOLIDAY}/start/set`, '2031-01-04', 'b', 'rejected');
    expect(refused).toMatchObject({
      code: 'invalid',
      message: expect.stringMatching(/^„2030-12-21“ ist kein möglicher Tag.* end 2030-12-21 bleibt vorgemerkt.* start 2031-01-04 /u),
    });
  });

  test('a field that is written again counts anew, and its first write is answered', async () => {
    const system = await start();
    await sent(system, `${AT_HOME}/start/set`, '2030-12-21', 'a');
    await sent(system, `${AT_HOME}/start/set`, '2030-12-22', 'b');
    await answered(system, 'a', 'superseded');
    const outcome = await write(system, `${AT_HOME}/end/set`, '2031-01-04');
    expect(sentBy(outcome)).toEqual({ start: '2030-12-22', end: '2031-01-04' });
    await answered(system, 'b', 'applied');
    expect(finals(system, 'a')).toEqual(['waiting', 'superseded']);
  });

  test.each([
    ['set', '{"start":"2030-12-24","end":"2030-12-31"}'],
    ['call/schedule', '{"start":"2030-12-24","end":"2030-12-31"}'],
  ])('a whole command on %s takes its place', async (leaf, payload) => {
    const system = await start();
    await sent(system, `${HOLIDAY}/start/set`, '2030-12-21', 'a');
    const outcome = await write(system, `${HOLIDAY}/${leaf}`, payload);
    expect(sentBy(outcome)).toEqual({ start: '2030-12-24', end: '2030-12-31' });
    await answered(system, 'a', 'superseded');
    expect(waiting(system)).toBeUndefined();
  });

  test('cancelling discards it without a call where nothing is planned, else both', async () => {
    const system = await start();
    await sent(system, `${HOLIDAY}/start/set`, '2030-12-21', 'a');
    const cancelled = await write(system, `${HOLIDAY}/call/unschedule`, '{}');
    expect(cancelled).toMatchObject({ terminal: { status: 'applied', command: 'unschedule' }, posts: [], reads: 0 });
    await answered(system, 'a', 'superseded');
    await system.recorder.untilTopic(`${HOLIDAY}/start/field`, '');
    expect(waiting(system)).toBeUndefined();

    // Planned: one field is enough, as the other is there.
    await write(system, `${HOLIDAY}/set`, '{"start":"2030-12-24","end":"2030-12-31"}');
    expect(sentBy(await write(system, `${HOLIDAY}/start/set`, '2030-12-23'))).toEqual({ start: '2030-12-23', end: '2030-12-31' });
    const end = await write(system, `${HOLIDAY}/end/set`, '2031-01-02');
    expect(end.posts[0]?.path).toContain('/commands/changeEndDate');
    const ended = await write(system, `${HOLIDAY}/call/unschedule`, '{}');
    expect(ended.posts[0]?.path).toContain('/commands/unschedule');
  });

  test('discarding leaves the platform alone', async () => {
    const system = await start();
    await sent(system, `${HOLIDAY}/start/set`, '2030-12-21', 'a');
    const discarded = await write(system, `${HOLIDAY}/waiting/set`, '{"value":"discard","id":"b"}');
    expect(discarded).toMatchObject({ terminal: { id: 'b', status: 'applied' }, posts: [], reads: 0 });
    await answered(system, 'a', 'superseded');
    expect(waiting(system)).toBeUndefined();
    expect((await write(system, `${HOLIDAY}/waiting/set`, 'x')).terminal).toMatchObject({ status: 'unchanged' });
    expect((await write(system, 'heating2mqtt/home/heating/circuits/0/heating/curve/waiting/set', 'x')).terminal).toMatchObject({
      code: 'not_writable',
    });
  });

  test('over a restart: it is shown, and goes with the other', async () => {
    const system = await start();
    await sent(system, `${HOLIDAY}/start/set`, '2030-12-21', 'a');
    await system.restart();
    await barrier(system);
    expect(waiting(system)).toMatchObject({ values: { start: '2030-12-21' } });
    expect(sentBy(await write(system, `${HOLIDAY}/end/set`, '2031-01-04'))).toEqual({ start: '2030-12-21', end: '2031-01-04' });
    expect(await terminalFor(system.recorder, `${HOLIDAY}/start/set`, 0)).toMatchObject({ id: 'a' });
    expect(finals(system, 'a').at(-1)).toBe('applied');
  });
});
