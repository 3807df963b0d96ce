import { expect, test } from 'vitest';
import { LastAnswers } from '../../../../../src/bridge/publish/devices/lastAnswers.ts';
import { keyedStore } from '../../../../support/system/keptInMemory.ts';

test('an id of any length is not kept for a retained topic; all else is, over restarts', () => {
  const store = keyedStore(new Map([['home broken', { answers: 'none' }]]));
  const answers = new LastAnswers(store);
  const note = (id: string) =>
    answers.note({ id, device: 'home', feature: 'heating', topic: 'a/set', command: 'c', status: 'rejected', at: '2026-11-22T17:00:00Z' });
  for (const id of ['x'.repeat(200), 'y'.repeat(201), 'z'.repeat(60_000)]) note(id);
  expect(answers.of('home', 'heating').map(({ id }) => id)).toEqual([undefined, 'x'.repeat(200)]);
  const kept = new LastAnswers(store);
  expect([kept.of('home', 'heating'), kept.of('home', 'broken')]).toEqual([answers.of('home', 'heating'), []]);
});
