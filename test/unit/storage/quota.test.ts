import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { QuotaFile, type QuotaLine } from '../../../src/storage/quota.ts';
import { recordingLog } from '../../support/system/testSystem.ts';

const LINES: readonly QuotaLine[] = [
  { is: 'call', at: 1000, poll: true },
  { is: 'call', at: 2000, poll: false },
  { is: 'foreign', at: 3000, until: 4000, window: 'day', calls: 7 },
  { is: 'pause', until: 4000 },
];

let dir = '';
const logged: { level: string; facts: object; sentence: string }[] = [];
const open = (): QuotaFile => new QuotaFile(dir, recordingLog(logged));
const path = (): string => join(dir, 'quota.jsonl');
/** A file as a run that was killed leaves it. */
const leave = (): void => {
  const file = open();
  file.rewrite(LINES.slice(0, 1));
  for (const line of LINES.slice(1)) file.append(line);
};

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'h2m-quota-'));
  logged.length = 0;
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe('the counters on disk', () => {
  test('each line is there as soon as it was appended, and none is lost by a killed process', () => {
    expect(open()).toMatchObject({ kept: [], lost: 0 });
    leave();
    expect(open()).toMatchObject({ kept: LINES, lost: 0 });
  });

  test('half a line was a call', () => {
    leave();
    appendFileSync(path(), '{"is":"call","at":17');
    expect(open()).toMatchObject({ kept: LINES, lost: 1 });
  });

  test.each([
    ['after a power cut', '', 10],
    ['after a clean end', '{"is":"closed"}\n', 0],
  ])('%s: %s %i calls may be missing', (_, last, lost) => {
    leave();
    writeFileSync(path(), readFileSync(path(), 'utf8').replace(/"boot":"[^"]*"/, '"boot":"earlier"') + last);
    expect(open()).toMatchObject({ kept: LINES, lost });
  });

  test('a close says so in the file', () => {
    const file = open();
    file.rewrite(LINES);
    file.close();
    expect(readFileSync(path(), 'utf8')).toMatch(/\{"is":"closed"\}\n$/);
  });

  test.each(['', 'rubbish', '{"version":99}\n', '\0\0\0'])('a file that says %j is set aside, told once, and counts as a burst', (text) => {
    writeFileSync(path(), text);
    expect(open()).toMatchObject({ kept: [], lost: 10 });
    expect(logged.map(({ level }) => level)).toEqual(['warn']);
    expect(existsSync(`${path()}.unreadable`)).toBe(true);
  });
});
