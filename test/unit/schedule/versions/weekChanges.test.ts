import { expect, test } from 'vitest';
import type { ChangeEntry } from '../../../../src/api/answers.ts';
import { weekChangesOf } from '../../../../src/schedule/versions/versions.ts';
import { day } from '../../../support/schedules/weeks.ts';

const entry = (key: number, values: Partial<ChangeEntry>): ChangeEntry => ({
  key,
  at: '2026-11-27T06:00:00Z',
  device: 'home',
  feature: 'heating.dhw.schedule',
  topic: '',
  command: 'setSchedule',
  by: { kind: 'mqtt' },
  status: 'applied',
  undo: { why: 'is_so' },
  ...values,
});
const [early, late] = [day('05:00-22:00 on'), day('07:00-22:00 on')];

test('the changes of a week are those that were carried out, as far back as their days are known', () => {
  const changes = [
    entry(5, { before: { entries: { mon: early } }, after: { entries: { mon: late } } }),
    entry(4, { before: { entries: { mon: late } }, after: { entries: { mon: early } }, status: 'failed' }),
    entry(3, { before: { active: true }, after: { active: false } }),
    entry(2, { before: { entries: { tue: [], sat: [] } }, after: { entries: { tue: early, sat: [] } } }),
  ];
  const found = weekChangesOf(changes);
  expect(found.known.map(({ before, after, entry: { key } }) => ({ key, before, after }))).toEqual([
    { key: 5, before: { mon: early }, after: { mon: late } },
    { key: 2, before: { tue: [], sat: [] }, after: { tue: early, sat: [] } },
  ]);
  expect(found.isCut).toBe(false);
  // Too long to be kept: what was before it is not known.
  expect(weekChangesOf([...changes.slice(0, 1), entry(1, {}), ...changes.slice(3)])).toMatchObject({ known: [{}], isCut: true });
});
