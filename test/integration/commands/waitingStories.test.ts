import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../support/chance.ts';
import { failure } from '../../support/execution/commandWorld.ts';
import { HolidayWorld } from '../../support/execution/holidayWorld.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../support/system/virtualSystem.ts';

type Field = 'start' | 'end';
type Step =
  | { readonly kind: 'write'; readonly field: Field; readonly day: number }
  | { readonly kind: 'both'; readonly leaf: 'set' | 'call/schedule'; readonly start: number; readonly end: number }
  | { readonly kind: 'pass'; readonly hours: number }
  | { readonly kind: 'wall'; readonly hours: number }
  | { readonly kind: 'cancel' | 'restart' | 'kill' };

const dateOf = (day: number): string => `2030-12-${String(20 + day)}`;
const day = fc.integer({ min: 1, max: 5 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('write' as const), field: fc.constantFrom<Field>('start', 'end'), day }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('both' as const),
      leaf: fc.constantFrom('set' as const, 'call/schedule' as const),
      start: day,
      end: day,
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('pass' as const), hours: fc.integer({ min: 1, max: 26 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('wall' as const), hours: fc.constantFrom(-240, -20, 1, 20, 240) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('cancel' as const, 'restart' as const, 'kill' as const) }) },
);

/** What should be so: what is planned, and what waits since when. */
class Model {
  plan: { readonly start: string; readonly end: string } | undefined;
  draft: { readonly field: Field; readonly date: string; readonly untilMs: number; knownMs: number } | undefined;
  readonly #world: HolidayWorld;

  constructor(world: HolidayWorld) {
    this.#world = world;
  }

  write(field: Field, date: string): void {
    const { time } = this.#world;
    const other: Field = field === 'start' ? 'end' : 'start';
    const waits = this.draft?.field === other ? this.draft.date : this.plan?.[other];
    if (waits === undefined) this.draft = { field, date, untilMs: time.now() + DAY_MS, knownMs: time.elapsedMs() };
    else this.both(...(field === 'start' ? ([date, waits] as const) : ([waits, date] as const)));
  }

  both(start: string, end: string): void {
    if (start >= end) return;
    this.plan = { start, end };
    this.draft = undefined;
  }

  /** The day is over by the wall, or for this process. */
  expire(): void {
    const { time } = this.#world;
    if (this.draft && (time.now() >= this.draft.untilMs || time.elapsedMs() >= this.draft.knownMs + DAY_MS)) this.draft = undefined;
  }
}

