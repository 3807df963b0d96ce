import { expect, test } from 'vitest';
import { DeviceState } from '../../../../../src/bridge/state/deviceState.ts';
import { makeEnds } from '../../../../../src/bridge/writes/ends/ends.ts';
import type { SentWrite } from '../../../../../src/bridge/writes/write/write.ts';
import { writeLog } from '../../../../../src/bridge/writes/write/writeLog.ts';
import type { Feature } from '../../../../../src/features/feature.ts';
import { featureOf } from '../../../../support/devices/features.ts';
import { storedOf } from '../../../../support/execution/storedWrite.ts';
import { writeStore } from '../../../../support/system/keptInMemory.ts';
import { recordingLog } from '../../../../support/system/testSystem.ts';
import { fakeClock } from '../../../../support/time/fakeClock.ts';

const PLACE = { device: '757/0', feature: 'heating.curve' };
const ROW = { ...PLACE, at: 0, name: 'home', topic: 't', command: 'setCurve', answer: 'delivered' } as const;

const HOME = { name: 'home', installation: '1', gateway: '757', device: '0', features: ['*'], exclude: [] };
const curve = (slope: number, shift: number) => featureOf(PLACE.feature, { slope: { value: slope }, shift: { value: shift } });
const SLOPE = { property: 'slope', written: 2, former: 1.4 };
const SHIFT = { property: 'shift', written: 5, former: 0 };

/** These writes over a curve that shows so; `changed`: how often an end was told as changed. */
const kept = (shows: Feature, ...all: readonly SentWrite[]) => {
  const state = new DeviceState(HOME);
  state.take(shows, 0);
  const states = new Map([[PLACE.device, state]]);
  const rows = new Map(all.map((one) => [one.key, storedOf(one)] as const));
  const writes = writeLog(writeStore(rows), states, { replyTo: () => () => undefined }, fakeClock(), recordingLog([]));
  const changed: string[] = [];
  writes.on('endChanged', ({ feature }) => changed.push(feature));
  const ends = makeEnds(writes, states);
  const inForce = () => ends.running(PLACE)?.parts.map(({ property, written, former }) => `${property} ${written} ${former}`);
  return { writes, ends, state, changed, inForce };
};
const temporary = (key: number, end: SentWrite['end'], more: Partial<SentWrite> = {}): SentWrite => ({
  ...{ ...ROW, key, state: 'settled', end },
  ...more,
});

test('what is taken back over the app leaves a value to its end over which a write lies that no read shows', () => {
  const parts = [SLOPE, SHIFT];
  const change = [{ property: 'slope', written: 3, former: 2, lasting: 1.4 }];
  const over: SentWrite = { ...ROW, key: 2, state: 'accepted', values: { slope: 3 }, change, over: true };
  const { writes, ends, inForce } = kept(curve(2, 9), temporary(1, { untilMs: 1000, parts }), over);
  expect(inForce()).toEqual(['shift 5 0']);
  ends.takeContested(PLACE);
  expect(inForce()).toEqual(['shift 9 0']);
  writes.apply([over.key], { kind: 'settled' });
  expect(inForce()).toEqual(['slope 2 1.4', 'shift 9 0']);
});

test('what is taken back over the app goes with the newest of its temporary writes', () => {
  const { writes, ends, inForce } = kept(
    curve(7, 9),
    temporary(1, { untilMs: 1000, parts: [SLOPE] }),
    temporary(2, { untilMs: 1000, parts: [SHIFT] }),
  );
  ends.takeContested(PLACE);
  expect([inForce(), writes.sent(1)?.end]).toEqual([['slope 7 1.4', 'shift 9 0'], undefined]);
});

test('what the app has changed of a feature is told for its device, not while a write to that part is pending', () => {
  const { ends, state } = kept(curve(7, 5), temporary(1, { untilMs: 1000, parts: [SLOPE, SHIFT] }));
  expect(ends.conflicts(HOME)).toEqual([{ feature: PLACE.feature, untilMs: 1000, names: ['slope'] }]);
  expect(ends.conflicts({ ...HOME, device: '1' })).toEqual([]);
  const effect = { values: new Map([['slope', 2]]) };
  state.pending.add({ key: 2, feature: PLACE.feature, outcome: 'unknown', effect, before: [], revsBefore: [], sinceMs: 0 });
  expect(ends.conflicts(HOME)).toEqual([]);
});

test('a write whose answer was lost, and that no read has shown, ends at its time, and one with an answer does not', () => {
  const lost = { isPossible: true, answer: 'given' } as const;
  const { ends, writes } = kept(
    curve(1.4, 0),
    temporary(1, { untilMs: 1000, parts: [SLOPE] }, lost),
    temporary(2, { untilMs: 1001, parts: [SHIFT] }, lost),
    temporary(3, { untilMs: 1000, parts: [SLOPE] }),
  );
  ends.dropPossible(PLACE, 1000);
  expect([1, 2, 3].map((key) => writes.sent(key)?.end?.untilMs)).toEqual([undefined, 1001, 1000]);
});

test('an end that begins on what runs already is told, and what reads show counts for their device and feature alone', () => {
  const unseen = { untilMs: 1000, parts: [SLOPE], unseen: true } as const;
  const { ends, writes, changed } = kept(curve(2, 0), temporary(1, unseen));
  const isUnseen = () => writes.sent(1)?.end?.unseen === true;
  ends.seen(new DeviceState({ ...HOME, device: '1' }), [curve(2, 0)]);
  ends.seen(new DeviceState(HOME), [{ ...curve(2, 0), name: 'other' }]);
  expect([isUnseen(), changed]).toEqual([true, []]);
  ends.seen(new DeviceState(HOME), [curve(2, 0)]);
  expect([isUnseen(), changed]).toEqual([false, [PLACE.feature]]);
  const { key: _, ...row } = temporary(0, { untilMs: 5, parts: [SHIFT] });
  expect(ends.begin({ ...row, feature: 'other' })).toBe(true);
  expect(changed).toEqual([PLACE.feature, 'other']);
});
