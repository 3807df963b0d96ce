import { expect, test } from 'vitest';
import type { Database } from '../../../src/storage/database.ts';
import { lastOfEachRow, type RowChange } from '../../../src/storage/rowChange.ts';
import { WriteRepository } from '../../../src/storage/writeRepository.ts';

test('what waits for room on the disk has no write as open that is over', () => {
  const waiting: RowChange[] = [];
  const database = {
    rows: () => [],
    keepsKnown: () => undefined,
    write: (changes: readonly RowChange[]) => void waiting.push(...changes),
  };
  const writes = new WriteRepository(database as unknown as Database);
  const place = { device: 'd', feature: 'f', isListed: true };
  for (let key = 1; key <= 1200; key += 1) {
    writes.put({ key, at: key, ...place, facts: { state: 'sent' }, isLive: true }, true);
    if (key < 1200) writes.put({ key, at: key, ...place, facts: { state: 'settled' }, isLive: false }, false);
  }
  const left = lastOfEachRow(waiting);
  const states = (state: string): number => left.filter(({ values = [] }) => values.includes(JSON.stringify({ state }))).length;
  expect([states('sent'), states('settled')]).toEqual([1, 500]);
});
