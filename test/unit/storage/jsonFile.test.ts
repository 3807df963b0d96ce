import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { JsonFile } from '../../../src/storage/jsonFile.ts';
import { recordingLog } from '../../support/system/testSystem.ts';

const open = () => {
  const dir = mkdtempSync(join(tmpdir(), 'h2m-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const logged: Parameters<typeof recordingLog>[0] = [];
  return { dir, path: join(dir, 'a.json'), file: new JsonFile(dir, 'a.json', 2, recordingLog(logged)), logged };
};

test('gives back what was written, and nothing before', () => {
  const { file, dir, logged } = open();
  expect(file.read()).toBeUndefined();
  expect(file.write({ a: [1] })).toBe(true);
  expect(file.write({ a: [2] })).toBe(true);
  expect(file.read()).toEqual({ version: 2, a: [2] });
  expect(readdirSync(dir)).toEqual(['a.json']);
  expect(logged).toEqual([]);
});

test.each(['', '{', '[]', 'null', '{"version":1}', '{"version":2'])('sets %j aside, once', (text) => {
  const { file, path, logged } = open();
  writeFileSync(path, text);
  expect(file.read()).toBeUndefined();
  expect(file.read()).toBeUndefined();
  expect(readFileSync(`${path}.unreadable`, 'utf8')).toBe(text);
  expect(logged).toHaveLength(1);
});

test('a folder that is gone is said once and ends nothing', () => {
  const { file, dir, logged } = open();
  rmSync(dir, { recursive: true });
  expect(file.write({})).toBe(false);
  expect(file.write({})).toBe(false);
  expect(file.read()).toBeUndefined();
  expect(logged.map(({ level }) => level)).toEqual(['warn']);
});
