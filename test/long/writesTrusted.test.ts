import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { day } from '../support/schedules/weeks.ts';
import { SCHEDULE } from '../support/system/testSystem.ts';
import { type Trusted, trustedWorld } from '../support/system/trustedWorld.ts';

const A = day('01:00-02:00 comfort');
const B = day('03:00-04:00 comfort');
const C = day('05:00-06:00 comfort');
const CURVE = 'heating.circuits.0.heating.curve';
const CURVE_TOPIC = 'heating2mqtt/home/heating/circuits/0/heating/curve';
const ENDS = ['SIGTERM', 'SIGKILL'] as const;

/** Writes, ends the bridge right after the platform's yes, and starts it again. */
const acceptedThenEnded = async (
  world: Trusted,
  signal: (typeof ENDS)[number],
  write: () => Promise<string>,
  ...statuses: readonly string[]
): Promise<string> => {
  const bridge = await world.start();
  const id = await write();
  await world.answer(id, ...(statuses.length > 0 ? statuses : ['accepted']));
  await bridge.end(signal);
  return id;
};

describe.each(ENDS)('a bridge that is ended by %s before the platform shows what it accepted', (signal) => {
  test('does not write the old Monday back with a new Tuesday', async () => {
    const world = await trustedWorld(1200);
    const monday = await acceptedThenEnded(world, signal, () => world.write('mon/set', A));
    await world.start();
    // It shows what was accepted all the time.
    expect(JSON.parse(world.recorder.last(`heating2mqtt/home/${SCHEDULE.replaceAll('.', '/')}/entries`) ?? '{}').mon).toEqual(A);
    const tuesday = await world.write('tue/set', B);
    expect((await world.answer(tuesday)).status).toBe('applied');
    expect(await world.week()).toMatchObject({ mon: A, tue: B });
    const statuses = world.statuses(monday);
    expect(statuses.filter((status) => status !== 'accepted')).toHaveLength(1);
    expect(statuses.at(-1)).toBe(signal === 'SIGTERM' ? 'unconfirmed' : 'applied');
  });

  test('does not write the old slope back with a new shift', async () => {
    const world = await trustedWorld(1200);
    await acceptedThenEnded(world, signal, () => world.write(`${CURVE_TOPIC}/slope/set`, 2.1));
    await world.start();
    expect((await world.answer(await world.write(`${CURVE_TOPIC}/shift/set`, 3))).status).toBe('applied');
    expect([await world.value(CURVE, 'slope'), await world.value(CURVE, 'shift')]).toEqual([2.1, 3]);
  });

  test('keeps what is left of a write that was merged', async () => {
    const world = await trustedWorld(1200, { settle_ms: 300 });
    const before = await world.week();
    await acceptedThenEnded(
      world,
      signal,
      async () => {
        const both = await world.write('set', { mon: A, tue: A });
        await world.write('set', { tue: before['tue'] });
        return both;
      },
      'superseded',
    );
    await world.start();
    await world.answer(await world.write('wed/set', B));
    expect(await world.week()).toEqual({ ...before, mon: A, wed: B });
  });

  test('does not write back what a command of unpredictable effect has reset', async () => {
    const world = await trustedWorld(800);
    const bridge = await world.start();
    await world.answer(await world.write('set', { mon: C, sun: C }), 'applied');
    await bridge.end('SIGTERM');
    await acceptedThenEnded(world, signal, () => world.write('call/resetSchedule', {}), 'applied');
    await world.start();
    await world.answer(await world.write('tue/set', B));
    const week = await world.week();
    expect(week['tue']).toEqual(B);
    for (const name of ['mon', 'sun']) expect(week[name]).not.toEqual(C);
  });

  test('finds out what became of a write of which no answer had come, before the next is completed', async () => {
    const world = await trustedWorld(800);
    const bridge = await world.start();
    world.simulator.control({ command: 'fault', kind: 'hang', execute: true, times: 1, match: { method: 'POST' } });
    const monday = await world.write('mon/set', A);
    while (world.posts() === 0) await new Promise((resolve) => setImmediate(resolve));
    await bridge.end(signal);
    await world.start();
    await world.answer(await world.write('tue/set', B));
    expect(await world.week()).toMatchObject({ mon: A, tue: B });
    expect(world.statuses(monday)).toEqual([signal === 'SIGTERM' ? 'unconfirmed' : 'applied']);
    expect(world.posts()).toBe(2);
  });

  test('ends a temporary write of which no answer had come', async () => {
    const world = await trustedWorld(0);
    const bridge = await world.start();
    const before = await world.value(CURVE, 'slope');
    world.simulator.control({ command: 'fault', kind: 'hang', execute: true, times: 1, match: { method: 'POST' } });
    await world.write(`${CURVE_TOPIC}/slope/set`, 2.1, { for: '6s' });
    await expect.poll(() => world.value(CURVE, 'slope')).toBe(2.1);
    await bridge.end(signal);
    await world.start();
    await expect.poll(() => world.value(CURVE, 'slope')).toBe(before);
  });
});

test('the end of a write whose answer was lost is kept, and comes also where the platform shows it only after the last confirming read', async () => {
  const world = await trustedWorld(1500, { confirm_s: [0.1, 0.5] });
  await world.start();
  const before = await world.value(CURVE, 'slope');
  world.simulator.control({ command: 'fault', kind: 'cut_after_effect', times: 1, match: { method: 'POST' } });
  const id = await world.write(`${CURVE_TOPIC}/slope/set`, 2.1, { for: '5s' });
  expect(await world.answer(id)).toMatchObject({ status: 'failed', code: 'unknown_outcome' });
  expect(await world.value(CURVE, 'slope')).toBe(before);
  await expect.poll(() => world.value(CURVE, 'slope'), { timeout: 5000 }).toBe(2.1);
  await expect.poll(() => world.value(CURVE, 'slope'), { timeout: 15_000 }).toBe(before);
});

test.runIf(process.platform === 'linux')('a full disk refuses a write whose end cannot be kept, and takes others', async () => {
  const world = await trustedWorld(0);
  const bridge = await world.start();
  const before = await world.value(CURVE, 'slope');
  execFileSync('prlimit', ['--pid', String(bridge.child.pid), '--fsize=10:unlimited']);
  const temporary = await world.answer(await world.write(`${CURVE_TOPIC}/slope/set`, 2.1, { for: '1h' }));
  expect(temporary).toMatchObject({ status: 'rejected', code: 'end_not_kept' });
  expect(await world.value(CURVE, 'slope')).toBe(before);
  expect((await world.answer(await world.write(`${CURVE_TOPIC}/slope/set`, 2.2))).status).toBe('applied');
});