describe('values that wait for others', () => {
  test('whatever comes in which order, nothing incomplete is sent, and each write has its one final answer', {
    timeout: 300_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), async (steps) => {
        const world = await HolidayWorld.begin();
        const { system, time } = world;
        const model = new Model(world);
        const ids: number[] = [];
        for (const one of steps) {
          switch (one.kind) {
            case 'write':
              model.write(one.field, dateOf(one.day));
              ids.push(await world.write(`${one.field}/set`, dateOf(one.day)));
              break;
            case 'both':
              model.both(dateOf(one.start), dateOf(one.end));
              ids.push(await world.write(one.leaf, { start: dateOf(one.start), end: dateOf(one.end) }));
              break;
            case 'cancel':
              model.plan = undefined;
              model.draft = undefined;
              ids.push(await world.write('call/unschedule', {}));
              break;
            case 'pass':
              await time.suspend(one.hours * HOUR_MS);
              break;
            case 'wall':
              time.setWall(one.hours * HOUR_MS);
              break;
            case 'restart':
            case 'kill':
              if (one.kind === 'kill') system.kill();
              else await system.stop();
              await system.start();
              if (model.draft) model.draft.knownMs = time.elapsedMs();
              break;
            default:
              one satisfies never;
          }
          await world.settle();
          model.expire();
          expect(world.waiting()).toEqual(model.draft && { [model.draft.field]: model.draft.date });
          expect(world.plan).toEqual(model.plan ?? { start: '', end: '' });
          for (const field of ['start', 'end'] as const)
            expect(world.retained(`${field}/field`)).toBe(
              model.draft?.field === field ? model.draft.date : (model.plan?.[field] ?? 'none'),
            );
        }
        await time.suspend(DAY_MS);
        await time.pass(MINUTE_MS);
        expect(world.waiting()).toBeUndefined();
        expect(ids.map((id) => world.finals(id).length)).toEqual(ids.map(() => 1));
        for (const { command, args } of world.calls) expect(Object.keys(args as object).sort()).toEqual(PARAMETERS[command]);
        await system.stop();
      }),
      { numRuns: runs(200) },
    );
  });

  test('also where writes come at once, calls fail, and the bridge stops in between', { timeout: 300_000 }, async () => {
    const hasty = fc.oneof(
      { weight: 6, arbitrary: fc.tuple(fc.constantFrom('start/set', 'end/set'), day.map(dateOf)) },
      { weight: 1, arbitrary: fc.tuple(fc.constantFrom('set', 'call/schedule'), fc.constant({ start: dateOf(2), end: dateOf(4) })) },
      { weight: 1, arbitrary: fc.constant(['call/unschedule', {}] as const) },
      { weight: 1, arbitrary: fc.constant(['stop', ''] as const) },
      { weight: 2, arbitrary: fc.tuple(fc.constant('fails'), fc.constantFrom('no', 'unknown')) },
    );
    const steps = fc.array(fc.tuple(hasty, fc.constantFrom(0, 1, 7000, 90_000)), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const world = await HolidayWorld.begin();
        const { system, time } = world;
        const ids: number[] = [];
        for (const [[what, value], waitMs] of all) {
          if (what === 'stop') {
            await system.stop();
            await system.start();
          } else if (what === 'fails') world.failures.push(failure('unreachable', value === 'no' ? 'no' : 'unknown'));
          else ids.push(world.send(what, value));
          await time.pass(waitMs);
        }
        // What is under way ends first: a value goes on waiting where the call that took it failed.
        await time.pass(10 * MINUTE_MS);
        await time.suspend(DAY_MS);
        await time.pass(10 * MINUTE_MS);
        expect(world.waiting()).toBeUndefined();
        expect(ids.map((id) => [id, world.finals(id).length])).toEqual(ids.map((id) => [id, 1]));
        for (const { command, args } of world.calls) expect(Object.keys(args as object).sort()).toEqual(PARAMETERS[command]);
        await system.stop();
      }),
      { numRuns: runs(200) },
    );
  });

  test('a day is a day: to the minute, and over a restart', async () => {
    const world = await HolidayWorld.begin();
    const { system, time } = world;
    const id = await world.write('start/set', '2030-12-21');
    await time.suspend(10 * HOUR_MS);
    await system.stop();
    await time.suspend(10 * HOUR_MS);
    await system.start();
    expect(world.waiting()).toEqual({ start: '2030-12-21' });
    await time.pass(4 * HOUR_MS - 5 * MINUTE_MS);
    expect(world.finals(id)).toEqual([]);
    await time.pass(5 * MINUTE_MS);
    expect(world.finals(id)).toMatchObject([
      { status: 'rejected', code: 'incomplete', message: expect.stringMatching(/start waited for a day, but end did not arrive/u) },
    ]);
    expect([world.waiting(), world.retained('start/field')]).toEqual([undefined, 'none']);
    expect(world.calls).toEqual([]);
  });

  test('a day that ended while the bridge was off is answered at its start', async () => {
    const world = await HolidayWorld.begin();
    const { system, time } = world;
    const id = await world.write('end/set', '2030-12-21');
    system.kill();
    await time.suspend(3 * DAY_MS);
    await system.start();
    await time.pass(MINUTE_MS);
    expect(world.finals(id)).toMatchObject([{ status: 'rejected', code: 'incomplete' }]);
    expect(world.waiting()).toBeUndefined();
  });

  test('it ends with an answer where its command is gone, or the feature', async () => {
    const world = await HolidayWorld.begin();
    const { time } = world;
    const id = await world.write('start/set', '2030-12-21');
    world.gone.add('schedule');
    await time.pass(2 * HOUR_MS);
    expect(world.finals(id)).toMatchObject([{ status: 'rejected', code: 'unknown_command' }]);
    world.gone.delete('schedule');
    await time.pass(2 * HOUR_MS);
    const next = await world.write('start/set', '2030-12-21');
    expect(world.waiting()).toEqual({ start: '2030-12-21' });
    world.isGone = true;
    for (let hour = 0; hour < 48; hour += 1) await time.suspend(HOUR_MS);
    expect(world.finals(next)).toHaveLength(1);
    expect(world.waiting()).toBeUndefined();
    expect(world.calls).toEqual([]);
  });

  test.each([true, false])(
    'killed while the command is on its way (carried out: %s), each write has its one answer after the start',
    async (isDone) => {
      const world = await HolidayWorld.begin();
      const { system, time } = world;
      const first = await world.write('start/set', '2030-12-21');
      world.isMute = true;
      const last = world.send('end/set', '2031-01-04');
      await time.pass(100);
      system.kill();
      world.isMute = false;
      if (!isDone) world.plan = { start: '', end: '' };
      await system.start();
      await time.pass(2 * HOUR_MS);
      const status = isDone ? 'applied' : 'unconfirmed';
      for (const id of [first, last]) expect(world.finals(id)).toMatchObject([{ status }]);
      expect([world.waiting(), world.calls.length]).toEqual([undefined, 1]);
    },
  );

  test('where no call is left for the command, only the last write fails, and the other goes on waiting', async () => {
    const world = await HolidayWorld.begin({ allowance: { per_10_minutes: 10, per_day: 1, reserve_for_commands: 0 } });
    const { time } = world;
    const [first, last] = [await world.write('start/set', '2030-12-21'), await world.write('end/set', '2031-01-04')];
    await time.pass(15 * MINUTE_MS);
    expect(world.finals(last)).toMatchObject([{ status: 'failed', code: 'no_quota' }]);
    expect([world.finals(first), world.waiting(), world.calls]).toEqual([[], { start: '2030-12-21' }, []]);
  });

  test.each([
    ['no time', { untilMs: Number.MAX_VALUE }],
    ['no values', { values: 'x' }],
    ['no state', { state: undefined }],
  ])('a row on disk that makes no sense is left out: %s', async (_, broken) => {
    const world = await HolidayWorld.begin();
    const { system, time } = world;
    await world.write('start/set', '2030-12-21');
    await system.stop();
    const database = new DatabaseSync(path.join(system.dir, 'heating2mqtt.db'));
    const row = database.prepare('SELECT facts FROM writes').get() as { readonly facts: string };
    database.prepare('UPDATE writes SET facts = ?').run(JSON.stringify({ ...JSON.parse(row.facts), ...broken }));
    database.close();
    await system.start();
    await time.pass(MINUTE_MS);
    expect(world.waiting()).toBeUndefined();
    const id = await world.write('end/set', '2031-01-04');
    expect(world.answers(id)).toMatchObject([{ status: 'waiting' }]);
  });
});

const PARAMETERS: Readonly<Record<string, readonly string[]>> = { schedule: ['end', 'start'], changeEndDate: ['end'], unschedule: [] };
