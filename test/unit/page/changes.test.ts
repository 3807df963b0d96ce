import { expect, test } from 'vitest';
import { differencesOf } from '../../../src/page/model/changes.ts';

const entry = { start: '10:00', end: '12:00', mode: 'comfort', position: 0 };

test('a change is shown value by value, a week day by day', () =>
  expect(
    differencesOf({ before: { slope: 1, entries: { sun: [], mon: [entry] } }, after: { slope: 2, entries: { sun: [entry], mon: [] } } }),
  ).toEqual([
    { property: 'slope', before: 1, after: 2 },
    { property: 'entries', day: 'mon', before: [entry], after: [] },
    { property: 'entries', day: 'sun', before: [], after: [entry] },
  ]));

test('of one whose values are not known nothing is shown', () => expect(differencesOf({})).toEqual([]));
