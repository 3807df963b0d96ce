import { describe, expect, test } from 'vitest';
import type { StoredWrite } from '../../../../../src/bridge/ports.ts';
import { DeviceState, deviceKey } from '../../../../../src/bridge/state/deviceState.ts';
import type { CommandResult } from '../../../../../src/bridge/writes/request/commandRequest.ts';
import type { WriteEvent } from '../../../../../src/bridge/writes/write/step.ts';
import { isSent, type SentWrite } from '../../../../../src/bridge/writes/write/write.ts';
import { writeLog } from '../../../../../src/bridge/writes/write/writeLog.ts';
import { featureOf } from '../../../../support/devices/features.ts';
import { DEVICE } from '../../../../support/execution/commandWorld.ts';
import { writeStore } from '../../../../support/system/keptInMemory.ts';
import { recordingLog } from '../../../../support/system/testSystem.ts';
import { fakeClock } from '../../../../support/time/fakeClock.ts';

const PARTS = [{ property: 'slope', written: 2, former: 1 }];
const END = { untilMs: 9000, parts: PARTS };
const DAYS = [{ property: 'entries', day: 'mon' as const, written: [], former: [] }];
const ROW: Omit<SentWrite, 'key'> = {
  ...{ device: deviceKey(DEVICE), feature: 'curve', at: 1, name: 'home', topic: 't', command: 'setCurve' },
  ...{ state: 'accepted', values: { slope: 2 }, change: PARTS, answer: 'open' },
};
const curve = (slope: number) => featureOf('curve', { slope: { value: slope } });

/** A log of writes whose steps tell what is stored (`!`: also over a power cut), shown and answered. */
const world = (rows = new Map<number, StoredWrite>()) => {
  const steps: string[] = [];
  const logged: { level: string; facts: object; sentence: string }[] = [];
  const state = new DeviceState(DEVICE);
  state.take(curve(1), 0);
  const store = writeStore(rows);
  const writes = writeLog(
    {
      ...store,
      put: (write, isDurable) => {
        const { state: is, answer } = write.facts as { readonly state: string; readonly answer?: string };
        steps.push([`stored ${write.key}`, is, answer, isDurable && '!'].filter((word) => word).join(' '));
        store.put(write, isDurable);
      },
      remove: (key) => {
        steps.push(`removed ${key}`);
        store.remove(key);
      },
    },
    new Map([[deviceKey(DEVICE), state]]),
    { replyTo: () => (_, result: CommandResult, onDelivered) => steps.push(`answered ${result.status}${onDelivered ? ' for good' : ''}`) },
    fakeClock(),
    recordingLog(logged),
  );
  writes.on('shownChanged', () => steps.push(`shown ${state.shown('curve')?.properties.get('slope')?.value}`));
  writes.on('endChanged', () => steps.push('end changed'));
  /** The steps since then. */
  const told = (): readonly string[] => steps.splice(0);
  return { writes, state, told, logged };
};

test('what is accepted is stored, then shown, then answered', () => {
  const { writes, told, logged } = world();
  const key = writes.add({ ...ROW, state: 'sent' }, undefined, true);
  writes.apply([key], { kind: 'accepted', words: {} });
  expect(told()).toEqual(['stored 1 sent open !', 'stored 1 accepted open !', 'shown 2', 'answered accepted']);
  writes.apply([key], { kind: 'confirmed', result: { status: 'applied' } });
  expect(told()).toEqual(['stored 1 accepted given', 'shown 2', 'answered applied for good']);
  writes.apply([key], { kind: 'undone' });
  writes.apply([key + 1], { kind: 'settled' });
  expect([told(), logged]).toEqual([[], []]);
});

test.each<[status: 'rejected' | 'failed', left: string]>([
  ['rejected', 'removed 1'],
  ['failed', 'stored 1 failed delivered'],
])('a write that is %s is open until its answer has arrived: %s', (status, left) => {
  const { writes, told } = world();
  const key = writes.add({ ...ROW, state: 'sent' }, undefined);
  writes.apply([key], { kind: 'refused', result: { status } });
  expect(writes.all()).toHaveLength(1);
  told();
  writes.apply([key], { kind: 'delivered' });
  expect([told(), writes.all()]).toEqual([[left], []]);
});

