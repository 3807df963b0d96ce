import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { evaluate, type Write } from '../../../../src/bridge/commands/evaluate.ts';
import { parseCommand } from '../../../../src/bridge/commands/parseCommand.ts';
import type { Feature } from '../../../../src/features/feature.ts';
import { runs } from '../../../support/chance.ts';
import { featureOf } from '../../../support/devices/features.ts';
import { commandOf } from '../../../support/schedules/commands.ts';

/** Right payloads, each made wrong in one place: whatever was done to it, the refusal has to name that place. */

const CONSTRAINTS = {
  maxEntries: 3,
  resolution: 10,
  modes: ['normal', '5/25-cycles', 'temp-2'],
  defaultMode: 'reduced',
  overlapAllowed: false,
};

const scheduleOf = (week: object): Feature =>
  featureOf(
    'heating.schedule',
    { active: { value: true }, entries: { type: 'Schedule', value: JSON.parse(JSON.stringify(week)) } },
    { commands: new Map([commandOf('setSchedule', { newSchedule: ['Schedule', CONSTRAINTS] })]) },
  );

const EMPTY = scheduleOf({ mon: [], tue: [], wed: [], thu: [], fri: [], sat: [], sun: [] });

/** `sent`, or the place and rule of everything that is wrong. */
const tried = (payload: string, leaf?: string): unknown => {
  const path = leaf === undefined ? ['heating', 'schedule'] : ['heating', 'schedule', leaf];
  const read = parseCommand({ kind: 'set', device: 'home', path }, EMPTY, leaf, payload);
  if (!read.ok) return told(read.refusal.errors ?? []);
  if (!('content' in read.write)) throw new Error('no write of a week');
  const write: Write = read.write;
  const decision = evaluate(write, EMPTY, { allow: ['*'], deny: [], per_hour: 60 }, 0);
  if (decision.kind === 'reject') return told(decision.errors ?? []);
  return 'sent';
};

const told = (errors: readonly { path: string; rule: string; message: string }[]): readonly string[] =>
  errors.map(({ path, rule }) => `${path} ${rule}`);

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const time = (tens: number): string => `${String(Math.floor(tens / 6)).padStart(2, '0')}:${tens % 6}0`;

type Sane = { readonly start: string; readonly end: string; readonly mode: string };

/** One to three entries on the grid that don't even touch. */
const saneDay: fc.Arbitrary<readonly Sane[]> = fc
  .tuple(
    fc.integer({ min: 1, max: 3 }),
    fc.uniqueArray(fc.integer({ min: 1, max: 143 }), { minLength: 6, maxLength: 6 }),
    fc.constantFrom(...CONSTRAINTS.modes),
  )
  .map(([count, marks, mode]) => {
    const sorted = marks.toSorted((a, b) => a - b);
    return Array.from({ length: count }, (_, index) => ({
      start: time(sorted[2 * index] ?? 0),
      end: time(sorted[2 * index + 1] ?? 144),
      mode,
    }));
  });

const saneWeek: fc.Arbitrary<readonly (readonly [day: string, entries: readonly Sane[]])[]> = fc
  .tuple(fc.uniqueArray(fc.constantFrom(...DAYS), { minLength: 1, maxLength: 7 }), fc.array(saneDay, { minLength: 7, maxLength: 7 }))
  .map(([days, all]) => days.map((day, index) => [day, all[index] ?? []] as const));

/** What can be done to a time, a mode or a day, and the rules of which one has to be told; `start`: only to a start. */
const BAD_TIMES: readonly (readonly [as: string, rule: string])[] = [
  ['25:00', 'time'],
  ['06:60', 'time'],
  ['06:05', 'resolution'],
  ['6h', 'time'],
  ['12345', 'time'],
];
const BAD_MODES: readonly (readonly [as: string, rule: string])[] = [
  ['reduced', 'default_mode'],
  ['norml', 'mode'],
  ['temp-3', 'mode'],
];

const pick = <T>(list: readonly T[], seed: number): T => {
  const item = list[seed % list.length];
  if (item === undefined) throw new Error('an empty list');
  return item;
};

