import { expect, test } from 'vitest';
import type { StoredWrite } from '../../../../../src/bridge/ports.ts';
import { changeHistory } from '../../../../../src/bridge/writes/undo/history.ts';
import { takeBack } from '../../../../../src/bridge/writes/undo/takeBack.ts';
import type { SentWrite } from '../../../../../src/bridge/writes/write/write.ts';
import type { Feature } from '../../../../../src/features/feature.ts';
import { DAYS } from '../../../../../src/schedule/week.ts';
import { featureOf } from '../../../../support/devices/features.ts';
import { DEVICE } from '../../../../support/execution/commandWorld.ts';
import { storedOf } from '../../../../support/execution/storedWrite.ts';
import { commandOf } from '../../../../support/schedules/commands.ts';
import { writeStore } from '../../../../support/system/keptInMemory.ts';

const WRITE: SentWrite = {
  ...{ key: 7, at: 1000, device: 'key', name: 'home', feature: 'a.b', state: 'settled', command: 'setCurve', answer: 'delivered' },
  topic: 'base/home/a/b/slope/set',
  by: { kind: 'page', user: 'Paula' },
  change: [{ property: 'slope', written: 2, former: 1 }],
  outcome: { status: 'unconfirmed', code: 'interrupted', message: 'why' },
};

const shown = (write: SentWrite, feature?: Feature, mayRun = true) => {
  const rows = new Map<number, StoredWrite>([[write.key, storedOf(write)]]);
  const states = new Map(feature && [[write.device, { device: DEVICE, shown: () => feature }]]);
  return changeHistory(writeStore(rows), { sentOn: () => [write] }, states, { base: 'base', mayRun: () => mayRun }).newest({}, 10);
};

const numbers = Object.fromEntries(['slope', 'shift', 'other'].map((name) => [name, { type: 'number', value: 2 }]));
const CURVE = featureOf('a.b', numbers, { commands: new Map([commandOf('setCurve', { slope: ['number'], shift: ['number'] })]) });
const WEEK = { ...numbers, entries: { type: 'Schedule', value: Object.fromEntries(DAYS.map((day) => [day, []])) } };
const SCHEDULE = featureOf('a.b', WEEK, { commands: new Map([commandOf('setSchedule', { newSchedule: ['Schedule'] })]) });
const MON = [{ start: '10:00', end: '12:00', mode: 'comfort', position: 0 }];
const DAY = { property: 'entries', day: 'mon', written: [], former: MON } as const;
const number = (property: string, facts: object = {}) => ({ property, written: 2, former: 1, ...facts });
const changing = (...change: NonNullable<SentWrite['change']>): SentWrite => ({ ...WRITE, change });

test('a write in the history shows who asked for it, what it changed, and what became of it', () => {
  expect(shown(WRITE)).toEqual([
    {
      ...{ key: 7, at: '1970-01-01T00:00:01.000Z', device: 'home', feature: 'a.b', name: 'home', command: 'setCurve' },
      topic: 'base/home/a/b/slope/set',
      by: { kind: 'page', user: 'Paula' },
      before: { slope: 1 },
      after: { slope: 2 },
      ...{ status: 'unconfirmed', code: 'interrupted', message: 'why' },
      undo: { why: 'gone' },
    },
  ]);
});

test('a write of which the change is not known cannot be taken back', () => {
  const [entry] = shown({ ...WRITE, change: undefined });
  expect([entry?.undo, entry && 'after' in entry]).toEqual([{ why: 'unknown' }, false]);
});

test.each([
  ['one value', CURVE, WRITE, 'slope/set', { value: 1 }],
  ['several values', CURVE, changing(number('slope'), number('shift')), 'set', { slope: 1, shift: 1 }],
  ['the values that are not back', CURVE, changing(number('slope'), number('shift', { former: 2 })), 'slope/set', { value: 1 }],
  ['a value over a temporary one', CURVE, changing(number('slope', { lasting: 4 })), 'slope/set', { value: 4 }],
  ['what was changed elsewhere since', CURVE, changing(number('slope', { written: 3 })), 'slope/set', { value: 1 }],
  ['the days of a week', SCHEDULE, changing(DAY, number('slope')), 'set', { mon: MON }],
  ['what was lost and is shown', CURVE, { ...WRITE, isPossible: true } as const, 'slope/set', { value: 1 }],
])('a write is taken back by a message: %s', (_, feature, write, leaf, payload) => {
  expect(shown(write, feature)[0]?.undo).toEqual({ topic: `base/home/a/b/${leaf}`, payload: JSON.stringify(payload) });
});

test.each([
  ['nothing', 'it was refused', CURVE, { ...WRITE, state: 'failed' } as const],
  ['nothing', 'it was lost and is not shown', CURVE, { ...changing(number('slope', { written: 3 })), isPossible: true } as const],
  [
    'nothing',
    'it was lost, and only one of its values is shown',
    CURVE,
    { ...changing(number('slope'), number('shift', { written: 3 })), isPossible: true } as const,
  ],
  ['unknown', 'its former day makes no sense', SCHEDULE, changing({ ...DAY, former: 5 })],
  ['is_so', 'its value is back', CURVE, changing(number('slope', { former: 2 }))],
  ['is_so', 'the value below the temporary one is back', CURVE, changing(number('slope', { lasting: 2 }))],
  ['is_so', 'its days are back', SCHEDULE, changing({ ...DAY, written: MON, former: [] }, number('slope'))],
  ['not_writable', 'no command writes it', CURVE, changing(number('other'))],
  ['not_writable', 'the settings forbid it', CURVE, WRITE, false],
  ['not_writable', 'the settings forbid the week', SCHEDULE, changing(DAY), false],
])('a write cannot be taken back: %s, as %s', (why, _, feature, write, mayRun = true) => {
  expect(shown(write, feature, mayRun)[0]?.undo).toEqual({ why });
});

test.each<[what: string, other: Partial<SentWrite>, found: object]>([
  ['is taken back with the rest, where one of its writes was refused', { state: 'failed' }, { values: [{ value: 1 }, { value: 1 }] }],
  ['is not taken back, where the answer to one was lost and not all is shown', { isPossible: true }, { why: 'nothing' }],
])('a command of two writes %s', (_, other, found) => {
  expect(takeBack([{ ...WRITE, ...other }, changing(number('slope', { written: 3 }))], CURVE)).toMatchObject(found);
});

test.each([
  ['refused by the bridge', { status: 'rejected' } as const],
  ['under way', undefined],
])('a write is not in the history where it is %s', (_, outcome) => {
  expect(shown({ ...WRITE, outcome, state: 'sent' })).toEqual([]);
});
