import { expect, test } from 'vitest';
import { lastAnswers } from '../../../../../src/bridge/publish/devices/lastAnswers.ts';
import { deviceKey } from '../../../../../src/bridge/state/deviceState.ts';
import { featureOf } from '../../../../support/devices/features.ts';
import { DEVICE } from '../../../../support/execution/commandWorld.ts';
import { keyedStore } from '../../../../support/system/keptInMemory.ts';

test('an id of any length is not kept for a retained topic; all else is, over restarts', () => {
  const schedule = featureOf('heating', { entries: { type: 'Schedule', value: {} } });
  const states = new Map([['', { device: DEVICE, shown: () => schedule }]]);
  const store = keyedStore(
    new Map([
      ['gone heating', { answers: [{ id: 'a' }] }],
      [`${deviceKey(DEVICE)} broken`, { answers: 'none' }],
    ]),
  );
  const answers = lastAnswers(store, states);
  const note = (id: string) =>
    answers.note({ id, device: 'home', feature: 'heating', topic: 'a/set', command: 'c', status: 'rejected', at: '2026-11-22T17:00:00Z' });
  for (const id of ['x'.repeat(200), 'y'.repeat(201), 'z'.repeat(60_000)]) note(id);
  expect(answers.of(DEVICE, 'heating').map(({ id }) => id)).toEqual([undefined, 'x'.repeat(200)]);
  // A device that there is no more keeps none.
  expect([...store.read().keys()]).not.toContain('gone heating');
  const kept = lastAnswers(store, states);
  expect([kept.of(DEVICE, 'heating'), kept.of(DEVICE, 'broken')]).toEqual([answers.of(DEVICE, 'heating'), []]);
});
