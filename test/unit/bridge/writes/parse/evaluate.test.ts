import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type ArgumentsContent,
  type Decision,
  evaluate,
  type PlannedWrite,
  type Rules,
} from '../../../../../src/bridge/writes/parse/evaluate.ts';
import type { Feature, Json } from '../../../../../src/features/feature.ts';
import { readJsonWeek } from '../../../../../src/schedule/jsonWeek.ts';
import { revision } from '../../../../../src/topics/recordPayload.ts';
import { featureOf, WEEK } from '../../../../support/devices/features.ts';
import { commandOf, scheduleOf } from '../../../../support/schedules/commands.ts';
import { daily, day } from '../../../../support/schedules/weeks.ts';

const ALL: Rules = { allow: ['*'], deny: [], per_hour: 60 };
const SCHEDULE = scheduleOf();
const REV = revision(SCHEDULE);

const json = (value: unknown): Json => JSON.parse(JSON.stringify(value));

const week = (value: unknown, more: Partial<PlannedWrite> = {}): PlannedWrite => ({
  feature: 'heating.schedule',
  command: 'setSchedule',
  envelope: {},
  content: { kind: 'week', param: 'newSchedule', week: readJsonWeek(json(value)) },
  dryRun: false,
  ...more,
});

/** What was decided, in short: `send`, `unchanged`, or the code of the refusal. */
const short = (decision: Decision): string => (decision.kind === 'reject' ? decision.code : decision.kind);

const MON = day('06:00-22:00 normal');
const GOOD = { tue: day('06:00-08:00 normal') };
const SAME = { mon: MON };
const BAD = { tue: day('06:05-08:00 normal') };
const WRONG = { tue: 5 };
const FORBID: Rules = { ...ALL, deny: ['*/setSchedule'] };
const IDLE = scheduleOf(WEEK, {}, false);
const OLD_REV = { envelope: { ifRev: '00000000' } };

test.each<[what: string, write: PlannedWrite, feature: Feature, rules: Rules, sent: number, decided: string]>([
  ['all is well', week(GOOD), SCHEDULE, ALL, 0, 'send'],
  ['wrong in itself, forbidden, another rev', week(WRONG, OLD_REV), IDLE, FORBID, 99, 'invalid'],
  ['forbidden, another rev, breaks a rule', week(BAD, OLD_REV), IDLE, FORBID, 99, 'forbidden'],
  ['another rev, though unchanged', week(SAME, OLD_REV), IDLE, ALL, 99, 'conflict'],
  ['the same rev', week(GOOD, { envelope: { ifRev: REV } }), SCHEDULE, ALL, 0, 'send'],
  ['unchanged, though not executable and too often', week(SAME), IDLE, ALL, 99, 'unchanged'],
  ['unchanged, though forbidden', week(SAME), SCHEDULE, FORBID, 0, 'forbidden'],
  ['not executable, breaks a rule', week(BAD), IDLE, ALL, 99, 'not_executable'],
  ['breaks a rule, too often', week(BAD), SCHEDULE, ALL, 99, 'invalid'],
  ['too often', week(GOOD), SCHEDULE, ALL, 60, 'too_often'],
  ['the last of the hour', week(GOOD), SCHEDULE, ALL, 59, 'send'],
  ['a dry run is never too often', week(GOOD, { dryRun: true }), SCHEDULE, ALL, 99, 'send'],
  ['an unknown command', week(GOOD, { command: 'setShedule' }), SCHEDULE, ALL, 0, 'unknown_command'],
  ['a disabled feature', week(GOOD), scheduleOf(WEEK, { isEnabled: false, commands: new Map() }), ALL, 0, 'not_executable'],
])('the order of the checks: %s', (_, write, feature, rules, sent, decided) =>
  expect(short(evaluate(write, feature, rules, sent))).toBe(decided),
);

