import { describe, expect, test } from 'vitest';
import { fieldsOf, fieldValue, hasPlans, isCancelling } from '../../../src/features/fields.ts';
import { allDevices, expectFound } from '../../support/devices/deviceFiles.ts';
import { featureOf } from '../../support/devices/features.ts';
import { commandOf } from '../../support/schedules/commands.ts';

const DATE = { regEx: '^[\\d]{4}-[\\d]{2}-[\\d]{2}$' };
const TWO = { start: ['string', DATE], end: ['string', DATE] } as const;
const holiday = (start: string, end: string, active = false, executable = true) =>
  featureOf(
    'heating.operating.programs.holiday',
    { active: { value: active }, start: { value: start }, end: { value: end } },
    {
      commands: new Map([
        commandOf('changeEndDate', { end: ['string', DATE] }, false),
        commandOf('schedule', TWO),
        commandOf('unschedule', {}, executable),
      ]),
    },
  );

describe('the fields of a feature', () => {
  const curve = commandOf('setCurve', { slope: ['number'], shift: ['number'] });
  test.each([
    ['two texts of one command', holiday('', ''), ['start', 'end']],
    ['also while they have values', holiday('2030-12-21', '2030-12-24'), ['start', 'end']],
    ['not numbers', featureOf('c', { slope: { value: 1 }, shift: { value: 2 } }, { commands: new Map([curve]) }), []],
    [
      'not what switches something on too',
      featureOf(
        'd',
        { active: { value: true }, begin: { value: '25-03' }, end: { value: '25-10' } },
        { commands: new Map([commandOf('activate', { begin: ['string'], end: ['string'] })]) },
      ),
      [],
    ],
    [
      'not where a parameter writes no property',
      featureOf('e', { start: { value: '' } }, { commands: new Map([commandOf('schedule', { start: ['string'], where: ['string'] })]) }),
      [],
    ],
    [
      'not where the other is not needed',
      featureOf(
        'f',
        { start: { value: '' }, end: { value: '' } },
        { commands: new Map([commandOf('schedule', { start: ['string'], end: ['string', {}, false] })]) },
      ),
      [],
    ],
  ])('%s', (_, feature, fields) => expect([...fieldsOf(feature)].sort()).toEqual([...fields].sort()));

  test('of all devices are the dates of their holidays', () => {
    const all = allDevices().flatMap(({ features }) => features.filter((feature) => fieldsOf(feature).length > 0));
    expectFound(all.length, 6);
    for (const feature of all)
      expect([feature.name, ...fieldsOf(feature)].join(' ')).toMatch(/\.holiday(?:AtHome)? (?:start end|end start)$/u);
  });

  test.each([
    ['', undefined, undefined],
    ['2000-01-01', undefined, undefined],
    ['2030-12-21', undefined, '2030-12-21'],
    ['', { start: '2030-12-22' }, '2030-12-22'],
    ['2030-12-21', { start: '2030-12-22' }, '2030-12-22'],
    ['2030-12-21', { end: '2030-12-24' }, '2030-12-21'],
  ])('shows, of %s with %j waiting: %s', (start, waiting, shown) => expect(fieldValue(holiday(start, ''), 'start', waiting)).toBe(shown));
});

describe('what a command cancels', () => {
  test.each([
    ['unschedule', true],
    ['schedule', false],
    ['changeEndDate', false],
    ['nothing', false],
  ])('%s: %s', (name, is) => expect(isCancelling(holiday('', ''), name)).toBe(is));

  test.each([
    ['', '', false, false],
    ['2000-01-01', '2000-01-01', false, false],
    ['2030-12-21', '2030-12-24', false, true],
    ['', '', true, true],
  ])('%s to %s, active %s: %s', (start, end, active, has) => expect(hasPlans(holiday(start, end, active), 'schedule')).toBe(has));
});
