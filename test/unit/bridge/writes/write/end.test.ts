import { describe, expect, test } from 'vitest';
import { irreversible, revertCommand } from '../../../../../src/bridge/writes/ends/revertCommand.ts';
import type { Decision } from '../../../../../src/bridge/writes/parse/evaluate.ts';
import {
  asShown,
  contestedIn,
  endInForce,
  type InForce,
  replacedBy,
  withoutReplaced,
  withParts,
} from '../../../../../src/bridge/writes/write/end.ts';
import { standingOf } from '../../../../../src/bridge/writes/write/shown.ts';
import type { End, SentWrite } from '../../../../../src/bridge/writes/write/write.ts';
import type { Feature, Json } from '../../../../../src/features/feature.ts';
import { featureOf, WEEK } from '../../../../support/devices/features.ts';
import { commandOf, scheduleOf } from '../../../../support/schedules/commands.ts';
import { storiesIn, tellBy } from '../../../../support/story.ts';

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

type Wrote = { readonly on: Feature; readonly values: Readonly<Record<string, Json>>; readonly days?: End['parts'][number]['day'][] };

const temporary = ({ on, values, days }: Wrote, untilMs = 1000): End => {
  const effect = { values: new Map(Object.entries(values)), ...(days ? { days: days.filter((day) => day !== undefined) } : {}) };
  const parts = replacedBy(effect, on);
  if (!parts) throw new Error('nothing is replaced');
  return { untilMs, parts };
};

const formers = ({ parts }: Pick<InForce, 'parts'>) =>
  Object.fromEntries(parts.map(({ property, day, former }) => [day ?? property, former]));

/** `slope=2 shift=4` as values. */
const valuesOf = (words: readonly string[]): Readonly<Record<string, number>> =>
  Object.fromEntries(words.map((word) => [word.replace(/=.*/, ''), Number(word.replace(/.*=/, ''))]));

const ROW = { at: 1, device: 'g/0', feature: 'heating.curve', name: 'home', topic: 't', command: 'setCurve' } as const;

const sent = (more: Partial<SentWrite>): SentWrite => ({ ...ROW, key: 1, state: 'settled', answer: 'delivered', ...more });

/** A story of temporary writes to the curve, of which slope and shift are 1.4 and 3. */
const tellStory = (...parts: readonly string[]): Promise<void> => {
  const world: { shown: { slope: number; shift: number }; ends: readonly End[] } = { shown: { slope: 1.4, shift: 3 }, ends: [] };
  const feature = (): Feature => curve(world.shown.slope, world.shown.shift);
  const kept = (): InForce | undefined => endInForce(world.ends.map((end, key) => sent({ key, end })));
  const change = (changed: (end: End) => End | undefined): void => {
    world.ends = world.ends.flatMap((end) => changed(end) ?? []);
  };
  const comesBack = (over: boolean, words: readonly string[], text: string): void => {
    const inForce = kept();
    const decision = inForce && revertCommand(inForce, feature(), RULES, over);
    if (decision?.kind === 'send') expect([decision.command, decision.args]).toEqual(['setCurve', valuesOf(words)]);
    else expect(decision?.kind === 'reject' ? `${decision.code}: ${decision.message}` : decision?.kind).toContain(text);
  };
  return tellBy(
    {
      temp: (words) => {
        world.ends = [...world.ends, temporary({ on: feature(), values: valuesOf(words) })];
        Object.assign(world.shown, valuesOf(words));
      },
      // An ordinary write.
      write: (words) => change((end) => withoutReplaced(end, sent({ values: valuesOf(words) }))),
      shown: (words) => Object.assign(world.shown, valuesOf(words)),
      adapted: () => change((end) => asShown(end, feature())),
      former: (words) => {
        const inForce = kept();
        expect(inForce && formers(inForce)).toEqual(words[0] === 'gone' ? undefined : valuesOf(words));
      },
      keep: () => {
        const foreign = contestedIn(kept() ?? { parts: [] }, feature()).map(({ property }) => property);
        change((end) => withParts(end, ({ property }) => !foreign.includes(property)));
      },
      // What brings back what was there, also over what somebody else has written: the values that are sent, or that nothing is.
      back: (words, text) => comesBack(false, words, text),
      over: (words, text) => comesBack(true, words, text),
    },
    parts,
  );
};