test.each<[write: PlannedWrite, feature: Feature, rules: Rules, mayAge: boolean]>([
  [week(WRONG), SCHEDULE, ALL, false],
  [week(GOOD), SCHEDULE, FORBID, false],
  [week(GOOD, OLD_REV), SCHEDULE, ALL, true],
  [week(GOOD), IDLE, ALL, true],
  [week(GOOD, { command: 'x' }), SCHEDULE, ALL, true],
  [week(GOOD), scheduleOf(null), ALL, true],
])('a refusal that a newer record could take back: %#', (write, feature, rules, mayAge) => {
  expect(evaluate(write, feature, rules, 0)).toMatchObject({ kind: 'reject', mayAge });
});

describe('a week that is sent', () => {
  test('has seven days with four keys an entry, and tells which days change', () => {
    const decision = evaluate(week({ tue: [{ start: '6:00', end: '8:00', mode: 'comfort' }], mon: MON }), SCHEDULE, ALL, 0);
    const sent = { ...daily(''), mon: MON, tue: [{ start: '06:00', end: '08:00', mode: 'comfort', position: 0 }] };
    expect(decision).toMatchObject({
      kind: 'send',
      command: 'setSchedule',
      args: { newSchedule: sent },
      effect: { values: new Map([['entries', sent]]), days: ['tue'] },
      changed: ['tue'],
      written: { named: ['tue', 'mon'], week: sent },
    });
    const { newSchedule } = decision.kind === 'send' ? decision.args : {};
    expect(JSON.stringify(newSchedule)).toMatch(/^\{"mon":\[.*\],"tue":\[.*\],"wed":\[\],"thu":\[\],"fri":\[\],"sat":\[\],"sun":\[\]\}$/);
  });

  test('needs all its days where the platform shows none', () => {
    expect(short(evaluate(week(GOOD), scheduleOf(null), ALL, 0))).toBe('incomplete');
    expect(short(evaluate(week(daily('06:00-08:00 normal')), scheduleOf(null), ALL, 0))).toBe('send');
    // Seven empty days are a week that can be told from none.
    expect(short(evaluate(week(daily('')), scheduleOf(null), ALL, 0))).toBe('send');
  });

  test('is refused with places in what was sent', () => {
    const wrapped = week(BAD, { content: { kind: 'week', param: 'newSchedule', week: readJsonWeek(json(BAD), '/value/newSchedule') } });
    expect(evaluate(wrapped, SCHEDULE, ALL, 0)).toMatchObject({ errors: [{ path: '/value/newSchedule/tue/0/start', rule: 'resolution' }] });
  });

  test('whatever is sent on top of what is shown: what was decided to be sent is unchanged afterwards', () => {
    const entry = fc
      .tuple(fc.integer({ min: 0, max: 22 }), fc.integer({ min: 1, max: 9 }), fc.constantFrom('normal', 'comfort'))
      .map(([start, hours, mode]) => ({ start: `${start}:00`, end: `${Math.min(24, start + hours)}:00`, mode }));
    const days = fc.dictionary(fc.constantFrom('mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'), fc.array(entry, { maxLength: 3 }), {
      minKeys: 1,
    });
    fc.assert(
      fc.property(days, (written) => {
        const decision = evaluate(week(written), SCHEDULE, ALL, 0);
        if (decision.kind !== 'send') return;
        const after = scheduleOf(decision.args['newSchedule']);
        expect(short(evaluate(week(written), after, ALL, 0))).toBe('unchanged');
        expect(short(evaluate(week(decision.args['newSchedule']), after, ALL, 0))).toBe('unchanged');
      }),
    );
  });
});

