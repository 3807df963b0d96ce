import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Change } from '../../../src/bridge/ports.ts';
import { runs } from '../../support/chance.ts';
import { inDatabase, storageRuns } from '../../support/system/database.ts';
import { changeStore } from '../../support/system/keptInMemory.ts';

const DAY_MS = 86_400_000;

const setUp = () => {
  const { dir, start } = storageRuns();
  return { dir, start: () => start().changes };
};

const change = (key: number, at = key, facts: Change['facts'] = {}): Change => ({ key, at, device: 'd', feature: 'f', facts });
const keysOf = (changes: readonly Change[]): readonly number[] => changes.map(({ key }) => key);

describe('the changes of the last year', () => {
  test('come newest first, by device and feature, page by page, after a restart too', () => {
    const { dir, start } = setUp();
    const name = fc.constantFrom('a', 'b', "'; DROP TABLE changes", 'ä\n');
    const one = fc.record({
      key: fc.integer({ min: 1, max: 30 }),
      at: fc.constant(1),
      device: name,
      feature: name,
      facts: fc.dictionary(fc.constantFrom('x', 'y'), fc.string()),
    });
    const question = fc.record(
      { before: fc.integer({ min: 0, max: 31 }), device: name, feature: name },
      { requiredKeys: ['device', 'feature'] },
    );
    start();
    fc.assert(
      fc.property(fc.array(one), question, fc.integer({ min: 1, max: 9 }), (changes, { device, feature, ...before }, most) => {
        inDatabase(dir, (database) => database.exec('DELETE FROM changes'));
        const model = changeStore();
        const store = start();
        for (const each of changes) {
          store.put(each);
          model.put(each);
        }
        const again = start();
        for (const which of [before, { ...before, device }, { ...before, device, feature }])
          expect(again.newest(which, most)).toEqual(model.newest(which, most));
      }),
      { numRuns: runs(100) },
    );
  });

  test('hold what was said of a change last', () => {
    const { start } = setUp();
    const store = start();
    store.put(change(1, 1, { status: 'accepted' }));
    store.put(change(2));
    store.put(change(1, 1, { status: 'applied' }));
    expect(store.find(1)).toEqual(change(1, 1, { status: 'applied' }));
    expect(keysOf(store.newest({}, 10))).toEqual([2, 1]);
    expect(store.find(3)).toBeUndefined();
  });

  test('a clock that was wrong for a while takes little with it', () => {
    const { start } = setUp();
    const store = start();
    for (let key = 1; key <= 100; key += 1) store.put(change(key, 1000 * DAY_MS));
    store.put(change(101, 9000 * DAY_MS));
    store.put(change(102, 1000 * DAY_MS));
    expect(store.newest({}, 200).length).toBeGreaterThan(90);
  });

  test('are kept for a year, and no more than 5000 of them', () => {
    const { dir, start } = setUp();
    const store = start();
    store.put(change(1, 0));
    store.put(change(2, 2 * DAY_MS));
    store.put(change(3, 366 * DAY_MS));
    expect(keysOf(store.newest({}, 10))).toEqual([3, 2, 1]);
    store.put(change(4, 367 * DAY_MS));
    expect(keysOf(store.newest({}, 10))).toEqual([4, 3, 2]);
    inDatabase(dir, (database) => {
      const insert = database.prepare('INSERT INTO changes VALUES (?, ?, ?, ?, ?)');
      database.exec('BEGIN');
      for (let key = 10; key < 5010; key += 1) insert.run(key, 368 * DAY_MS, 'd', 'f', '{}');
      database.exec('COMMIT');
    });
    store.put(change(6000, 368 * DAY_MS));
    const kept = keysOf(store.newest({}, 10_000));
    expect([kept.length, kept[0], kept.at(-1)]).toEqual([5000, 6000, 11]);
  });
});
