import { readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { bootId, isOpenElsewhere } from '../../../src/storage/completeFile.ts';
import { StorageError } from '../../../src/storage/dataDir.ts';
import { takeLock } from '../../../src/storage/lock.ts';
import { openStorage } from '../../../src/storage/storage.ts';
import { databaseIn, folder } from '../../support/system/database.ts';
import { recordingLog } from '../../support/system/testSystem.ts';

const HERE = { boot: 'here', upMs: 3_600_000 };
const NOW = Date.parse('2026-11-26T00:00:00Z');

type Trace = Partial<{ readonly ageMs: number; readonly boot: string; readonly upMs: number; readonly log: boolean }>;

test.each<[words: string, trace: Trace, isOpen: boolean]>([
  ['by a bridge that lives there', {}, true],
  ['by one whose clock is some seconds ahead', { ageMs: -5000 }, true],
  ['not by one that ended three minutes ago', { ageMs: 180_000 }, false],
  ['not by a time to come', { ageMs: -3_600_000 }, false],
  ['not by this machine', { boot: 'here' }, false],
  ['not by this machine before it was started again', { ageMs: 60_000, upMs: 30_000 }, false],
  ['not after a clean end, which leaves no write-ahead log', { log: false }, false],
  ['not by a version that did not say which machine it was', { boot: '' }, false],
])('a database is open on another machine: %s', (_, { ageMs = 20_000, boot = 'there', upMs = HERE.upMs, log = true }, expected) => {
  const file = databaseIn(folder());
  writeFileSync(`${file}.complete`, boot);
  utimesSync(`${file}.complete`, (NOW - ageMs) / 1000, (NOW - ageMs) / 1000);
  if (log) writeFileSync(`${file}-wal`, '');
  expect(isOpenElsewhere(file, { ...HERE, upMs }, NOW)).toBe(expected);
});

test('a bridge shows that it lives, and one on another machine does not start meanwhile, nor touch anything', async () => {
  const dir = folder();
  const file = databaseIn(dir);
  openStorage(dir, recordingLog([])).close();
  const hasTouched = (): boolean => Date.now() - statSync(`${file}.complete`).mtimeMs < 60_000;
  utimesSync(`${file}.complete`, 1, 1);
  const storage = openStorage(dir, recordingLog([]));
  expect(hasTouched()).toBe(true);
  onTestFinished(() => storage.close());
  expect(readFileSync(`${file}.complete`, 'utf8')).toBe(bootId());
  utimesSync(`${file}.complete`, 1, 1);
  let minutes = 0;
  const sleep = async (): Promise<void> => {
    minutes += 1;
    if (minutes > 1) throw new Error('stopped');
  };
  const clock = { now: () => 0, elapsedMs: () => 0, sleep };
  await storage.watchFiles(clock, new AbortController().signal, () => undefined).catch(() => undefined);
  expect(hasTouched()).toBe(true);

  writeFileSync(`${file}.complete`, 'another machine');
  // The other machine's clock is this one's, also where the tests run at another hour than the system.
  utimesSync(`${file}.complete`, Date.now() / 1000, Date.now() / 1000);
  const taken = takeLock(dir, () => ({}));
  await expect(taken).rejects.toBeInstanceOf(StorageError);
  await expect(taken).rejects.toThrow('a bridge on another machine uses it');
  expect(readdirSync(dir)).not.toContain('bridge.lock');
  rmSync(`${file}.complete`);
});