test('a value that waited is removed when it goes with others, and the feature is shown without it', () => {
  const { writes, told } = world();
  const { device, feature, at, name, topic, command } = ROW;
  const row = { device, feature, at, name, topic, command, state: 'waiting', values: {}, missing: [], untilMs: 9 } as const;
  const key = writes.add(row, undefined);
  told();
  writes.apply([key], { kind: 'joined' });
  expect([told(), writes.all()]).toEqual([['removed 1', 'shown 1'], []]);
});

test('of a device that is not known nothing is shown', () => {
  const { writes, told } = world();
  const key = writes.add({ ...ROW, device: 'other', state: 'sent' }, undefined);
  writes.apply([key], { kind: 'accepted', words: {} });
  expect(told()).toEqual(['stored 1 sent open', 'stored 1 accepted open !', 'answered accepted']);
});

test.each<[event: WriteEvent, write: Partial<SentWrite>, isDurable: boolean]>([
  [{ kind: 'accepted', words: {} }, { state: 'sent' }, true],
  [{ kind: 'lost' }, { state: 'sent' }, true],
  [{ kind: 'refused', result: { status: 'failed' } }, { state: 'sent' }, true],
  [{ kind: 'adapted', change: PARTS, shows: curve(3), result: { status: 'applied' } }, {}, true],
  [{ kind: 'made', change: DAYS }, {}, true],
  [{ kind: 'shown', feature: curve(2) }, { end: { ...END, unseen: true } }, true],
  [{ kind: 'endChanged', end: { ...END, untilMs: 7 } }, { end: END }, true],
  [{ kind: 'followed', by: { untilMs: 5, parts: [] } }, { end: END }, true],
  [{ kind: 'returnIgnored', by: { ...ROW, key: 9 } }, { end: END }, true],
  [{ kind: 'undone' }, { isUndoable: true }, true],
  // The next run finds these out again.
  [{ kind: 'confirmed', result: { status: 'applied' } }, {}, false],
  [{ kind: 'unconfirmed', result: { status: 'unconfirmed' } }, {}, false],
  [{ kind: 'settled' }, {}, false],
  [{ kind: 'delivered' }, { answer: 'given' }, false],
  [{ kind: 'replaced', by: { ...ROW, key: 9, values: { slope: 4 } } }, { end: END }, false],
  [{ kind: 'uncovered' }, { over: true }, false],
])('%j of a write survives a power cut, or is found again: %#', (event, write, isDurable) => {
  const { writes, told } = world();
  const key = writes.add({ ...ROW, ...write }, undefined);
  told();
  writes.apply([key], event);
  expect(
    told()
      .filter((step) => step.startsWith('stored'))
      .map((step) => step.endsWith('!')),
  ).toEqual([isDurable]);
});

