import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { pageBackups } from '../../src/cli/setup/backups.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { endCutRestore } from '../../src/storage/backup/replaceAll.ts';
import { openStorage } from '../../src/storage/storage.ts';
import { recordingLog, tempDir } from '../support/system/testSystem.ts';
import { sameClock } from '../support/time/sameClock.ts';

const CHILD = new URL('../support/storage/killedRestore.ts', import.meta.url).pathname;
const DATABASE = 'heating2mqtt.db';

/** A data folder whose two files carry one word; the old one has the mark of a complete database, which a restored one lacks. */
const folderOf = (dir: string, word: string): void => {
  mkdirSync(dir);
  openStorage(dir, recordingLog([])).close();
  const database = new DatabaseSync(join(dir, DATABASE));
  database.prepare("INSERT INTO meta (name, value) VALUES ('word', ?)").run(word);
  database.close();
  writeFileSync(join(dir, 'settings.yaml'), `# ${word}\n`);
};

const wordsIn = (dir: string): readonly unknown[] => {
  const database = new DatabaseSync(join(dir, DATABASE), { readOnly: true });
  const word = database.prepare("SELECT value FROM meta WHERE name = 'word'").get()?.['value'];
  database.close();
  return [readFileSync(join(dir, 'settings.yaml'), 'utf8').slice(2, -1), word, readdirSync(dir).includes(`${DATABASE}.complete`)];
};

test('a kill at any step of a restore, and of taking it back, leaves all of the old or all of the new', async () => {
  const at = tempDir();
  folderOf(join(at, 'new'), 'new');
  rmSync(join(at, 'new', `${DATABASE}.complete`), { force: true });
  const backup = join(at, 'backup');
  writeFileSync(backup, await pageBackups(join(at, 'new'), systemClock).make());
  folderOf(join(at, 'old'), 'old');
  writeFileSync(join(at, 'old', `${DATABASE}.complete`), '');
  const seen: string[] = [];
  for (let step = 1; ; step += 1) {
    const dir = join(at, String(step));
    cpSync(join(at, 'old'), dir, { recursive: true });
    const { stdout, stderr, signal } = spawnSync(process.execPath, [CHILD, dir, backup, String(step)], {
      env: sameClock(),
      encoding: 'utf8',
    });
    expect(['SIGKILL', null], stderr).toContain(signal);
    const ended = endCutRestore(dir);
    expect(endCutRestore(dir)).toBe(undefined);
    const words = wordsIn(dir);
    expect(
      [
        ['old', 'old', true],
        ['new', 'new', false],
      ],
      `step ${step}`,
    ).toContainEqual(words);
    expect(readdirSync(dir)).not.toContain('restore');
    const line = `${ended} ${String(words[0])}`;
    if (seen.at(-1) !== line) seen.push(line);
    if (signal === null) {
      expect([stdout, stderr, words[0]]).toEqual(['done', '', 'old']);
      break;
    }
  }
  // Restored, then taken back; a step where nothing was open, or all was in place, needs nothing.
  expect(seen).toEqual(['undefined old', 'dropped old', 'finished new', 'undefined new', 'finished old', 'undefined old']);
});
