import { describe, expect, test } from 'vitest';
import type { ScheduleWorld } from '../../../../support/schedules/scheduleWorld.ts';
import { A, B, begin, tell, WEEK, write } from '../../../../support/schedules/weekStory.ts';
import { day } from '../../../../support/schedules/weeks.ts';
import { storiesIn } from '../../../../support/story.ts';

const undo = (world: ScheduleWorld): Promise<string> => write(world, 'undo/set', 'now');
const UNSURE = 'poll; undo unchanged; is; app mon=C; wait 200s; undo unchanged';

test.each(
  storiesIn(`
    takes back the days that the last change altered, then those of the one before, then says that nothing is left
      write mon,tue=A; write tue,wed=B; undo applied; is mon,tue=A; undo applied; is; undo unchanged; posts 4
    takes back what became one command in one go :: begin mon=A; begin tue=A; undo applied; is; undo unchanged
    leaves days alone that were changed elsewhere and not by the change :: write mon=A; app sun=C; undo applied; is sun=C
    is a conflict where such a day was changed elsewhere since, and sends nothing
      write mon,tue=A; app tue=C; undo rejected conflict; posts 1; is mon=A tue=C
    goes further back where the last change was taken back elsewhere
      write mon=A; write tue=B; app tue=was; undo applied; is; undo unchanged
    comes after what waits for company :: begin mon=A; undo applied; posts 2; is
    of a write that has an end of its own leaves nothing to come back :: 4h mon=A; undo applied; is; wait 5h; is; posts 2
    does not count what the platform refused, nor what got lost
      write mon=A; fate refused vanished; refused tue=B; lost tue=B; undo applied; is
    counts what was carried out though its answer got lost :: fate lost; write tue=B; fate lost; undo applied; is; undo unchanged
    that the platform refuses can be tried again :: write mon=A; fate refused; undo failed validation; undo applied; is
    takes back what the platform made of a write :: fate adapted; write mon=A sun=B; is mon=A sun=none; undo applied; is
    takes back a reset :: write mon=A tue=B; reset; wait; is; undo applied; is mon=A tue=B; undo applied; is
    what a temporary write had made does not come back with the day :: 4h mon=none; write mon,tue=B; undo applied; is; wait 5h; is
    what a temporary write had made does not come back after a reset :: 4h mon=none; reset; wait; undo unchanged; is; wait 5h; is
    what a temporary write had made does not come back after another :: 4h mon=none; 4h mon=B; undo applied; is; wait 5h; is
    what somebody else made of a temporary day comes back :: 4h mon=none; app mon=C; write mon=A; undo applied; is mon=C
    takes back what the platform carried out after the bridge was killed, also where it was killed again since
      with postMs=1000 settle_ms=0; write mon=A; begin tue=B; wait 500ms; posts 2; is mon=A; kill; wait; is mon=A tue=B
      kill; undo applied; is mon=A; kill; undo applied; is; undo unchanged
    gives back a former day that breaks the rules of the schedule: the platform had it
      app mon=odd; wait 61s; write mon=A; undo applied; is mon=odd
    has nothing to take back where its command is denied :: with deny=*/setSchedule; undo unchanged
    counts as a command of the hour :: with per_hour=1; write mon=A; undo rejected too_often
    # What the app makes of a day that was not written is no change of ours.
    knows what was carried out though its answer got lost, seen late
      with lagMs=100000; fate lost; lost mon=A; wait 200s; ${UNSURE.replace('unchanged', 'unconfirmed not_shown')}
    knows what was not carried out and got lost, seen late :: with lagMs=100000; fate vanished; lost mon=A; wait 200s; ${UNSURE}
  `),
)('S/undo/set %s', async (_, ...steps) => void (await tell(...steps)));

describe('S/undo/set', () => {
  test('tells which days it altered, and is sent like any other write', async () => {
    const world = await begin();
    await write(world, 'set', { mon: A, tue: A });
    // An end that cannot be read must not make the undo permanent.
    const wrong = world.write('undo/set', undefined, { for: 60 });
    const id = world.write('undo/set', undefined); // The envelope needs no value: {"id":1}.
    await world.clock.pass(120_000);
    expect(world.answers(id)).toMatchObject([
      { status: 'accepted', command: 'setSchedule' },
      { status: 'applied', changed: ['mon', 'tue'], topic: expect.stringContaining('undo/set') },
    ]);
    expect(world.end(wrong)).toBe('rejected invalid');
  });

  test('goes ten changes back, no further', async () => {
    const world = await begin();
    for (let change = 0; change < 12; change += 1) await write(world, 'mon/set', day(`00:00-${String(change + 10)}:00 normal`));
    const ends: string[] = [];
    for (let change = 0; change < 11; change += 1) ends.push(await undo(world));
    expect(ends).toEqual([...Array.from({ length: 10 }, () => 'applied'), 'unchanged']);
    expect(world.platform.week).toEqual({ ...WEEK, mon: day('00:00-11:00 normal') });
  });

  test('an eleventh change that fails costs none of the ten', async () => {
    const world = await begin();
    for (let change = 0; change < 10; change += 1) await write(world, 'mon/set', day(`00:00-${String(change + 10)}:00 normal`));
    world.platform.fates.push('refused');
    await write(world, 'mon/set', A);
    for (let change = 0; change < 10; change += 1) expect(await undo(world)).toBe('applied');
    expect(world.platform.week).toEqual(WEEK);
  });

  test('with an end takes back for a while; then the change is there again, and can be taken back for good', async () => {
    const world = await begin();
    await write(world, 'tue/set', B);
    await write(world, 'mon/set', A);
    const id = world.write('undo/set', 'now', { for: '1h' });
    await world.clock.pass(120_000);
    expect(world.answers(id).at(-1)).toMatchObject({ status: 'applied', changed: ['mon'], until: expect.any(String) });
    expect(world.platform.week).toEqual({ ...WEEK, tue: B });
    await world.restart();
    await world.clock.pass(3_600_000);
    expect(world.platform.week).toEqual({ ...WEEK, mon: A, tue: B });
    expect(await undo(world)).toBe('applied');
    expect(world.platform.week).toEqual({ ...WEEK, tue: B });
    expect(await undo(world)).toBe('applied');
    expect(world.platform.week).toEqual(WEEK);
    expect(await undo(world)).toBe('unchanged');
  });

  test('for another revision than the present is a conflict, also where nothing is left', async () => {
    const world = await begin();
    const id = world.write('undo/set', 'now', { if_rev: 'abc' });
    const right = world.write('undo/set', 'now', { if_rev: world.rev() });
    await world.clock.pass(120_000);
    expect([world.end(id), world.end(right)]).toEqual(['rejected conflict', 'unchanged']);
  });
});

test('an id that comes again within five minutes is the same undo; later it is another', async () => {
  const world = await begin();
  await write(world, 'mon/set', A);
  await write(world, 'tue/set', B);
  const press = async (): Promise<void> => {
    world.write('undo/set', 'now', { id: 'button' });
    await world.clock.pass(100_000);
  };
  await press();
  await press();
  expect(world.platform.week).toEqual({ ...WEEK, mon: A });
  await world.restart();
  await press();
  expect(world.platform.week).toEqual({ ...WEEK, mon: A });
  await world.clock.pass(100_000);
  await press();
  expect(world.platform.week).toEqual(WEEK);
});
