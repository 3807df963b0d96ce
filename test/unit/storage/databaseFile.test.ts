import { copyFileSync, readdirSync, readFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import type { Clock } from '../../../src/shared/clock.ts';
import { openStorage } from '../../../src/storage/storage.ts';
import { recordingLog, tempDir } from '../../support/system/testSystem.ts';

/** A clock whose minute has passed once. */
const aMinute = (): Clock => {
  let minutes = 0;
  const sleep = async (): Promise<void> => {
    minutes += 1;
    if (minutes > 1) throw new Error('stopped');
  };
  return { now: () => 0, elapsedMs: () => 0, sleep };
};

const folder = () => {
  const dir = tempDir();
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return { dir, file: join(dir, 'heating2mqtt.db'), backup: join(dir, 'backup') };
};
type Logged = Parameters<typeof recordingLog>[0];
type Folder = ReturnType<typeof folder>;

/** A bridge with what must not be lost and what is only practical; `backup` is the database of the run before. */
const running = ({ dir, file, backup }: Folder, logged: Logged) => {
  const before = openStorage(dir, recordingLog([]));
  before.brokerSearched();
  before.logins.write('of an earlier run', { v: 0 });
  before.close();
  copyFileSync(file, backup);
  const storage = openStorage(dir, recordingLog(logged));
  storage.logins.write('before', { v: 1 });
  storage.logins.write('gone', { v: 1 });
  storage.logins.write('gone', undefined);
  storage.inventory.write('device', { v: 1 });
  const write = { at: 1, device: 'd', feature: 'f', facts: {}, isListed: true };
  storage.writes.put({ ...write, key: 1, isLive: true }, true);
  storage.writes.put({ ...write, key: 2, isLive: false }, false);
  return storage;
};

const whatIsLeft = ({ dir }: Folder) => {
  const storage = openStorage(dir, recordingLog([]));
  const { logins, inventory, writes, mayLackChanges } = storage;
  const rows = [logins, inventory].map((table) => [...table.read().keys()]);
  storage.close();
  return { rows, open: writes.left.map(({ key }) => key), mayLackChanges };
};

const removeAll = ({ dir }: Folder): void => {
  for (const name of readdirSync(dir)) rmSync(join(dir, name), { recursive: true });
};
const WHOLE = [
  ['deleted', ({ file }: Folder) => rmSync(file)],
  ['deleted with all that is beside it', removeAll],
  ['deleted with its folder', ({ dir }: Folder) => rmSync(dir, { recursive: true })],
  ['replaced by an older one', ({ file, backup }: Folder) => renameSync(backup, file)],
] as const;
const OVERWRITTEN = [
  ['overwritten by an older one', ({ file, backup }: Folder) => copyFileSync(backup, file)],
  ['emptied', ({ file }: Folder) => truncateSync(file)],
  ['overwritten with nonsense', ({ file }: Folder) => writeFileSync(file, 'x'.repeat(200_000))],
] as const;

const SAYS = { whole: /deleted or replaced/, overwritten: /overwritten/ };

for (const [kind, ways] of [['whole', WHOLE] as const, ['overwritten', OVERWRITTEN] as const])
  for (const [what, happens] of ways) {
    test(`a database that is ${what} under the running bridge takes what must survive, and says so once`, () => {
      const place = folder();
      const logged: Logged = [];
      const storage = running(place, logged);
      happens(place);
      expect(storage.logins.write('after', { v: 2 })).toBe(true);
      expect(storage.logins.write('later', { v: 3 })).toBe(true);
      // As the system leaves it after a kill: nothing is closed.
      expect(statSync(place.file).mode & 0o777).toBe(0o600);
      storage.close();
      expect(whatIsLeft(place)).toEqual({
        rows: [['of an earlier run', 'before', 'after', 'later'], kind === 'whole' ? ['device'] : []],
        open: [1],
        mayLackChanges: kind === 'overwritten',
      });
      expect(logged).toEqual([expect.objectContaining({ level: 'error', sentence: expect.stringMatching(SAYS[kind]) })]);
    });

    test(`a database that is ${what} is written anew within a minute`, async () => {
      const place = folder();
      const storage = running(place, []);
      onTestFinished(() => storage.close());
      happens(place);
      await look(storage);
      // As after a kill: another process reads what lies there.
      const copy = folder();
      for (const name of readdirSync(place.dir)) copyFileSync(join(place.dir, name), join(copy.dir, name));
      expect(whatIsLeft(copy)).toMatchObject({ rows: [['of an earlier run', 'before'], expect.anything()], open: [1] });
    });
  }

test('a database that was overwritten is noticed also where only values were written since, and is doubted by the next start', () => {
  const place = folder();
  const logged: Logged = [];
  const storage = running(place, logged);
  copyFileSync(place.backup, place.file);
  // So many that SQLite would write them into the file.
  for (let at = 0; at < 3000; at += 1) storage.inventory.write(`d${at}`, { v: 'x'.repeat(2000) });
  expect(storage.logins.write('after', { v: 2 })).toBe(true);
  storage.close();
  const { rows, mayLackChanges } = whatIsLeft(place);
  expect([rows[0], mayLackChanges, logged.length]).toEqual([['of an earlier run', 'before', 'after'], true, 1]);
});

test.each(OVERWRITTEN.slice(1))('a history that is asked for is read anew where the database is %s', (_, happens) => {
  const place = folder();
  const before = running(place, []);
  // More than SQLite keeps in memory.
  for (let key = 3; key < 2000; key += 1)
    before.writes.put({ key, at: 1, device: 'd', feature: 'f', facts: { text: 'x'.repeat(2000) }, isLive: false, isListed: true }, false);
  before.close();
  const storage = openStorage(place.dir, recordingLog([]));
  onTestFinished(() => storage.close());
  happens(place);
  expect(storage.writes.newest({}, 3000).map(({ key }) => key)).toEqual([1]);
});

/** So many changes that the look of each minute moves SQLite's log into the file. */
const fillLog = ({ inventory }: ReturnType<typeof running>): void => {
  for (let at = 0; at < 3100; at += 1) inventory.write(`device ${at}`, { v: 'x'.repeat(100) });
};

/** The look of a minute. */
const look = (storage: ReturnType<typeof running>): Promise<void> =>
  storage.watchFiles(aMinute(), new AbortController().signal, () => undefined).catch(() => undefined);

test('neither a command nor a bunch of values waits until the log is moved into the file', async () => {
  const place = folder();
  const storage = running(place, []);
  onTestFinished(() => storage.close());
  const before = readFileSync(place.file);
  fillLog(storage);
  storage.flush();
  expect(readFileSync(place.file).equals(before)).toBe(true);
  await look(storage);
  expect(readFileSync(place.file).equals(before)).toBe(false);
});

test('a flood of changes does not fill the disk with the log', () => {
  const place = folder();
  const storage = running(place, []);
  onTestFinished(() => storage.close());
  const logBytes = Array.from({ length: 8 }, () => {
    for (let round = 0; round < 10; round += 1)
      storage.writes.together(() => {
        for (let at = 0; at < 500; at += 1) storage.inventory.write(`device ${at}`, { v: `${'x'.repeat(100)} ${round} ${Math.random()}` });
      });
    return statSync(`${place.file}-wal`).size;
  });
  expect(logBytes.at(-1)).toBe(logBytes.at(-2));
});

test('an overwritten file is not taken for the own one by a look that moves the log', async () => {
  const place = folder();
  const storage = running(place, []);
  fillLog(storage);
  copyFileSync(place.backup, place.file);
  await look(storage);
  storage.close();
  expect(whatIsLeft(place)).toMatchObject({ rows: [['of an earlier run', 'before'], []], mayLackChanges: true });
});

test.each<[how: string, happens: (place: Folder, storage: ReturnType<typeof running>) => unknown]>([
  ['twice within a moment', ({ file }) => truncateSync(file)],
  [
    'by a copy that was made in the same run',
    async ({ file, backup }, storage) => {
      fillLog(storage);
      await look(storage);
      copyFileSync(file, backup);
      fillLog(storage);
      await look(storage);
      copyFileSync(backup, file);
    },
  ],
])('a database that is overwritten %s loses nothing that must survive', async (_, happens) => {
  const place = folder();
  const storage = running(place, []);
  writeFileSync(place.file, 'x'.repeat(200_000));
  storage.logins.write('since', { v: 1 });
  await happens(place, storage);
  expect(storage.logins.write('after', { v: 2 })).toBe(true);
  storage.close();
  expect(whatIsLeft(place)).toEqual({ rows: [['of an earlier run', 'before', 'since', 'after'], []], open: [1], mayLackChanges: true });
});

test('of calls all that count are written anew, once each, where the database is overwritten', () => {
  const place = folder();
  const storage = running(place, []);
  const lines = Array.from({ length: 8 }, (_, at) => ({ kind: 'call', at, poll: true, cause: 'poll' }) as const);
  storage.calls.holds(() => lines);
  for (const line of lines) storage.calls.append(line);
  writeFileSync(place.file, 'x'.repeat(200_000));
  storage.logins.write('after', { v: 2 });
  storage.close();
  const again = openStorage(place.dir, recordingLog([]));
  onTestFinished(() => again.close());
  expect(again.calls.kept).toEqual(lines);
});

test('an older file beside the log of a killed bridge is set aside where only indexes tell that the two do not fit', () => {
  const [place, killed] = [folder(), folder()];
  running(place, []).close();
  copyFileSync(place.file, killed.file);
  // The last change is to no index, so that the log holds the row and its neighbours alone.
  const connection = new DatabaseSync(place.file);
  onTestFinished(() => connection.close());
  connection.exec("UPDATE writes SET key = key + 10; PRAGMA wal_checkpoint(TRUNCATE); UPDATE writes SET facts = '[]' WHERE key = 11");
  copyFileSync(`${place.file}-wal`, `${killed.file}-wal`);
  expect(whatIsLeft(killed)).toEqual({ rows: [[], []], open: [], mayLackChanges: true });
  expect(readdirSync(killed.dir).filter((name) => name.includes('.damaged-'))).not.toEqual([]);
});

test('a chart is not mixed with another one where its database was overwritten', () => {
  const place = folder();
  const storage = running(place, []);
  storage.series.append([{ series: 'temp', at: 1, value: 21 }], 0);
  storage.flush();
  copyFileSync(place.backup, place.file);
  expect(storage.logins.write('after', { v: 2 })).toBe(true);
  storage.series.append([{ series: 'temp', at: 700_000, value: 22 }], 0);
  storage.close();
  const next = openStorage(place.dir, recordingLog([]));
  next.series.append([{ series: 'pressure', at: 800_000, value: 1.5 }], 0);
  expect([next.series.read('temp', 0), next.series.read('pressure', 0)]).toEqual([
    [{ at: 700_000, value: 22 }],
    [{ at: 800_000, value: 1.5 }],
  ]);
  next.close();
});

test('a write that must survive is refused where the database cannot be written anew', () => {
  const place = folder();
  const storage = running(place, []);
  rmSync(place.dir, { recursive: true });
  writeFileSync(place.dir, 'a file where the folder was');
  expect(storage.logins.write('after', { v: 2 })).toBe(false);
  storage.close();
});

test('a file that is only touched stays as it is', () => {
  const place = folder();
  const logged: Logged = [];
  const storage = running(place, logged);
  const { ino } = statSync(place.file);
  truncateSync(place.file, statSync(place.file).size);
  expect(storage.logins.write('after', { v: 2 })).toBe(true);
  expect([statSync(place.file).ino, logged]).toEqual([ino, []]);
  storage.close();
});

test('a database that another bridge has since is left to it', () => {
  const place = folder();
  const logged: Logged = [];
  const storage = openStorage(place.dir, recordingLog(logged), { isKept: () => false, ensureSocket: async () => undefined });
  rmSync(place.file);
  const other = openStorage(place.dir, recordingLog([]));
  other.logins.write('of the other', { v: 1 });
  expect(storage.logins.write('after', { v: 2 })).toBe(false);
  storage.close();
  other.close();
  expect(whatIsLeft(place).rows[0]).toEqual(['of the other']);
  expect(logged.map(({ level }) => level)).toEqual(['warn']);
});
