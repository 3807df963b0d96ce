import { describe, expect, test } from 'vitest';
import { ChangeHistory } from '../../../../src/bridge/execution/changeHistory.ts';
import { changeStore } from '../../../support/system/keptInMemory.ts';

const interrupted = {
  key: 7,
  write: {
    device: 'key',
    name: 'home',
    feature: 'a.b',
    composite: undefined,
    command: 'setCurve',
    topic: 'base/home/a/b/slope/set',
    id: undefined,
    by: { kind: 'page', user: 'Paula' } as const,
    values: { slope: 2 },
    days: undefined,
    before: [{ property: 'slope', values: [1] }],
    revsBefore: undefined,
  },
  effect: { values: new Map([['slope', 2]]) },
  accepted: false,
  answered: false,
  settled: false,
};

const begin = () => {
  const store = changeStore();
  return { store, history: new ChangeHistory(store, new Map(), { base: 'base', mayRun: () => true }, { now: () => 1000 }) };
};

describe('a write of an earlier run', () => {
  test('that had no answer is kept by what the journal knows of it', () => {
    const { history } = begin();
    history.recovered(interrupted, { status: 'unconfirmed', code: 'interrupted', message: 'x'.repeat(1000) });
    expect(history.newest({}, 10)).toEqual([
      {
        key: 7,
        at: '1970-01-01T00:00:01.000Z',
        device: 'home',
        feature: 'a.b',
        name: 'home',
        command: 'setCurve',
        topic: 'base/home/a/b/slope/set',
        by: { kind: 'page', user: 'Paula' },
        before: { slope: 1 },
        after: { slope: 2 },
        status: 'unconfirmed',
        code: 'interrupted',
        message: 'x'.repeat(500),
        undo: { why: 'gone' },
      },
    ]);
  });

  test('that was kept as accepted keeps its time and what was before, and gets its outcome', () => {
    const { store, history } = begin();
    const facts = { name: 'home', topic: 't', before: { slope: 0.5 }, after: { slope: 2 }, status: 'accepted' };
    store.put({ key: 7, at: 500, device: 'key', feature: 'a.b', facts });
    history.recovered(interrupted, { status: 'applied' });
    expect(store.find(7)).toEqual({ key: 7, at: 500, device: 'key', feature: 'a.b', facts: { ...facts, status: 'applied' } });
  });

  test('with values that are too long is kept without them', () => {
    const { history } = begin();
    const long = 'x'.repeat(20_000);
    history.recovered({ ...interrupted, effect: { values: new Map([['slope', long]]) } }, { status: 'applied' });
    const [change] = history.newest({}, 10);
    expect(change).not.toHaveProperty('after');
    expect(change).toMatchObject({ undo: { why: 'unknown' } });
  });
});
