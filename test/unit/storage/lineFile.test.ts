import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { LineFile } from '../../../src/storage/lineFile.ts';
import { recordingLog } from '../../support/system/testSystem.ts';

const WORDS = { holds: 'the lines', unreadable: 'they are gone', unwritable: 'the bridge goes on' };

const place = () => {
  const dir = mkdtempSync(join(tmpdir(), 'h2m-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const logged: Parameters<typeof recordingLog>[0] = [];
  return { dir, path: join(dir, 'a.jsonl'), logged, log: recordingLog(logged) };
};

test('gives back what was appended, and says that it is on disk', () => {
  const { path, log, logged } = place();
  const file = new LineFile(path, log, WORDS);
  expect(file.read()).toEqual([]);
  file.open([{ a: 1 }]);
  expect(file.append([{ a: 2 }, { a: 3 }], () => [])).toBe(true);
  expect(file.append([], () => [])).toBe(true);
  file.close();
  expect(file.append([{ a: 4 }], () => [])).toBe(false);
  expect(new LineFile(path, log, WORDS).read()).toEqual([{ a: 1 }, { a: 2 }, { a: 3 }]);
  expect(logged).toEqual([]);
});

test('a file of no version is set aside, once', () => {
  const { path, log, logged } = place();
  writeFileSync(path, '{"version":7}\n{"a":1}\n');
  expect(new LineFile(path, log, WORDS).read()).toEqual([]);
  expect(new LineFile(path, log, WORDS).read()).toEqual([]);
  expect(logged).toHaveLength(1);
});
