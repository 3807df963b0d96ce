import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Decision } from '../../../../src/bridge/commands/evaluate.ts';
import { reversible, revertCommand } from '../../../../src/bridge/overrides/revertCommand.ts';
import {
  asShown,
  type Kept,
  laidOver,
  readKept,
  replacedBy,
  standingOf,
  type Temporary,
  withoutWritten,
} from '../../../../src/bridge/overrides/temporaryOverride.ts';
import type { Feature, Json } from '../../../../src/features/feature.ts';
import { featureOf, WEEK } from '../../../support/devices/features.ts';
import { commandOf, scheduleOf } from '../../../support/schedules/commands.ts';

const RULES = { allow: ['*'], deny: [] };

const curve = (slope: number, shift: number): Feature =>
  featureOf(
    'heating.curve',
    { slope: { value: slope }, shift: { value: shift } },
    { commands: new Map([commandOf('setCurve', { slope: ['number'], shift: ['number'] })]) },
  );

const program = (active: boolean, temperature: number): Feature =>
  featureOf(
    'heating.comfort',
    { active: { value: active }, temperature: { value: temperature } },
    {
      commands: new Map([
        commandOf('setTemperature', { targetTemperature: ['number', { min: 3, max: 30 }] }),
        commandOf('activate', {}, !active),
        commandOf('deactivate', {}, active),
      ]),
    },
  );

const entry = (start: string, end: string): Json => ({ start, end, mode: 'normal', position: 0 });
const week = (days: Readonly<Record<string, Json>>): Json => ({ mon: [], tue: [], wed: [], thu: [], fri: [], sat: [], sun: [], ...days });

type Wrote = { readonly on: Feature; readonly values: Readonly<Record<string, Json>>; readonly days?: Temporary['parts'][number]['day'][] };

const temporary = ({ on, values, days }: Wrote, untilMs = 1000): Temporary => {
  const effect = { values: new Map(Object.entries(values)), ...(days ? { days: days.filter((day) => day !== undefined) } : {}) };
  const parts = replacedBy(effect, on);
  if (!parts) throw new Error('nothing is replaced');
  return { key: 1, device: 'g/0', feature: on.name, command: 'x', untilMs, parts };
};

const formers = ({ parts }: Temporary) => Object.fromEntries(parts.map(({ property, day, former }) => [day ?? property, former]));

describe('what a write replaces', () => {
  test('are the values before it, of a week those of the days that it alters', () => {
    expect(formers(temporary({ on: curve(1.4, 3), values: { slope: 2 } }))).toEqual({ slope: 1.4 });
    expect(formers(temporary({ on: curve(1.4, 3), values: { slope: 2, shift: 3 } }))).toEqual({ slope: 1.4 });
    const cold = temporary({ on: scheduleOf(WEEK), values: { entries: week({ tue: [entry('08:00', '09:00')] }) }, days: ['mon', 'tue'] });
    expect(formers(cold)).toEqual({ mon: [entry('06:00', '22:00')], tue: [] });
  });

  test('cannot come back where there was no value', () => {
    const on = featureOf('x', { value: { type: 'number' } });
    expect(replacedBy({ values: new Map([['value', 5]]) }, on)).toBeUndefined();
    expect(replacedBy({ values: new Map([['entries', WEEK]]), days: ['mon'] }, scheduleOf(5))).toBeUndefined();
  });
});

describe('several on one feature', () => {
  test('end with the newest, and what was before the first comes back', () => {
    const first = temporary({ on: curve(1.4, 3), values: { slope: 2 } });
    const second = laidOver(first, temporary({ on: curve(2, 3), values: { slope: 2.5, shift: 4 } }, 5000), curve(2, 3));
    expect(second.untilMs).toBe(5000);
    expect(formers(second)).toEqual({ slope: 1.4, shift: 3 });
    const third = laidOver(second, temporary({ on: curve(2.5, 4), values: { shift: 0 } }, 6000), curve(2.5, 4));
    expect(formers(third)).toEqual({ slope: 1.4, shift: 3 });
    expect(third.parts.map(({ written }) => written).sort()).toEqual([0, 2.5]);
  });

  test('leave to somebody else what was changed between them', () => {
    const first = temporary({ on: curve(1.4, 3), values: { slope: 2, shift: 4 } });
    // The app has set the slope meanwhile.
    const second = laidOver(first, temporary({ on: curve(1, 4), values: { slope: 3 } }), curve(1, 4));
    expect(formers(second)).toEqual({ slope: 1, shift: 3 });
    const other = laidOver(first, temporary({ on: curve(1, 4), values: { shift: 5 } }), curve(1, 4));
    expect(formers(other)).toEqual({ shift: 3 });
  });
});