const RUNS = { numRuns: runs(1500) };

describe('one place made wrong', () => {
  test('in JSON is named by its pointer', () => {
    fc.assert(
      fc.property(
        saneWeek,
        fc.nat(),
        fc.nat(),
        fc.constantFrom('start', 'end', 'mode', 'day', 'key', 'type', 'entry'),
        fc.constantFrom('', '/value', '/newSchedule'),
        (week, a, b, what, at) => {
          const [day, entries] = pick(week, a);
          const index = b % entries.length;
          const json: Record<string, unknown> = Object.fromEntries(week.map(([name, all]) => [name, all.map((one) => ({ ...one }))]));
          const wrap = (): string => JSON.stringify(at === '' ? json : { [at.slice(1)]: json });
          expect(tried(wrap())).toBe('sent');
          const [badTime, timeRule] = pick(BAD_TIMES, a + b);
          const [badMode, modeRule] = pick(BAD_MODES, a + b);
          const other = (change: object): void => {
            json[day] = entries.map((one, i) => (i === index ? { ...one, ...change } : one));
          };
          let wanted = `${at}/${day}/${index}/${what}`;
          switch (what) {
            case 'mode':
              other({ mode: badMode });
              wanted += ` ${modeRule}`;
              break;
            case 'day':
              json[`${day}x`] = json[day];
              delete json[day];
              wanted = `${at}/${day}x unknown_day`;
              break;
            case 'key':
              other({ key: 1 });
              wanted += ' unknown_key';
              break;
            case 'type':
              json[day] = badMode;
              wanted = `${at}/${day} type`;
              break;
            case 'entry':
              json[day] = entries.map((one, i) => (i === index ? badTime : one));
              wanted = `${at}/${day}/${index} type`;
              break;
            default:
              other({ [what]: badTime });
              wanted += ` ${timeRule}`;
          }
          expect(tried(wrap())).toContain(wanted);
        },
      ),
      RUNS,
    );
  });

  /** The text of a week in parts, and where the wanted part begins. */
  const textOf = (week: readonly (readonly [string, readonly Sane[]])[]): string =>
    week.map(([day, entries]) => `${day} ${entries.map(({ start, end, mode }) => `${start}-${end} ${mode}`).join(', ')}`).join('; ');

  test('in text is named by line and column', () => {
    fc.assert(
      fc.property(
        saneWeek,
        fc.nat(),
        fc.nat(),
        fc.constantFrom('start', 'end', 'mode', 'day', 'twice', 'dots'),
        fc.boolean(),
        (week, a, b, what, inEnvelope) => {
          const [day, entries] = pick(week, a);
          const index = b % entries.length;
          const [badTime, timeRule] = pick(BAD_TIMES, a + b);
          const [badMode, modeRule] = pick(BAD_MODES, a + b);
          const marked = (mark: string): string =>
            textOf(
              week.map(([name, all]) =>
                name !== day
                  ? ([name, all] as const)
                  : ([
                      what === 'day' ? mark : name,
                      all.map((one, i) => (i !== index || !(what in one) ? one : { ...one, [what]: mark })),
                    ] as const),
              ),
            );
          expect(tried(textOf(week))).toBe('sent');
          let text = marked('');
          let column = marked('§').indexOf('§') + 1;
          let rule = timeRule;
          if (what === 'twice') {
            text = `${textOf(week)}; ${day} none`;
            column = textOf(week).length + 3;
            rule = 'twice';
          } else if (what === 'dots') {
            column = (b % textOf(week).length) + 1;
            text = `${textOf(week).slice(0, column - 1)}…`;
            rule = 'truncated';
          } else if (what === 'day') {
            text = marked('moonday');
            rule = 'unknown_day';
          } else if (what === 'mode') {
            text = marked(badMode);
            rule = modeRule;
          } else text = marked(badTime);
          const [payload, at] = inEnvelope ? [JSON.stringify({ value: text }), '/value '] : [text, ''];
          expect(tried(payload)).toContain(`${at}1:${column} ${rule}`);
        },
      ),
      RUNS,
    );
  });
});
