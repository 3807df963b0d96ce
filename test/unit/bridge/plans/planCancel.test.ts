import { expect, test } from 'vitest';
import { planCalls } from '../../../../src/bridge/plans/planCalls.ts';
import { type PlanExecutor, planExecutor } from '../../../../src/bridge/plans/planExecutor.ts';
import { planOwners } from '../../../../src/bridge/plans/planOwners.ts';
import { type Device, DeviceState, deviceKey } from '../../../../src/bridge/state/deviceState.ts';
import type { Feature } from '../../../../src/features/feature.ts';
import { MOST_CALLS } from '../../../../src/schedule/plans/allowance.ts';
import type { Wish } from '../../../../src/schedule/plans/precedence.ts';
import { recordingLog } from '../../../support/system/testSystem.ts';
import { virtualTime } from '../../../support/time/virtualTime.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const DEVICE: Device = { name: 'heating', installation: '1', gateway: 'g', device: '0', features: [], exclude: [] };
const PLACE = { device: deviceKey(DEVICE), feature: 'heating.operating.programs.holiday' };

/** A holiday, which the device itself ends. */
const holidayWorld = () => {
  const time = virtualTime();
  const sent: string[] = [];
  const world = { refuses: false };
  const owners = planOwners();
  const state = new DeviceState(DEVICE);
  const show = (value: { readonly start: string; readonly end: string }): void => {
    const properties = new Map(Object.entries(value).map(([name, text]) => [name, { type: 'string', value: text }]));
    const truth: Feature = { name: PLACE.feature, gateway: 'g', isEnabled: true, isReady: true, properties, commands: new Map() };
    state.take(truth, time.now());
  };
  const { clock } = time.process();
  const store = { read: () => new Map(), write: () => true };
  const none = { ends: { allRunning: () => [] }, writes: { all: () => [], sent: () => undefined, isLeft: () => false } };
  const calls = planCalls(
    { ...none, confirmS: [5, 15, 45, 120], store, quota: { knownMs: () => time.now(), pausedForMs: () => 0 } },
    clock,
  );
  const executor: PlanExecutor = planExecutor(
    {
      ...{ base: 'heat', calls, store, states: new Map([[PLACE.device, state]]), owners },
      writes: { at: () => [], sent: () => undefined, sentOn: () => [], isLeft: () => false },
      ends: { running: () => undefined, contested: () => [] },
      submit: ({ topic, payload, by, onAnswer }) => {
        const isBegin = !topic.includes('unschedule');
        sent.push(isBegin ? 'schedule' : 'unschedule');
        if (!isBegin && world.refuses) {
          onAnswer({ status: 'failed' } as never);
          return;
        }
        show(isBegin ? JSON.parse(new TextDecoder().decode(payload)) : { start: '', end: '' });
        onAnswer({ status: 'accepted' } as never);
        executor.accepted(PLACE, [by.kind]);
        onAnswer({ status: 'applied' } as never);
      },
      quota: { mayRead: () => true },
    },
    clock,
    recordingLog([]),
  );
  void executor.run(new AbortController().signal);
  const nowMs = time.now();
  const holiday = (beginMs: number, untilMs: number, start = '2027-01-01'): Wish => ({
    ...{ owner: 'calendar', device: DEVICE.name, feature: PLACE.feature, beginMs, untilMs, reason: 'Vacation' },
    command: { call: 'schedule', value: { start, end: '2027-01-20' }, cancel: 'unschedule' },
  });
  return {
    ...{ time, world, sent, nowMs, holiday, owner: () => owners.of(PLACE)?.owner, absences: state.absences },
    wish: (...all: readonly Wish[]) => executor.wish('calendar', all),
    accepted: (kind: string) => executor.accepted(PLACE, [kind]),
  };
};

test('a holiday that comes and goes takes no more calls of a day than plans may take', async () => {
  const { time, sent, nowMs, holiday, wish } = holidayWorld();
  for (let index = 0; index < 12; index += 1) {
    wish(holiday(nowMs + index, nowMs + 10 * DAY));
    await time.pass(10 * MINUTE);
    wish();
    await time.pass(10 * MINUTE);
  }
  // Each of them takes a read, a POST and a read that confirms it.
  expect(sent.length * 3).toBeLessThanOrEqual(MOST_CALLS);
  expect(sent.filter((one) => one === 'unschedule')).toHaveLength(sent.filter((one) => one === 'schedule').length);
});

test('a cancel that is refused is tried some times, ever more rarely', async () => {
  const { time, world, sent, nowMs, holiday, wish } = holidayWorld();
  wish(holiday(nowMs, nowMs + 10 * DAY));
  await time.pass(10 * MINUTE);
  world.refuses = true;
  wish();
  await time.pass(100 * MINUTE);
  expect(sent).toEqual(['schedule', ...Array(3).fill('unschedule')]);
  await time.pass(9 * DAY);
  expect(sent).toEqual(['schedule', ...Array(8).fill('unschedule')]);
});

test('a feature that is missing is cancelled once it is back', async () => {
  const { time, world, sent, nowMs, holiday, wish, absences } = holidayWorld();
  wish(holiday(nowMs, nowMs + 10 * DAY));
  await time.pass(10 * MINUTE);
  absences.set(PLACE.feature, { since_ms: nowMs, reads: 2 });
  world.refuses = true;
  wish();
  await time.pass(8 * DAY);
  expect(sent).toEqual(['schedule']);
  absences.clear();
  world.refuses = false;
  await time.pass(2 * MINUTE);
  expect(sent).toEqual(['schedule', 'unschedule']);
});

test('what a season writes is no act of a person', async () => {
  const { time, nowMs, holiday, wish, owner, accepted } = holidayWorld();
  wish(holiday(nowMs, nowMs + 10 * DAY));
  for (const [kind, is] of [
    ['season', 'calendar'],
    ['mqtt', 'hand'],
  ] as const) {
    await time.pass(MINUTE);
    accepted(kind);
    await time.pass(MINUTE);
    expect(owner()).toBe(is);
  }
});

test('a holiday of two that touch goes on when the first one has ended, and is cancelled where its end is another one', async () => {
  const { time, sent, nowMs, holiday, wish, owner } = holidayWorld();
  wish(holiday(nowMs, nowMs + 10 * DAY));
  await time.pass(4 * DAY);
  wish(holiday(nowMs + 3 * DAY, nowMs + 10 * DAY, '2027-01-04'));
  await time.pass(DAY);
  expect([sent, owner()]).toEqual([['schedule'], 'calendar']);
  const other = holiday(nowMs + 3 * DAY, nowMs + 9 * DAY);
  wish({ ...other, command: { ...other.command, value: { start: '2027-01-04', end: '2027-01-19' } } });
  await time.pass(MINUTE);
  expect(sent).toEqual(['schedule', 'unschedule', 'schedule']);
});