test('an ordinary write takes the values that it writes from what comes back', () => {
  const both = temporary({ on: curve(1.4, 3), values: { slope: 2, shift: 4 } });
  const left = withoutWritten(both, { values: new Map([['slope', 3]]) });
  expect(left && formers(left)).toEqual({ shift: 3 });
  expect(left && withoutWritten(left, { values: new Map([['shift', 3]]) })).toBeUndefined();
  expect(
    left &&
      withoutWritten(left, {
        values: new Map([
          ['slope', 3],
          ['shift', 4],
        ]),
      }),
  ).toBe(left);
  const wet = week({ tue: [entry('08:00', '09:00')] });
  const days = temporary({ on: scheduleOf(WEEK), values: { entries: wet }, days: ['mon', 'tue'] });
  const tue = withoutWritten(days, { values: new Map([['entries', WEEK]]), days: ['mon', 'wed'] });
  expect(tue && formers(tue)).toEqual({ tue: [] });
  expect(withoutWritten(days, { values: new Map([['entries', WEEK]]) })).toBeUndefined();
});

describe('what the feature shows of it', () => {
  const [part] = temporary({ on: curve(1.4, 3), values: { slope: 2 } }).parts;
  test.each([
    [2.0000001, 'written'],
    [1.4, 'former'],
    [1.7, 'other'],
  ])('%s is %s', (slope, standing) => {
    expect(part && standingOf(curve(slope, 3), part)).toBe(standing);
  });

  test('of a day counts by its entries, not by their positions', () => {
    const [day] = temporary({ on: scheduleOf(week({})), values: { entries: WEEK }, days: ['mon'] }).parts;
    const shown = scheduleOf(week({ mon: [{ start: '06:00', end: '22:00', mode: 'normal', position: 3 }] }));
    expect(day && standingOf(shown, day)).toBe('written');
    expect(day && standingOf(scheduleOf(null), day)).toBe('other');
  });

  test('is what was written where the platform has adapted it', () => {
    const adapted = asShown(temporary({ on: curve(1.4, 3), values: { slope: 2 } }), curve(1.9, 3));
    expect(adapted.parts.map((one) => standingOf(curve(1.9, 3), one))).toEqual(['written']);
  });
});

describe('coming back', () => {
  const slope = temporary({ on: curve(1.4, 3), values: { slope: 2 } });

  test('is one command with the former values and, beside them, the present ones', () => {
    expect(revertCommand(slope, curve(2, 5), RULES)).toMatchObject({ kind: 'send', command: 'setCurve', args: { slope: 1.4, shift: 5 } });
  });

  test('is nothing where it is back, and a conflict where somebody changed it', () => {
    expect(revertCommand(slope, curve(1.4, 5), RULES)).toEqual({ kind: 'unchanged' });
    expect(revertCommand(slope, curve(1.7, 5), RULES)).toMatchObject({
      kind: 'reject',
      code: 'conflict',
      message: expect.stringMatching(/^slope /),
    });
    const both = temporary({ on: curve(1.4, 3), values: { slope: 2, shift: 4 } });
    expect(revertCommand(both, curve(1.7, 4), RULES)).toMatchObject({ code: 'conflict' });
    // Half of it is back already.
    expect(revertCommand(both, curve(1.4, 4), RULES)).toMatchObject({ kind: 'send', args: { slope: 1.4, shift: 3 } });
  });

  test('of a week writes its days and leaves the others as they are shown, whatever rules they break', () => {
    const odd = week({ mon: [entry('06:03', '22:00')], tue: [entry('01:01', '02:00')] });
    const cold = temporary({ on: scheduleOf(odd), values: { entries: week({}) }, days: ['mon'] });
    const now = scheduleOf(week({ wed: [entry('08:00', '09:00')] }));
    expect(revertCommand(cold, now, RULES)).toMatchObject({
      kind: 'send',
      command: 'setSchedule',
      args: { newSchedule: week({ mon: [entry('06:03', '22:00')], wed: [entry('08:00', '09:00')] }) },
      changed: ['mon'],
    });
  });

  test('of a program takes the command that is executable first, and waits for one that is not', () => {
    const warm = temporary({ on: program(false, 20), values: { active: true, temperature: 23 } });
    expect(revertCommand(warm, program(true, 23), RULES)).toMatchObject({ kind: 'send' });
    const active = temporary({ on: program(false, 20), values: { active: true } });
    expect(revertCommand(active, program(true, 20), RULES)).toMatchObject({ kind: 'send', command: 'deactivate', args: {} });
    const locked = { ...program(true, 20), commands: new Map([commandOf('deactivate', {}, false)]) };
    expect(revertCommand(active, locked, RULES)).toMatchObject({ kind: 'reject', code: 'not_executable' });
  });
});

