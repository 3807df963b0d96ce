import { expect, test } from 'vitest';
import { undoOf } from '../../../../../src/bridge/writes/undo/undoOfChange.ts';
import type { Feature, Json } from '../../../../../src/features/feature.ts';
import { featureOf } from '../../../../support/devices/features.ts';
import { commandOf } from '../../../../support/schedules/commands.ts';

const feature = (values: Readonly<Record<string, Json>>, type: string, ...params: readonly string[]): Feature => {
  const properties = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { type, value }]));
  const command = commandOf('setIt', Object.fromEntries(params.map((name) => [name, [type]])));
  return featureOf('a.b', properties, { commands: new Map([command]) });
};

const RULES = { base: 'base', mayRun: () => true };
const ENTRY = { start: '10:00', end: '12:00', mode: 'comfort', position: 0 };
const WEEK = { mon: [ENTRY], tue: [], wed: [], thu: [], fri: [], sat: [], sun: [] };
const CURVE = feature({ slope: 1, shift: 2 }, 'number', 'slope', 'shift');
const SCHEDULE = feature({ entries: WEEK }, 'Schedule', 'newSchedule');
const made = (before: Readonly<Record<string, Json>> | undefined, status = 'applied') => ({ device: 'home', before, status });

test.each([
  ['one value', CURVE, { slope: 3 }, 'base/home/a/b/slope/set', { value: 3 }],
  ['several values', CURVE, { slope: 3, shift: 4 }, 'base/home/a/b/set', { slope: 3, shift: 4 }],
  ['days of a week', SCHEDULE, { entries: { mon: [] } }, 'base/home/a/b/set', { mon: [] }],
])('a change is taken back: %s', (_, shown, before, topic, payload) => {
  expect(undoOf(made(before), shown, RULES)).toEqual({ topic, payload: JSON.stringify(payload) });
});

test.each([
  ['where nothing was changed', CURVE, made({ slope: 3 }, 'failed'), RULES, 'nothing'],
  ['where it is so again', CURVE, made({ slope: 1 }), RULES, 'is_so'],
  ['where the week is so again', SCHEDULE, made({ entries: { mon: [ENTRY] } }), RULES, 'is_so'],
  ['where nothing is known of before', CURVE, made(undefined), RULES, 'unknown'],
  ['where the feature is gone', undefined, made({ slope: 3 }), RULES, 'gone'],
  ['where no command writes it', CURVE, made({ other: 3 }), RULES, 'not_writable'],
  ['where the settings forbid it', CURVE, made({ slope: 3 }), { ...RULES, mayRun: () => false }, 'not_writable'],
  ['where the settings forbid the week', SCHEDULE, made({ entries: { mon: [] } }), { ...RULES, mayRun: () => false }, 'not_writable'],
])('nothing is to be taken back: %s', (_, shown, change, rules, why) => {
  expect(undoOf(change, shown, rules)).toEqual({ why });
});
