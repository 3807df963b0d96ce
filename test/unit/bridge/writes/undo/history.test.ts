import { describe, expect, test } from 'vitest';
import type { StoredWrite } from '../../../../../src/bridge/ports.ts';
import { changeHistory } from '../../../../../src/bridge/writes/undo/history.ts';
import { type SentWrite, storedOf } from '../../../../../src/bridge/writes/write/write.ts';
import { writeStore } from '../../../../support/system/keptInMemory.ts';

const WRITE: SentWrite = {
  ...{ key: 7, at: 1000, device: 'key', name: 'home', feature: 'a.b', state: 'settled', command: 'setCurve', answer: 'delivered' },
  topic: 'base/home/a/b/slope/set',
  by: { kind: 'page', user: 'Paula' },
  change: [{ property: 'slope', written: 2, former: 1 }],
  outcome: { status: 'unconfirmed', code: 'interrupted', message: 'why' },
};

const shown = (write: SentWrite) => {
  const rows = new Map<number, StoredWrite>([[write.key, storedOf(write)]]);
  return changeHistory(writeStore(rows), new Map(), { base: 'base', mayRun: () => true }).newest({}, 10);
};

describe('a write in the history', () => {
  test('shows who asked for it, what it changed, and what became of it', () => {
    expect(shown(WRITE)).toEqual([
      {
        ...{ key: 7, at: '1970-01-01T00:00:01.000Z', device: 'home', feature: 'a.b', name: 'home', command: 'setCurve' },
        topic: 'base/home/a/b/slope/set',
        by: { kind: 'page', user: 'Paula' },
        before: { slope: 1 },
        after: { slope: 2 },
        ...{ status: 'unconfirmed', code: 'interrupted', message: 'why' },
        undo: { why: 'gone' },
      },
    ]);
  });

  test('of which the change is not known cannot be taken back', () => {
    const { change: _, ...unknown } = WRITE;
    expect(shown(unknown)[0]).toMatchObject({ undo: { why: 'unknown' } });
    expect(shown(unknown)[0]).not.toHaveProperty('after');
  });

  test.each([
    ['refused by the bridge', { status: 'rejected' } as const],
    ['under way', undefined],
  ])('is not shown where it is %s', (_, outcome) => {
    expect(shown({ ...WRITE, outcome, state: 'sent' })).toEqual([]);
  });
});
