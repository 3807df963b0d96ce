import { expect, test } from 'vitest';
import { readChanges } from '../../../src/page/model/changes.ts';

const RAW = { key: 3, at: '2026-11-22T10:00:00.000Z', device: 'home', feature: 'a.b', topic: 't', command: 'set', status: 'applied' };

test('a change is shown value by value, a week day by day', () => {
  const entry = { start: '10:00', end: '12:00', mode: 'comfort', position: 0 };
  const [change] = readChanges([
    {
      ...RAW,
      by: { kind: 'page', user: 'Paula' },
      before: { slope: 1, entries: { sun: [], mon: [entry] } },
      after: { slope: 2, entries: { sun: [entry], mon: [] } },
      undo: { topic: 'x/set', payload: '1' },
    },
  ]);
  expect(change).toMatchObject({ by: { kind: 'page', user: 'Paula' }, undo: { topic: 'x/set', payload: '1' } });
  expect(change?.differences).toEqual([
    { property: 'slope', before: 1, after: 2 },
    { property: 'entries', day: 'mon', before: [entry], after: [] },
    { property: 'entries', day: 'sun', before: [], after: [entry] },
  ]);
});

test('what is no change is left out, and what it lacks is missing', () => {
  expect(readChanges([null, 1, {}, { ...RAW, status: 'other' }, { ...RAW, key: '3' }])).toEqual([]);
  expect(readChanges(undefined)).toEqual([]);
  expect(readChanges([RAW])).toEqual([expect.objectContaining({ key: 3, by: { kind: '' }, differences: [], undo: { why: '' } })]);
});
