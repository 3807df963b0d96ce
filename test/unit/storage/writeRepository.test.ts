import { existsSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { StoredWrite } from '../../../src/bridge/ports.ts';
import type { Database } from '../../../src/storage/database.ts';
import { lastOfEachRow, type RowChange } from '../../../src/storage/rowChange.ts';
import { writeRepository } from '../../../src/storage/writeRepository.ts';
import { runs } from '../../support/chance.ts';
import { inDatabase, storageRuns } from '../../support/system/database.ts';
import { writeStore } from '../../support/system/keptInMemory.ts';

const DAY_MS = 86_400_000;
/** What Linux has counted of the thread. */
const COUNTED = '/proc/thread-self/io';
const bytesRead = (): number => Number(/^rchar: (\d+)$/m.exec(readFileSync(COUNTED, 'utf8'))?.[1]);

const setUp = () => {
  const { dir, start } = storageRuns();
  return { dir, start: () => start().writes };
};

const write = (key: number, at = key, more: Partial<StoredWrite> = {}): StoredWrite => ({
  ...{ key, at, device: 'd', feature: 'f', facts: {}, isLive: false, isListed: true },
  ...more,
});
const keysOf = (writes: readonly { readonly key: number }[]): readonly number[] => writes.map(({ key }) => key);
/** As of a write that was accepted now. */
const put = (store: ReturnType<ReturnType<typeof setUp>['start']>, key: number, at = key): void => {
  store.put(write(key, at, { isLive: true }), true);
  store.put(write(key, at), false);
};

describe('the writes of the last year', () => {
  test('come newest first, by device and feature, page by page, and what is open by itself, after a restart too', () => {
    const { dir, start } = setUp();
    const name = fc.constantFrom('a', 'b', "'; DROP TABLE writes", 'ä\n');
    const one = fc.record({
      key: fc.integer({ min: 1, max: 30 }),
      at: fc.constant(1),
      device: name,
      feature: name,
      facts: fc.dictionary(fc.constantFrom('x', 'y'), fc.string()),
      isLive: fc.boolean(),
      isListed: fc.boolean(),
    });
    const question = fc.record(
      { before: fc.integer({ min: 0, max: 31 }), device: name, feature: name },
      { requiredKeys: ['device', 'feature'] },
    );
    start();
    fc.assert(
      fc.property(
        fc.array(one),
        fc.array(fc.integer({ min: 1, max: 30 })),
        question,
        fc.integer({ min: 1, max: 9 }),
        (writes, gone, which, most) => {
          inDatabase(dir, (database) => database.exec('DELETE FROM writes'));
          const rows = new Map<number, StoredWrite>();
          const model = writeStore(rows);
          const store = start();
          for (const each of [store, model]) {
            for (const stored of writes) each.put(stored, false);
            for (const key of gone) each.remove(key);
          }
          const again = start();
          const { device, feature, ...before } = which;
          const plain = (found: ReturnType<typeof model.newest>) =>
            found.map(({ key, at, device: of, feature: on, facts }) => ({ key, at, of, on, facts }));
          for (const some of [before, { ...before, device }, { ...before, device, feature }])
            expect(plain(again.newest(some, most))).toEqual(plain(model.newest(some, most)));
          const left = writeStore(rows);
          expect(plain(again.left)).toEqual(plain(left.left.toSorted((a, b) => a.key - b.key)));
          expect(again.lastKey).toBe(left.lastKey);
        },
      ),
      { numRuns: runs(100) },
    );
  });

  test('a clock that was wrong for a while takes little with it', () => {
    const store = setUp().start();
    for (let key = 1; key <= 100; key += 1) put(store, key, 1000 * DAY_MS);
    put(store, 101, 9000 * DAY_MS);
    put(store, 102, 1000 * DAY_MS);
    expect(store.newest({}, 200).length).toBeGreaterThan(90);
  });

  test('are kept for a year, and no more than 5000 of them; what is open stays', () => {
    const { dir, start } = setUp();
    const store = start();
    store.put(write(1, 0, { isLive: true }), false);
    put(store, 2, 0);
    put(store, 3, 2 * DAY_MS);
    put(store, 4, 366 * DAY_MS);
    expect(keysOf(store.newest({}, 10))).toEqual([4, 3, 2, 1]);
    put(store, 5, 367 * DAY_MS);
    expect(keysOf(store.newest({}, 10))).toEqual([5, 4, 3, 1]);
    inDatabase(dir, (database) => {
      const insert = database.prepare("INSERT INTO writes VALUES (?, ?, 'd', 'f', '{}', 0, 1)");
      database.exec('BEGIN');
      for (let key = 10; key < 5010; key += 1) insert.run(key, 368 * DAY_MS);
      database.exec('COMMIT');
    });
    put(store, 6000, 368 * DAY_MS);
    const kept = keysOf(store.newest({}, 10_000));
    expect([kept.length, kept[0], kept.at(-2), kept.at(-1)]).toEqual([5001, 6000, 11, 1]);
  });
});

test.runIf(existsSync(COUNTED))('an accepted write does not wait until all that are kept were looked at', () => {
  const { dir, start } = setUp();
  const store = start();
  inDatabase(dir, (database) => {
    const insert = database.prepare("INSERT INTO writes VALUES (?, 1, 'd', 'f', ?, 0, 1)");
    database.exec('BEGIN');
    for (let key = 1; key < 5000; key += 1) insert.run(key, JSON.stringify({ text: 'x'.repeat(1000) }));
    database.exec('COMMIT');
  });
  put(store, 5000);
  const before = bytesRead();
  store.put(write(5001, 5001, { isLive: true }), true);
  expect(bytesRead() - before).toBeLessThan(500_000);
});

test('what waits for room on the disk has no write as open that is over', () => {
  const waiting: RowChange[] = [];
  const database = {
    rows: () => [],
    keepsKnown: () => undefined,
    write: (changes: readonly RowChange[]) => void waiting.push(...changes),
  };
  const writes = writeRepository(database as unknown as Database);
  const place = { device: 'd', feature: 'f', isListed: true };
  for (let key = 1; key <= 1200; key += 1) {
    writes.put({ key, at: key, ...place, facts: { state: 'sent' }, isLive: true }, true);
    if (key < 1200) writes.put({ key, at: key, ...place, facts: { state: 'settled' }, isLive: false }, false);
  }
  const left = lastOfEachRow(waiting);
  const states = (state: string): number => left.filter(({ values = [] }) => values.includes(JSON.stringify({ state }))).length;
  expect([states('sent'), states('settled')]).toEqual([1, 500]);
});