describe('what happens to other writes', () => {
  /** The writes by key: their ends, and whether they lie over a temporary one or can be taken back. */
  const facts = ({ writes }: ReturnType<typeof world>): readonly string[] =>
    writes
      .all()
      .filter(isSent)
      .map(({ key, end, over, isUndoable }) => [key, end?.untilMs, over && 'over', isUndoable && 'undo'].filter((one) => one).join(' '));
  const of = (...all: readonly Partial<SentWrite>[]) => {
    const made = world();
    for (const more of all) made.writes.add({ ...ROW, ...more }, undefined);
    return made;
  };
  const OTHER = { untilMs: 5, parts: [{ property: 'slope', written: 3, former: 2 }] };

  test('an accepted write with an end moves those of the older writes to its feature, and no others', () => {
    const sent = { state: 'sent', end: OTHER } as const;
    const made = of({ end: END }, { end: END, feature: 'other' }, { end: END, device: 'other' }, sent, { ...sent, end: END });
    made.told();
    made.writes.apply([4], { kind: 'accepted', words: {} });
    expect(facts(made)).toEqual(['1 5', '2 9000', '3 9000', '4 5', '5 9000']);
    expect(made.writes.sent(4)?.end?.parts).toEqual(OTHER.parts);
    expect(made.told()).toContain('end changed');
  });

  test('an undo that was accepted takes back the group that it names, and what came after it', () => {
    const change = { isUndoable: true, change: DAYS } as const;
    const made = of(change, change, { ...change, group: 2 }, { state: 'sent', undoes: 2 }, change);
    made.writes.apply([4], { kind: 'accepted', words: {} });
    expect(facts(made)).toEqual(['1 undo', '2', '3', '4', '5 undo']);
  });

  test('one that was carried out takes the place of what older ones wrote for a time, and keeps what was before them', () => {
    const made = of({ end: END }, { end: { ...OTHER, unseen: true }, values: { slope: 3 } }, { end: OTHER });
    made.writes.apply([2], { kind: 'confirmed', result: { status: 'applied' } });
    expect(facts(made)).toEqual(['1', '2 5', '3 5']);
    expect(made.writes.sent(2)?.end?.parts).toEqual([{ property: 'slope', written: 3, former: 1 }]);
  });

  test('one over a temporary write waits for a read only while one before it has an end', () => {
    const over = { over: true, state: 'settled' } as const;
    const made = of({ end: END }, over, { end: END }, over);
    made.writes.apply([1], { kind: 'endChanged', end: undefined });
    expect(facts(made)).toEqual(['1', '2', '3 9000', '4 over']);
    made.writes.apply([3], { kind: 'endChanged', end: undefined });
    expect(facts(made)).toEqual(['1', '2', '3', '4']);
  });

  test.each([
    ['made', 1],
    ['accepted', 2],
  ] as const)('ten changes can be taken back, and one that may still fail costs none: after %s', (kind, gone) => {
    const change = { isUndoable: true, change: DAYS, values: undefined } as const;
    const made = of(...Array.from({ length: 11 }, () => change), { ...change, state: 'sent' }, {});
    made.writes.apply([kind === 'made' ? 11 : 12], kind === 'made' ? { kind, change: DAYS } : { kind, words: {} });
    expect(facts(made).findIndex((one) => one.includes('undo'))).toBe(gone);
  });
});

test('the next run finds what was left: what was sent is lost, what is closed is history, and what makes no sense is removed', () => {
  const rowOf = (key: number, facts: object): [number, StoredWrite] => [
    key,
    { ...{ key, at: 1, device: deviceKey(DEVICE), feature: 'curve' }, facts, isLive: true, isListed: true },
  ];
  const { device, feature, at, ...facts } = ROW;
  const outcome = { status: 'applied' } as const;
  const rows = new Map([
    rowOf(1, { state: 'nonsense', end: END }),
    rowOf(2, { ...facts, state: 'sent' }),
    rowOf(3, { ...facts, answer: 'given', outcome }),
    rowOf(4, { ...facts, state: 'settled', answer: 'delivered', outcome }),
    rowOf(5, { ...facts, end: { untilMs: 'x' } }),
    rowOf(6, { ...facts, end: END }),
    rowOf(7, { state: 'queued', name: 'home', topic: 't' }),
    rowOf(8, { state: 'waiting', name: 'home', topic: 't', command: 'c', values: {}, missing: [], untilMs: 5 }),
    rowOf(9, { ...facts, state: 'settled', isUndoable: true }),
  ]);
  const { writes, logged } = world(rows);
  const key = writes.add({ ...ROW }, undefined);
  expect(writes.all().map((write) => [write.key, write.state, isSent(write) && write.answer])).toEqual([
    [2, 'lost', 'open'],
    [3, 'accepted', 'open'],
    [5, 'accepted', 'open'],
    [6, 'accepted', 'open'],
    [7, 'queued', false],
    [8, 'waiting', false],
    [9, 'settled', 'open'],
    [10, 'accepted', 'open'],
  ]);
  expect([rows.has(1), rows.get(4)?.isLive, rows.get(4)?.isListed]).toEqual([false, false, true]);
  expect(logged.map(({ facts }) => facts)).toEqual([{ entries: 2 }]);
  expect([writes.isLeft(2), writes.isLeft(key), writes.sent(8), writes.sent(key)?.key]).toEqual([true, false, undefined, key]);
  expect(writes.pendingOf(DEVICE).map((one) => `${one.key} ${one.outcome}`)).toEqual([
    '2 unknown',
    '3 accepted',
    '5 accepted',
    '6 accepted',
    '10 accepted',
  ]);
  expect(writes.pendingOf({ ...DEVICE, device: '1' })).toEqual([]);
});
