import { describe, expect, test } from 'vitest';
import { fillOwnEnd } from '../../../src/features/commandEnd.ts';
import type { Json } from '../../../src/features/feature.ts';
import { commandOf } from '../../support/schedules/commands.ts';

const DATE = { regEx: '^[\\d]{4}-[\\d]{2}-[\\d]{2}$' };
const [, HOLIDAY] = commandOf('schedule', { start: ['string', DATE], end: ['string', { ...DATE, sameDayAllowed: false }] });
/** Its `end` is the last day of it. */
const [, INCLUSIVE] = commandOf('schedule', { start: ['string', DATE], end: ['string', { ...DATE, sameDayAllowed: true }] });
const [, SUMMER_TIME] = commandOf('activate', { begin: ['string'], end: ['string', { regEx: '^[\\d]{2}-[\\d]{2}$' }] });
const [, MANUAL] = commandOf('activate', { temperature: ['number'], duration: ['number', { enum: [30, 60, 90] }] });
const [, SILENT] = commandOf('activate', { timeout: ['number', { min: 1, max: 1440, stepping: 1 }, false] });
const [, CURVE] = commandOf('setCurve', { slope: ['number'] });

const MIDNIGHT = { minutes: 5000, day: '2027-01-03', nextDay: '2027-01-03' };
const NOON = { minutes: 5720, day: undefined, nextDay: '2027-01-04' };
const inMinutes = (minutes: number) => ({ ...NOON, minutes });
const start = '2026-12-24';

describe("a command's own parameter for its end", () => {
  const FILLED: readonly (readonly [string, typeof HOLIDAY, Readonly<Record<string, Json>>, typeof NOON | typeof MIDNIGHT, Json])[] = [
    ['the day of a holiday', HOLIDAY, { start }, MIDNIGHT, { start, end: '2027-01-03' }],
    ['the last day of a holiday, where that may be its first one', INCLUSIVE, { start }, MIDNIGHT, { start, end: '2027-01-02' }],
    ['the only day of a holiday', INCLUSIVE, { start: '2027-01-02' }, MIDNIGHT, { start: '2027-01-02', end: '2027-01-02' }],
    ['minutes of an enum', MANUAL, { temperature: 21 }, inMinutes(60), { temperature: 21, duration: 60 }],
    ['minutes in a range', SILENT, {}, inMinutes(90), { timeout: 90 }],
    ['minutes beside an argument that is wrong', MANUAL, { temperature: 'x' }, inMinutes(60), { temperature: 'x', duration: 60 }],
  ];
  test.each(FILLED)('takes %s', (_, command, args, end, filled) => {
    expect(fillOwnEnd(command, args, end)).toMatchObject({ kind: 'filled', args: filled });
  });

  test.each([
    ['is given already', HOLIDAY, { start, end: '2027-01-02' }, MIDNIGHT],
    ['is optional and does not take so many minutes', SILENT, {}, inMinutes(2000)],
    ['is a day of every year', SUMMER_TIME, { begin: '03-28' }, MIDNIGHT],
    ['is not there', CURVE, { slope: 1 }, MIDNIGHT],
  ])('is left alone where it %s', (_, command, args, end) => {
    expect(fillOwnEnd(command, args, end)).toEqual({ kind: 'none' });
  });

  test.each([
    ['longer by a default', MANUAL, { temperature: 21, duration: 60 }, inMinutes(45), 'none'],
    ['until a day that comes later', HOLIDAY, { start, end: '2027-01-08' }, NOON, 'none'],
    ['until a last day that is not over then', INCLUSIVE, { start, end: '2027-01-03' }, NOON, 'none'],
    ['until a last day that is over then', INCLUSIVE, { start, end: '2027-01-02' }, NOON, 'unfit'],
    ['for less', MANUAL, { temperature: 21, duration: 30 }, inMinutes(45), 'unfit'],
    ['until an earlier day', HOLIDAY, { start, end: '2027-01-03' }, NOON, 'unfit'],
  ])('that nobody gave and is %s', (_, command, args, end, kind) => {
    expect(fillOwnEnd(command, args, end, ['end', 'duration'])).toMatchObject({ kind });
  });

  test.each([
    [180, { timeout: 3 }],
    [179.5, { timeout: 3 }],
    [150, undefined],
    [10, undefined],
  ])('in hours takes %s minutes as %j', (minutes, args) => {
    const [, hours] = commandOf('activate', { timeout: ['number', { min: 1, max: 12, stepping: 1 }, false] });
    const filled = fillOwnEnd(hours, {}, inMinutes(minutes), [], 60);
    expect(filled.kind === 'filled' ? filled.args : undefined).toEqual(args);
  });

  test('that is required and takes other ends only says which', () => {
    expect(fillOwnEnd(HOLIDAY, { start }, NOON)).toMatchObject({ kind: 'unfit', issues: [{ rule: 'date', nearest: ['2027-01-04'] }] });
    expect(fillOwnEnd(HOLIDAY, { start: '2027-02-01' }, MIDNIGHT)).toMatchObject({
      kind: 'unfit',
      issues: [{ path: '/end', rule: 'date' }],
    });
    expect(fillOwnEnd(MANUAL, { temperature: 21 }, inMinutes(45))).toMatchObject({ kind: 'unfit', issues: [{ rule: 'enum' }] });
  });

  test('before which nothing is left of a holiday is told as the day that was written', () => {
    const message = 'its last day would be the day before 2027-01-03: 2027-01-02 is before the start, 2027-01-03';
    expect(fillOwnEnd(INCLUSIVE, { start: '2027-01-03' }, MIDNIGHT)).toEqual({
      kind: 'unfit',
      issues: [{ path: '/end', rule: 'date', message, got: '2027-01-03' }],
    });
  });
});
