import { expect, test } from 'vitest';
import { S, ScheduleWorld } from '../../../../support/schedules/scheduleWorld.ts';
import { daily, day } from '../../../../support/schedules/weeks.ts';

const WEEK = daily('06:00-22:00 normal');
const MINUTE_MS = 60_000;

type Overview = {
  readonly entries: unknown;
  readonly rev: string;
  readonly until?: string;
  readonly zone?: string;
  readonly answers?: readonly Readonly<Record<string, unknown>>[];
};

const overview = (world: ScheduleWorld): Overview => JSON.parse(world.shown('overview').at(-1) ?? '{}');

test('the overview follows week, revision, end and answers, and changes only with them', async () => {
  const world = await ScheduleWorld.begin({ week: WEEK, settle_ms: 0 });
  expect(overview(world)).toMatchObject({ entries: WEEK, rev: world.rev(), zone: expect.any(String) });
  expect(overview(world)).not.toHaveProperty('answers');
  const first = world.write('text/set', { mon: day('07:00-08:00 comfort') }, { if_rev: world.rev() });
  await world.clock.pass(5 * MINUTE_MS);
  expect(overview(world)).toMatchObject({
    entries: { ...WEEK, mon: day('07:00-08:00 comfort') },
    rev: world.rev(),
    answers: [{ id: first, status: 'applied' }],
  });
  const count = world.shown('overview').length;
  await world.clock.pass(60 * MINUTE_MS);
  expect(world.shown('overview')).toHaveLength(count);

  const refused = world.write('text/set', { mon: day('07:05-08:00 comfort') });
  const conflict = world.write('text/set', { mon: day('09:00-10:00 comfort') }, { if_rev: '00000000' });
  const checked = world.write('validate', { mon: day('09:00-10:00 comfort') });
  await world.clock.pass(MINUTE_MS);
  const wrong = world.write('validate', { mon: day('09:05-10:00 comfort') });
  await world.clock.pass(MINUTE_MS);
  expect([world.end(checked), world.end(wrong)]).toEqual(['valid', 'rejected invalid']);
  expect(overview(world).answers).toMatchObject([
    { id: conflict, status: 'rejected', code: 'conflict', message: expect.any(String) },
    { id: refused, status: 'rejected', code: 'invalid', errors: [{ path: '/value/mon/0/start', rule: 'resolution' }] },
    { id: first, status: 'applied' },
  ]);
  const before = world.shown('overview').at(-1);
  await world.restart();
  await world.clock.pass(5 * MINUTE_MS);
  expect(world.shown('overview').at(-1)).toBe(before);
});

test('the end of a temporary write is in the overview as on its own topic, until it has come', async () => {
  const world = await ScheduleWorld.begin({ week: WEEK, settle_ms: 0 });
  world.write('text/set', { tue: [] }, { for: '1h' });
  await world.clock.pass(5 * MINUTE_MS);
  expect(overview(world).until).toBe(world.shown('until').at(-1));
  expect(overview(world).until).toMatch(/^2026-11-21T/);
  world.write('until/set', '2h');
  await world.clock.pass(MINUTE_MS);
  expect(overview(world).until).toBe(world.shown('until').at(-1));
  await world.restart();
  expect(overview(world).until).toBe(world.shown('until').at(-1));
  await world.clock.pass(3 * 60 * MINUTE_MS);
  expect([world.shown('until').at(-1), overview(world)]).toEqual(['', expect.not.objectContaining({ until: expect.anything() })]);
  expect(overview(world).entries).toEqual(WEEK);
});

test('a week that is sent in parts is one command with one answer', async () => {
  const world = await ScheduleWorld.begin({ week: WEEK, settle_ms: 0 });
  const payload = JSON.stringify({ id: 'k7', if_rev: world.rev(), value: { mon: day('07:00-08:00 comfort'), sun: [] } });
  const at = Math.floor(payload.length / 2);
  world.receive(`${S}/text/set`, `part 2/2 k7: ${payload.slice(at)}`);
  world.receive(`${S}/text/set`, `part 1/2 k7: ${payload.slice(0, at)}`);
  world.receive(`${S}/text/set`, 'part 1/2 lost: {');
  await world.clock.pass(5 * MINUTE_MS);
  expect(world.platform.week).toEqual({ ...WEEK, mon: day('07:00-08:00 comfort'), sun: [] });
  expect(overview(world).answers).toMatchObject([
    { id: 'lost', status: 'rejected', code: 'incomplete' },
    { id: 'k7', status: 'applied' },
  ]);
});
