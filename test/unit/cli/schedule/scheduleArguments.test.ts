import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Values } from '../../../../src/cli/command.ts';
import { beginsWeek, readScheduleRequest, splitWords } from '../../../../src/cli/schedule/scheduleArguments.ts';
import { UsageError } from '../../../../src/shared/errors.ts';

const read = (words: string, values: Values = {}) =>
  readScheduleRequest(
    words.split(' ').filter((word) => word !== ''),
    values,
  );
const SET = { kind: 'set', dryRun: false, json: false, timeoutMs: 240_000 };
const HELP = ' `heating2mqtt schedule --help` explains.';

describe('the words behind heating2mqtt schedule', () => {
  it.each<[words: string, values: Values, request: object]>([
    ['show', {}, { kind: 'show', words: [], form: 'chart' }],
    ['show home circuits.0', { text: true, config: 'a' }, { kind: 'show', words: ['home', 'circuits.0'], form: 'text' }],
    ['profiles', { json: true }, { kind: 'profiles', words: [], json: true }],
    ['set x none', {}, { ...SET, words: ['x', 'none'] }],
    ['validate x', { file: '-' }, { ...SET, words: ['x'], dryRun: true, file: '-' }],
    ['set x', { profile: 'away', 'dry-run': true }, { ...SET, words: ['x'], dryRun: true, profile: 'away' }],
    [
      'set x none',
      { day: 'Montag', timeout: '1.5', json: true },
      { ...SET, words: ['x', 'none'], day: 'mon', timeoutMs: 1500, json: true },
    ],
  ])('%s %j', (words, values, request) => {
    expect(read(words, values)).toEqual(request);
  });

  it.each<[words: string, values: Values, sentence: string]>([
    ['', {}, 'What about schedules? There are show, set, validate, profiles.'],
    ['shwo', {}, 'There is no schedule shwo: did you mean show?'],
    ['xyzzy', {}, 'There is no schedule xyzzy: there are show, set, validate, profiles.'],
    ['show', { day: 'mon' }, 'schedule show has no --day: there are --json, --text.'],
    ['profiles', { text: true }, 'schedule profiles has no --text: there are --json.'],
    ['show a b c', {}, 'schedule show takes a device and a feature at most, and no c.'],
    ['show', { json: true, text: true }, 'Either --json or --text: both at once make no sense.'],
    ['set', { profile: 'a', file: 'b' }, '--profile is a week of its own: it goes neither with --file nor with --day.'],
    ['set', { profile: 'a', day: 'mon' }, '--profile is a week of its own: it goes neither with --file nor with --day.'],
    [
      'set',
      { day: 'weekend' },
      '--day weekend is not one day: there are mon, tue, wed, thu, fri, sat, sun. Several days stand in the week itself: "weekend 8-22".',
    ],
    ['set', { timeout: '0' }, '--timeout 0 is no number of seconds over 0.'],
    ['set', { timeout: '1e9' }, '--timeout 1e9 is no number of seconds over 0.'],
  ])('%s %j is refused in one sentence', (words, values, sentence) => {
    expect(() => read(words, values)).toThrow(new UsageError('usage', sentence + HELP));
  });
});

describe('names and week', () => {
  it.each<[words: string, split: object]>([
    ['', { names: [] }],
    ['circuits.0', { names: ['circuits.0'] }],
    ['none', { names: [], week: 'none' }],
    ['circuits.0|mon-fri 6-22 normal', { names: ['circuits.0'], week: 'mon-fri 6-22 normal' }],
    ['home|circuits.0|daily|6-22|normal', { names: ['home', 'circuits.0'], week: 'daily 6-22 normal' }],
    ['home|circuits.0|6-8 normal', { names: ['home', 'circuits.0'], week: '6-8 normal' }],
    ['home|dhw|{"mon":[]}', { names: ['home', 'dhw'], week: '{"mon":[]}' }],
    ['home|dhw|[]', { names: ['home', 'dhw'], week: '[]' }],
    ['home|dhw|-', { names: ['home', 'dhw'], week: '-' }],
    ['home|dhw|funday 6-8', { names: ['home', 'dhw'], week: 'funday 6-8' }],
    ['7571381699991111-0|dhw|none', { names: ['7571381699991111-0', 'dhw'], week: 'none' }],
    ['sun|none', { names: ['sun'], week: 'none' }],
    ['my home|none', { names: ['my home'], week: 'none' }],
  ])('%s', (words, split) => {
    expect(
      splitWords(
        words.split('|').filter((word) => word !== ''),
        ['sun', 'my home'],
      ),
    ).toEqual(split);
  });

  it('lose no word', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string(), fc.constantFrom('home', 'mon', '6-8', 'none'))), (words) => {
        const { names, week } = splitWords(words, ['home']);
        expect([...names, ...(week === undefined ? [] : [week])].join(' ')).toBe(words.join(' '));
        expect(names.length).toBeLessThanOrEqual(2);
      }),
    );
  });

  it.each(['heating', 'circuits.0', 'dhw', 'home', 'sauna', 'monitor', 'heating.circuits.0.heating.schedule'])('%s is a name', (word) => {
    expect(beginsWeek(word)).toBe(false);
  });
});
