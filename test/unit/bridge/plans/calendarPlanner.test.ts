import { expect, test } from 'vitest';
import { approvalOf } from '../../../../src/bridge/plans/approval.ts';
import { calendarPlanner } from '../../../../src/bridge/plans/calendarPlanner.ts';
import type { DeviceState } from '../../../../src/bridge/state/deviceState.ts';
import { type Rule, readRule } from '../../../../src/schedule/calendar/rules.ts';
import { recordingLog } from '../../../support/system/testSystem.ts';

const NOW = Date.parse('2026-11-21T00:00:00Z');

const planner = (
  rule: string,
  kept = new Map<string, unknown>(),
  states: ReadonlyMap<string, DeviceState> = new Map(),
  now = () => NOW,
) => {
  const store = { read: () => kept, write: (key: string, value?: object) => Boolean(value ? kept.set(key, value) : !kept.delete(key)) };
  const clock = { now, elapsedMs: () => 0, sleep: async () => undefined };
  const approval = approvalOf('calendar', [rule], store, recordingLog([]));
  const targets = { profiles: [], mayRun: () => true, zone: () => 'UTC' };
  const { approve } = approval;
  return { ...calendarPlanner([readRule(rule) as Rule], targets, approval, states, store, clock), approve };
};

test('a key that is a number to JSON is approved, also within an envelope', () => {
  const calendar = planner('Away 27 -> holiday');
  expect(calendar.report()).toMatchObject({ key: '36e86653', state: 'off' });
  expect(calendar.approve(' 36e86653 ')).toMatchObject({ status: 'applied' });
  expect(calendar.approve('off')).toMatchObject({ status: 'applied' });
  expect(calendar.approve('{"value":"36e86653"}')).toMatchObject({ status: 'applied' });
  expect(calendar.approve('wrong')).toMatchObject({ status: 'rejected', code: 'conflict' });
});

test('calendars of any name are kept, and the approval with them', () => {
  const kept = new Map<string, unknown>();
  const before = planner('Away -> holiday', kept);
  before.approve('off');
  before.approve((before.report() as { key: string }).key);
  for (const name of ['approved', 'a/b', 'calendar.google.com/….ics']) before.takeEvents(name, '[{"summary":"x","start":"2026-11-22"}]');
  const after = planner('Away -> holiday', kept);
  after.keepAddresses([]);
  expect(after.report()).toMatchObject({ state: 'on', calendars: [{ name: 'approved' }, { name: 'a/b' }] });
});

test('of events that have ended and are told no more at most 500 are kept', () => {
  const calendar = planner('Away -> holiday');
  const ended = (kind: string) =>
    Array.from({ length: 400 }, (_, index) => ({ title: `${kind} ${index}`, start: '2026-11-20T08:00:00Z', end: '2026-11-20T09:00:00Z' }));
  for (const kind of ['a', 'b']) calendar.put('x', { events: ended(kind), skipped: 0 });
  calendar.put('x', { events: [], skipped: 0 });
  expect(calendar.report()).toMatchObject({ calendars: [{ events: 500 }] });
});

test('an event that has ended is kept once where it is told again, and for two days', () => {
  const calendar = planner('Away -> holiday');
  const ended = (day: number) => [{ title: 'x', start: `2026-11-${day}T08:00:00Z`, end: `2026-11-${day}T09:00:00Z` }];
  for (const [day, kept] of [
    [20, 1],
    [18, 0],
  ] as const) {
    for (const events of [ended(day), ended(day), []]) calendar.put(`${day}`, { events, skipped: 0 });
    expect(calendar.report()).toMatchObject({ calendars: expect.arrayContaining([{ name: `${day}`, events: kept, skipped: 0 }]) });
  }
});

test('a copy of two days is stale, until its calendar is heard again', () => {
  let nowMs = NOW;
  const calendar = planner('Away -> holiday', undefined, undefined, () => nowMs);
  const told = () => (calendar.report() as { calendars: unknown }).calendars;
  calendar.put('x', { events: [], skipped: 0 });
  nowMs += 49 * 3_600_000;
  expect(told()).toEqual([{ name: 'x', events: 0, skipped: 0, stale: true }]);
  calendar.put('x', { events: [], skipped: 0 });
  expect(told()).toEqual([{ name: 'x', events: 0, skipped: 0 }]);
});

test('why a calendar was not read is told until it is read', () => {
  const calendar = planner('Away -> holiday');
  const told = () => (calendar.report() as { calendars: unknown }).calendars;
  const empty = { name: 'a/….ics', events: 0, skipped: 0 };
  calendar.failed('a/….ics', 'the server answers 500');
  expect(told()).toEqual([{ ...empty, unread: 'the server answers 500' }]);
  calendar.put('a/….ics', { events: [], skipped: 0 });
  expect(told()).toEqual([empty]);
  calendar.failed('a/….ics', 'no answer within 10 s');
  expect(told()).toEqual([{ ...empty, unread: 'no answer within 10 s' }]);
});

test('of more than 20 calendars a new one takes the place of one without events', () => {
  const calendar = planner('Away -> holiday');
  const tell = (name: string, text: string): string => calendar.takeEvents(name, text).status;
  for (let index = 0; index < 20; index += 1) expect(tell(`c${index}`, '[{"summary":"x","start":"2026-11-22"}]')).toBe('applied');
  expect(tell('new', '[]')).toBe('rejected');
  expect(tell('c7', '[]')).toBe('applied');
  expect(tell('new', '[]')).toBe('applied');
  expect(JSON.stringify(calendar.report())).not.toContain('"c7"');
});

test('a calendar that was not on says that nothing changes where it is switched off', () => {
  const kept = new Map<string, unknown>([['approved calendar', { key: 'of former rules' }]]);
  const calendar = planner('Away 27 -> holiday', kept);
  const nothing = expect.stringContaining('nothing changes');
  expect(calendar.approve('off')).toMatchObject({ status: 'applied', message: nothing });
  calendar.approve('36e86653');
  expect(calendar.approve('off')).toMatchObject({ status: 'applied', message: expect.stringContaining('are restored now') });
  expect(calendar.approve('off')).toMatchObject({ status: 'unchanged', message: nothing });
});
