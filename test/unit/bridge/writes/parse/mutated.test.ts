import fc from 'fast-check';
import { expect, test } from 'vitest';
import { evaluate } from '../../../../../src/bridge/writes/parse/evaluate.ts';
import { parseCommand } from '../../../../../src/bridge/writes/parse/parseCommand.ts';
import { runs } from '../../../../support/chance.ts';
import { featureOf } from '../../../../support/devices/features.ts';
import { commandOf } from '../../../../support/schedules/commands.ts';

/** Right payloads, each made wrong in one place: whatever was done to it, the refusal has to name that place. */

const CONSTRAINTS = {
  maxEntries: 3,
  resolution: 10,
  modes: ['normal', '5/25-cycles', 'temp-2'],
  defaultMode: 'reduced',
  overlapAllowed: false,
};

const EMPTY = featureOf(
  'heating.schedule',
  { active: { value: true }, entries: { type: 'Schedule', value: { mon: [], tue: [], wed: [], thu: [], fri: [], sat: [], sun: [] } } },
  { commands: new Map([commandOf('setSchedule', { newSchedule: ['Schedule', CONSTRAINTS] })]) },
);

/** `sent`, or the place and rule of everything that is wrong. */
const tried = (payload: string): unknown => {
  const read = parseCommand({ kind: 'set', device: 'home', path: ['heating', 'schedule'] }, EMPTY, undefined, payload);
  if (!read.ok) return told(read.refusal.errors);
  if (!('content' in read.write)) throw new Error('no write of a week');
  const decision = evaluate(read.write, EMPTY, { allow: ['*'], deny: [], per_hour: 60 }, 0);
  return decision.kind === 'reject' ? told(decision.errors) : 'sent';
};

const told = (errors: readonly { path: string; rule: string }[] = []): readonly string[] =>
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

/** What can be done to a time or a mode, and the rule of which that has to be told. */
const BAD_TIMES = [
  ['25:00', 'time'],
  ['06:60', 'time'],
  ['06:05', 'resolution'],
  ['6h', 'time'],
  ['12345', 'time'],
] as const;
const BAD_MODES = [
  ['reduced', 'default_mode'],
  ['norml', 'mode'],
  ['temp-3', 'mode'],
] as const;

const pick = <T>(list: readonly T[], seed: number): T => {
  const item = list[seed % list.length];
  if (item === undefined) throw new Error('an empty list');
  return item;
};

/** A week, one entry of it, and what to put in the place of that. */
const marked = fc.tuple(saneWeek, fc.nat(), fc.nat()).map(([week, a, b]) => {
  const [day, entries] = pick(week, a);
  return { week, day, entries, index: b % entries.length, time: pick(BAD_TIMES, a + b), mode: pick(BAD_MODES, a + b), seed: b };
});

const RUNS = { numRuns: runs(1500) };

test('one place made wrong in JSON is named by its pointer', () => {
  const what = fc.constantFrom('start', 'end', 'mode', 'day', 'key', 'type', 'entry');
  fc.assert(
    fc.property(marked, what, fc.constantFrom('', '/value', '/newSchedule'), ({ week, day, entries, index, time, mode }, wrong, at) => {
      const tryWeek = (json: object): unknown => tried(JSON.stringify(at === '' ? json : { [at.slice(1)]: json }));
      const json = Object.fromEntries(week);
      expect(tryWeek(json)).toBe('sent');
      const { [day]: _, ...others } = json;
      const withEntry = (entry: unknown): object => ({ ...json, [day]: entries.with(index, entry as Sane) });
      const [spoilt, place] = {
        start: [withEntry({ ...entries[index], start: time[0] }), `/${index}/start ${time[1]}`] as const,
        end: [withEntry({ ...entries[index], end: time[0] }), `/${index}/end ${time[1]}`] as const,
        mode: [withEntry({ ...entries[index], mode: mode[0] }), `/${index}/mode ${mode[1]}`] as const,
        key: [withEntry({ ...entries[index], key: 1 }), `/${index}/key unknown_key`] as const,
        entry: [withEntry(time[0]), `/${index} type`] as const,
        type: [{ ...json, [day]: mode[0] }, ' type'] as const,
        day: [{ ...others, [`${day}x`]: entries }, 'x unknown_day'] as const,
      }[wrong];
      expect(tryWeek(spoilt)).toContain(`${at}/${day}${place}`);
    }),
    RUNS,
  );
});

test('one place made wrong in text is named by line and column', () => {
  const textOf = (week: readonly (readonly [string, readonly Sane[]])[]): string =>
    week.map(([day, entries]) => `${day} ${entries.map(({ start, end, mode }) => `${start}-${end} ${mode}`).join(', ')}`).join('; ');
  const what = fc.constantFrom('start', 'end', 'mode', 'day', 'twice', 'dots');
  fc.assert(
    fc.property(marked, what, fc.boolean(), ({ week, day, entries, index, time, mode, seed }, wrong, inEnvelope) => {
      const text = textOf(week);
      expect(tried(text)).toBe('sent');
      const instead = (mark: string): string => {
        const all = entries.map((one, i) => (i === index && wrong in one ? { ...one, [wrong]: mark } : one));
        return textOf(week.map((one) => (one[0] === day ? [wrong === 'day' ? mark : day, all] : one)));
      };
      const column = instead('§').indexOf('§') + 1;
      const cut = seed % text.length;
      const [spoilt, at, rule] = {
        start: [instead(time[0]), column, time[1]] as const,
        end: [instead(time[0]), column, time[1]] as const,
        mode: [instead(mode[0]), column, mode[1]] as const,
        day: [instead('moonday'), column, 'unknown_day'] as const,
        twice: [`${text}; ${day} none`, text.length + 3, 'twice'] as const,
        dots: [`${text.slice(0, cut)}…`, cut + 1, 'truncated'] as const,
      }[wrong];
      const place = `1:${at} ${rule}`;
      expect(tried(inEnvelope ? JSON.stringify({ value: spoilt }) : spoilt)).toContain(inEnvelope ? `/value ${place}` : place);
    }),
    RUNS,
  );
});