test.each(
  storiesIn(`
    of what a write replaces, are the values before it :: temp slope=2; former slope=1.4
    are none where a value stays as it was :: temp slope=2 shift=3; former slope=1.4
    of several are those before the first
      temp slope=2; temp slope=2.5 shift=4; former slope=1.4 shift=3; temp shift=0; former slope=1.4 shift=3; back slope=1.4 shift=3
    of several are those of somebody else where that changed one between
      temp slope=2 shift=4; shown slope=1; temp slope=3; former slope=1 shift=3
    of several leave to somebody else what was changed between :: temp slope=2 shift=4; shown slope=1; temp shift=5; back slope=1 shift=3
    go where an ordinary write writes other values
      temp slope=2 shift=4; write slope=3; former shift=3; write slope=3 shift=4; former shift=3; write shift=3; former gone
    come back by one command, beside the present ones :: temp slope=2; shown shift=5; back slope=1.4 shift=5
    come back where a little else is shown, by the arithmetic :: temp slope=2; shown slope=2.0000001; back slope=1.4 shift=3
    come back where the platform has adapted what was written :: temp slope=2; shown slope=1.9; adapted; back slope=1.4 shift=3
    are back already :: temp slope=2; shown slope=1.4 shift=5; back unchanged
    are a conflict where somebody changed one :: temp slope=2; shown slope=1.7 shift=5; back conflict: slope was changed elsewhere since then, so it stays
    are a conflict where somebody changed all
      temp slope=2 shift=4; shown slope=1.7 shift=5; back conflict: slope, shift were changed elsewhere since then, so they stay
    come back without the one that somebody changed :: temp slope=2 shift=4; shown slope=1.7; back slope=1.7 shift=3
    come back over what somebody changed where that is asked for
      temp slope=2 shift=4; shown slope=1.7; over slope=1.4 shift=3; shown slope=1.7 shift=3; over slope=1.4 shift=3
    are back already where that is asked for :: temp slope=2; shown slope=1.4; over unchanged
    are left without those that somebody changed :: temp slope=2 shift=4; shown slope=1.7; keep; former shift=3; shown shift=9; keep; former gone
    are left as they are where nobody changed any :: temp slope=2; keep; former slope=1.4; shown slope=1.4; keep; former slope=1.4
    come back where half of them are back already :: temp slope=2 shift=4; shown slope=1.4; back slope=1.4 shift=3
  `),
)('the former values %s', (_, ...story) => tellStory(...story));

describe('of a week', () => {
  const wet = week({ tue: [entry('08:00', '09:00')] });
  const days = temporary({ on: scheduleOf(WEEK), values: { entries: wet }, days: ['mon', 'tue'] });

  test('those of the days that are altered come back, unless an ordinary write takes them', () => {
    expect(formers(days)).toEqual({ mon: [entry('06:00', '22:00')], tue: [] });
    const tue = withoutReplaced(days, sent({ values: { entries: WEEK }, days: ['mon', 'wed'] }));
    expect(tue && formers(tue)).toEqual({ tue: [] });
    expect(withoutReplaced(days, sent({ values: { entries: WEEK }, days: ['mon', 'tue'] }))).toBeUndefined();
    expect(replacedBy({ values: new Map([['entries', WEEK]]), days: ['mon'] }, scheduleOf(5))).toBeUndefined();
  });

  test('a day counts by its entries, not by their positions', () => {
    const [day] = temporary({ on: scheduleOf(week({})), values: { entries: WEEK }, days: ['mon'] }).parts;
    const shown = scheduleOf(week({ mon: [{ start: '06:00', end: '22:00', mode: 'normal', position: 3 }] }));
    expect(day && standingOf(shown, day)).toBe('written');
    expect(day && standingOf(scheduleOf(null), day)).toBe('other');
  });

  test('the days that come back are written, the others left as they are shown, whatever rules they break', () => {
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
});

test('a program comes back by the command that is executable first, and waits for one that is not', () => {
  const warm = temporary({ on: program(false, 20), values: { active: true, temperature: 23 } });
  expect(revertCommand(warm, program(true, 23), RULES)).toMatchObject({ kind: 'send' });
  const active = temporary({ on: program(false, 20), values: { active: true } });
  expect(revertCommand(active, program(true, 20), RULES)).toMatchObject({ kind: 'send', command: 'deactivate', args: {} });
  const locked = { ...program(true, 20), commands: new Map([commandOf('deactivate', {}, false)]) };
  expect(revertCommand(active, locked, RULES)).toMatchObject({ kind: 'reject', code: 'not_executable' });
});

describe('a write that is to end by itself', () => {
  const send = (values?: Readonly<Record<string, Json>>): Decision => ({
    kind: 'send',
    command: 'x',
    args: {},
    effect: values && { values: new Map(Object.entries(values)) },
    completed: false,
  });
  const ONE_WAY = { allow: ['*'], deny: ['*/deactivate'] };
  const codeOf = (decision: Decision): string => (decision.kind === 'reject' ? decision.code : decision.kind);

  test.each([
    ['goes where a command gives back what it replaces', program(false, 20), { active: true, temperature: 23 }, RULES, 'send'],
    ['is refused where no effect is known', program(false, 20), undefined, RULES, 'not_reversible'],
    ['is refused where there was no value', featureOf('x', { value: { type: 'number' } }), { value: 1 }, RULES, 'not_reversible'],
    ['is refused where no command writes it', featureOf('x', { value: { value: 1 } }), { value: 2 }, RULES, 'not_reversible'],
    ['is refused where the command would refuse what was there', program(false, 40), { temperature: 23 }, RULES, 'not_reversible'],
    ['is refused where the settings forbid the way back', program(false, 20), { active: true }, ONE_WAY, 'not_reversible'],
  ])('%s', (_, feature, values, rules, code) => {
    expect(codeOf(irreversible(send(values), { untilMs: 5 }, feature, rules) ?? send(values))).toBe(code);
    expect(irreversible(send(values), {}, feature, rules)).toBeUndefined();
  });
});
