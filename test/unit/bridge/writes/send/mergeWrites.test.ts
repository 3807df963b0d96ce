import { expect, test } from 'vitest';
import { sendWeek } from '../../../../../src/bridge/writes/parse/evaluate.ts';
import type { DeviceRequest } from '../../../../../src/bridge/writes/request/commandRequest.ts';
import { type Decided, mergeWrites } from '../../../../../src/bridge/writes/send/mergeWrites.ts';
import { DAYS, type Week, weekOf } from '../../../../../src/schedule/week.ts';
import { scheduleOf } from '../../../../support/schedules/commands.ts';

const SCHEDULE = scheduleOf();

/** A whole week in which each day but Sunday, which is empty, begins at this time. */
const weekFrom = (start: string): Week => weekOf((day) => (day === 'sun' ? [] : [{ start, end: '22:00', mode: 'normal', position: 0 }]));

/** A write of a whole week to a schedule of which the platform shows no week. */
const wholeWeek = (week: Week): Decided => ({
  request: {} as DeviceRequest,
  feature: SCHEDULE,
  write: {
    ...{ feature: SCHEDULE.name, command: 'setSchedule', envelope: {}, dryRun: false },
    content: { kind: 'week', param: 'newSchedule', week: { days: new Map(), issues: [] } },
  },
  decision: sendWeek('setSchedule', { param: 'newSchedule', property: 'entries', present: undefined, week, named: DAYS }),
});

const EMPTY = weekOf(() => []);

test.each([
  ['the last is sent, and what it repeats of an earlier one is sent for both', weekFrom('06:00'), ['sun']],
  ['an empty one is sent too', EMPTY, ['sun']],
])('whole weeks where the platform shows none: %s', (_, last, kept) => {
  const [early, late] = [wholeWeek(weekFrom('05:00')), wholeWeek(last)];
  const { sending, shares, overwritten, unchanged } = mergeWrites([early, late, late]);
  expect(sending?.args).toEqual({ newSchedule: last });
  const whole = { request: late.request, write: late.write, named: DAYS, changed: DAYS };
  expect(shares).toEqual([{ request: early.request, write: early.write, named: kept, kept }, whole, whole]);
  expect([overwritten, unchanged]).toEqual([[], []]);
});