describe('a write that is to end by itself', () => {
  const send = (values?: Readonly<Record<string, Json>>): Decision => ({
    kind: 'send',
    command: 'x',
    args: {},
    effect: values && { values: new Map(Object.entries(values)) },
    completed: false,
  });
  const codeOf = (decision: Decision): string => (decision.kind === 'reject' ? decision.code : decision.kind);

  test.each([
    ['goes where a command gives back what it replaces', program(false, 20), { active: true, temperature: 23 }, RULES, 'send'],
    ['is refused where no effect is known', program(false, 20), undefined, RULES, 'not_reversible'],
    ['is refused where there was no value', featureOf('x', { value: { type: 'number' } }), { value: 1 }, RULES, 'not_reversible'],
    ['is refused where no command writes it', featureOf('x', { value: { value: 1 } }), { value: 2 }, RULES, 'not_reversible'],
    ['is refused where the command would refuse what was there', program(false, 40), { temperature: 23 }, RULES, 'not_reversible'],
    [
      'is refused where the settings forbid the way back',
      program(false, 20),
      { active: true },
      { allow: ['*'], deny: ['*/deactivate'] },
      'not_reversible',
    ],
  ])('%s', (_, feature, values, rules, code) => {
    expect(codeOf(reversible(send(values), { untilMs: 5 }, feature, rules))).toBe(code);
    expect(reversible(send(values), {}, feature, rules)).toEqual(send(values));
  });
});

describe('what is stored', () => {
  const silent = (): void => undefined;
  const storedAs = (...values: readonly unknown[]) => new Map(values.map((value, index) => [String(index), value]));

  const value = fc.oneof(fc.string(), fc.integer(), fc.boolean());
  const day = fc.constantFrom('mon' as const, 'sun' as const);
  const part = fc.record(
    { property: fc.string(), day, written: value, former: value },
    { requiredKeys: ['property', 'written', 'former'] },
  );
  const kept = fc.record({
    key: fc.nat(),
    device: fc.string(),
    feature: fc.string(),
    command: fc.string(),
    untilMs: fc.nat(),
    parts: fc.array(part, { minLength: 1 }),
  });

  test('gives back what was written to it', () => {
    fc.assert(
      fc.property(fc.array(kept), kept, (running, next) => {
        const all = [...running.map((one) => ({ running: one })), { sending: { ...next, possible: true as const } }];
        const stored: readonly Kept[] = JSON.parse(JSON.stringify(all));
        expect([...readKept(storedAs(...stored), silent).values()]).toEqual(stored);
      }),
    );
  });

  test('that makes no sense holds nothing, and crashes nothing', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect([...readKept(storedAs(value, { running: value }), silent).values()]).toEqual([{}, {}]);
      }),
    );
    const good = { key: 3, device: 'd', feature: 'f', command: 'c', untilMs: 1, parts: [{ property: 'p', written: 1, former: 2 }] };
    expect([...readKept(storedAs({ running: good }), silent).values()]).toEqual([{ running: good }]);
    for (const bad of [
      { untilMs: 'x' },
      { untilMs: -1 },
      { untilMs: 0.5 },
      { untilMs: 253_402_300_800_000 },
      { untilMs: 8.64e15 + 2 },
      { untilMs: Number.MAX_SAFE_INTEGER },
      { parts: [] },
      { parts: [{ property: 'p', written: 1 }] },
      { parts: [{ ...good.parts[0], day: 'x' }] },
    ]) {
      const leftOut: number[] = [];
      const stored = storedAs({ running: { ...good, ...bad } }, { running: good, sending: { ...good, ...bad } });
      expect([...readKept(stored, (entries) => void leftOut.push(entries)).values()]).toEqual([{}, { running: good }]);
      expect(leftOut).toEqual([2]);
    }
  });
});
