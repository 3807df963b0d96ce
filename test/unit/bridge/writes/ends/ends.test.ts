import { expect, test } from 'vitest';
import { DeviceState } from '../../../../../src/bridge/state/deviceState.ts';
import { makeEnds } from '../../../../../src/bridge/writes/ends/ends.ts';
import type { SentWrite } from '../../../../../src/bridge/writes/write/write.ts';
import { writeLog } from '../../../../../src/bridge/writes/write/writeLog.ts';
import { featureOf } from '../../../../support/devices/features.ts';
import { storedOf } from '../../../../support/execution/storedWrite.ts';
import { writeStore } from '../../../../support/system/keptInMemory.ts';
import { recordingLog } from '../../../../support/system/testSystem.ts';
import { fakeClock } from '../../../../support/time/fakeClock.ts';

const PLACE = { device: '757/0', feature: 'heating.curve' };
const ROW = { ...PLACE, at: 0, name: 'home', topic: 't', command: 'setCurve', answer: 'delivered' } as const;

test('what is taken back over the app leaves a value to its end over which a write lies that no read shows', () => {
  const clock = fakeClock();
  const state = new DeviceState({ name: 'home', installation: '1', gateway: '757', device: '0', features: ['*'], exclude: [] });
  state.take(featureOf(PLACE.feature, { slope: { value: 2 }, shift: { value: 9 } }), 0);
  const parts = [
    { property: 'slope', written: 2, former: 1.4 },
    { property: 'shift', written: 5, former: 0 },
  ];
  const temporary: SentWrite = { ...ROW, key: 1, state: 'settled', end: { untilMs: 1000, parts } };
  const change = [{ property: 'slope', written: 3, former: 2, lasting: 1.4 }];
  const over: SentWrite = { ...ROW, key: 2, state: 'accepted', values: { slope: 3 }, change, over: true };
  const states = new Map([[PLACE.device, state]]);
  const kept = new Map([temporary, over].map((one) => [one.key, storedOf(one)] as const));
  const writes = writeLog(writeStore(kept), states, { replyTo: () => () => undefined }, clock, recordingLog([]));
  const ends = makeEnds(writes, states);
  const inForce = () => ends.running(PLACE)?.parts.map(({ property, written, former }) => `${property} ${written} ${former}`);
  expect(inForce()).toEqual(['shift 5 0']);
  ends.takeContested(PLACE);
  expect(inForce()).toEqual(['shift 9 0']);
  writes.apply([over.key], { kind: 'settled' });
  expect(inForce()).toEqual(['slope 2 1.4', 'shift 9 0']);
});
