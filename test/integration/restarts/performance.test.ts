import { expect, test } from 'vitest';
import { keyedRows } from '../../../src/bridge/state/keptValues.ts';
import { openDaysFrom } from '../../../src/bridge/state/performance/storedRows.ts';
import { rowOf } from '../../../src/features/performance/openDay.ts';
import { DAY_ROW } from '../../../src/features/performance/storedDay.ts';
import { defaultHome } from '../../../src/simulator/home/home.ts';
import { readBeside } from '../../../src/storage/openDatabase.ts';
import { totalTopic } from '../../support/system/energyWeek.ts';
import { HOUR_MS, wiredSystem } from '../../support/system/virtualSystem.ts';

/** Over New Year; the house is in Berlin. */
const START_MS = Date.parse('2026-12-29T17:00:00Z');
const HEAT = 'heating.heat.production.summary.heating';

const OPTIONS = {
  startMs: START_MS,
  simulator: { home: defaultHome },
  devices: [{ name: 'home', installation: '111222', gateway: '7571381699991111', device: '0', features: ['heating.*'], exclude: [] }],
  read: 'device',
  poll: { seconds: 3600, jitter: 0 },
  timeZone: { setting: 'Europe/Berlin', machine: 'Pacific/Auckland' },
} as const;

const dayRows = (kept: ReadonlyMap<string, unknown>) =>
  [...keyedRows(kept, DAY_ROW, 'day ')].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);

test.each([-20 * 365, -400, 400])(
  'days are those of the platform where the clock of the machine is %i days wrong until it is set',
  async (days) => {
    const system = await wiredSystem(OPTIONS);
    system.time.setWall(days * 24 * HOUR_MS);
    await system.start();
    await system.time.pass(30 * HOUR_MS);
    system.time.setWall(-days * 24 * HOUR_MS);
    await system.time.pass(24 * HOUR_MS);
    await system.stop();
    const rows = dayRows(readBeside(system.dir, 'performance'));
    expect(rows.map(({ day }) => day)).toEqual(['2026-12-29', '2026-12-30', '2026-12-31'].slice(0, rows.length));
    expect(rows[1]?.covered).toBe(24);
  },
);

test('days add up to what was counted, over restarts, a kill, New Year and a day without the bridge', async () => {
  const system = await wiredSystem(OPTIONS);
  await system.start();
  await system.time.pass(10 * HOUR_MS);
  await system.stop();
  await system.time.pass(2 * HOUR_MS);
  await system.start();
  await system.time.pass(18.4 * HOUR_MS);
  // What waits in memory is lost: all since midnight.
  system.kill();
  await system.time.pass(HOUR_MS);
  await system.start();
  await system.time.pass(27 * HOUR_MS);
  await system.stop();
  await system.time.pass(28 * HOUR_MS);
  await system.start();
  await system.time.pass(20 * HOUR_MS);
  await system.stop();
  const told = system.messages.filter(({ topic, payload }) => topic === 'heating2mqtt/home/performance/day' && payload !== '');
  const counted = Number(system.retained.get(totalTopic(HEAT)));
  const year = JSON.parse(system.retained.get('heating2mqtt/home/performance/year') ?? '{}');

  const kept = readBeside(system.dir, 'performance');
  const rows = dayRows(kept);
  const [open] = openDaysFrom(new Map([...kept].filter(([key]) => key.startsWith('open ')))).values();
  if (!open) throw new Error('no day is open');
  expect(rows.map(({ day }) => day)).toEqual(['2026-12-29', '2026-12-30', '2026-12-31', '2027-01-01', '2027-01-02']);
  const all = [...rows, rowOf(open, {})];
  expect(counted).toBeGreaterThan(50);
  expect(all.reduce((sum, { heat }) => sum + (heat?.heating ?? 0), 0)).toBeCloseTo(counted, 0);
  expect(rows[2]).toMatchObject({ covered: 24, by: 'compressors', outside: expect.closeTo(3, 0) });
  // The bridge was away for 28 hours from 04:30 on.
  expect(rows.map(({ covered }) => covered >= 20)).toEqual([false, true, true, false, false]);
  // Each day is told once, and again after the kill; the year that has begun has its own.
  expect([...new Set(told.map(({ payload }) => payload))].map((payload) => JSON.parse(payload).to)).toEqual(rows.map(({ day }) => day));
  expect(year).toMatchObject({ from: '2027-01-01', to: '2027-01-02', of: 2, why: { factor: 'incomplete' } });
});