describe('arguments', () => {
  const NUMBER = { min: 3, max: 37, stepping: 1 };
  const program = featureOf(
    'heating.programs.normal',
    { temperature: { value: 21 }, active: { value: false } },
    {
      commands: new Map([
        commandOf('setTemperature', { targetTemperature: ['number', NUMBER] }),
        commandOf('activate'),
        commandOf('deactivate', {}, false),
        commandOf('setTimeout', { minutes: ['number'] }),
        commandOf('setBoth', { temperature: ['number'], active: ['boolean'] }),
      ]),
    },
  );
  const call = (command: string, args: Readonly<Record<string, Json>>, bare = false, at = ''): PlannedWrite => ({
    ...week({}),
    feature: program.name,
    command,
    content: { kind: 'arguments', args, placeOf: (path) => at + (bare ? '' : path) },
  });

  const warm = (targetTemperature: number, bare?: boolean, at?: string) => call('setTemperature', { targetTemperature }, bare, at);
  const chosen = (temperature: number, more: Partial<ArgumentsContent['chosen']>, endsBy?: string): PlannedWrite => {
    const { content } = warm(temperature) as { readonly content: ArgumentsContent };
    const effect = new Map([['temperature', temperature]]);
    return { ...warm(temperature), content: { ...content, ...(endsBy ? { endsBy } : {}), chosen: { effect, completed: false, ...more } } };
  };
  const WAIT = { values: new Map([['temperature', 22]]), missing: ['active'] };
  const broken = (path: string, rule: string) => ({ code: 'invalid', errors: [expect.objectContaining({ path, rule })] });
  const sends = (args: object, ...effect: [name: string, value: Json]) => ({ kind: 'send', args, effect: { values: new Map([effect]) } });

  test.each<[what: string, write: PlannedWrite, decision: object]>([
    ['are sent as they are, with the effect', warm(22), sends({ targetTemperature: 22 }, 'temperature', 22)],
    ['change nothing', warm(21), { kind: 'unchanged' }],
    ['switch', call('activate', {}), sends({}, 'active', true)],
    ['are off already, though it cannot be executed', call('deactivate', {}), { kind: 'unchanged' }],
    ['have an effect that nobody can tell', call('setTimeout', { minutes: 5 }), { kind: 'send', args: { minutes: 5 }, effect: undefined }],
    ['break a rule', warm(40), broken('/targetTemperature', 'max')],
    ['break a rule, bare', warm(40, true), broken('', 'max')],
    ['break a rule, bare in an envelope', warm(40, true, '/value'), broken('/value', 'max')],
    ['have one too many, though nothing changes', call('setTemperature', { targetTemperature: 21, x: 1 }), { code: 'invalid' }],
    ['miss one', call('setTemperature', {}), broken('/targetTemperature', 'required')],
    ['miss one, though nothing changes', call('setBoth', { temperature: 21 }), broken('/active', 'required')],
    ['change nothing for some minutes', chosen(21, {}, 'minutes'), { kind: 'send' }],
    ['change nothing, to the end that is shown', chosen(21, {}, 'end'), { kind: 'unchanged' }],
    ['are completed by shown values', chosen(22, { completed: true }), { kind: 'send', completed: true }],
    ['wait for others', chosen(22, { wait: WAIT }), { kind: 'wait', ...WAIT }],
  ])('%s', (_, write, decision) => expect(evaluate(write, program, ALL, 0)).toMatchObject(decision));

  test('that show what is there may break the rules of the command', () => {
    const odd = { ...program, properties: new Map([...program.properties, ['temperature', { type: 'number', value: 2 }] as const]) };
    expect(short(evaluate(call('setTemperature', { targetTemperature: 2 }), odd, ALL, 0))).toBe('unchanged');
    const text = { ...program, properties: new Map([['temperature', { type: 'string', value: '21' }] as const]) };
    expect(short(evaluate(call('setTemperature', { targetTemperature: '21' }), text, ALL, 0))).toBe('invalid');
  });
});

describe('what is allowed', () => {
  const rules = (allow: readonly string[], deny: readonly string[] = []): Rules => ({ allow, deny, per_hour: 60 });

  test.each<[rules: Rules, decided: string]>([
    [rules([]), 'forbidden'],
    [rules(['*']), 'send'],
    [rules(['heating.schedule/setSchedule']), 'send'],
    [rules(['heating.*/set*']), 'send'],
    [rules(['heating.dhw.*/*']), 'forbidden'],
    [rules(['*'], ['*/set*']), 'forbidden'],
    [rules(['*'], ['heating.schedule/*']), 'forbidden'],
    [rules(['*'], ['*/remove*', '*/add*', '*/move*']), 'send'],
  ])('%j: %s', (given, decided) => expect(short(evaluate(week(GOOD), SCHEDULE, given, 0))).toBe(decided));
});
