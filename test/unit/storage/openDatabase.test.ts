import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { recordOf } from '../../../src/features/parseFeature.ts';
import { UsageError } from '../../../src/shared/errors.ts';
import { MIGRATIONS } from '../../../src/storage/migrations.ts';
import { openDatabase, readBeside } from '../../../src/storage/openDatabase.ts';
import { openStorage, type Storage } from '../../../src/storage/storage.ts';
import { featureOf } from '../../support/devices/features.ts';
import { databaseIn, folder, inDatabase, logOf, noLockWaits, powerCut } from '../../support/system/database.ts';
import { recordingLog } from '../../support/system/testSystem.ts';

const setUp = () => {
  const dir = folder();
  const logged: { level: string; facts: object; sentence: string }[] = [];
  const openIn = (one: string) => (): Storage => {
    const storage = openStorage(one, recordingLog(logged));
    onTestFinished(storage.close);
    return storage;
  };
  /** Copies what a process that is killed now would leave behind, into a folder of its own. */
  const killed = (): { readonly dir: string; readonly open: () => Storage } => {
    const copy = folder();
    for (const name of readdirSync(dir)) writeFileSync(join(copy, name), readFileSync(join(dir, name)), { mode: 0o600 });
    return { dir: copy, open: openIn(copy) };
  };
  const open = openIn(dir);
  /** A run that has written a little of everything, and has ended. */
  const run = (): void => {
    const first = open();
    fill(first);
    first.close();
  };
  return { dir, logged, open, run, killed, file: databaseIn(dir) };
};

const FEATURE = featureOf('f', {});
const RECORD = recordOf(FEATURE);
const WRITE = { key: 1, at: 1, device: 'd', feature: 'f', facts: { a: 1 }, isLive: true, isListed: false };

const FACTS = { reads: [{ at: 7, chosen: 'all' }], availability: 'online', absences: { a: { since_ms: 5, reads: 2 } } } as const;

/** A little of everything. */
const fill = ({ publishedTopics, deviceStates, calls, writes, logins, brokerSearched }: Storage): void => {
  brokerSearched();
  publishedTopics.write([{ kind: 'sending', topic: 't', owner: 'o' }]);
  publishedTopics.write([
    { kind: 'held', topic: 't', owner: 'o', hash: 'h' },
    { kind: 'checkpoint', id: 1 },
  ]);
  deviceStates.keeps(() => [{ device: 'g/0', facts: FACTS, features: [{ feature: FEATURE }] }]);
  calls.append({ kind: 'call', at: 5, poll: true, cause: 'poll' });
  writes.put(WRITE, true);
  logins.write('u', { b: 2 });
};

const believed = ({ mayLackChanges, publishedTopics, deviceStates, calls }: Storage) => ({
  mayLackChanges,
  held: [...publishedTopics.held.keys()],
  checkpointId: publishedTopics.checkpointId,
  features: deviceStates.features('g/0'),
  facts: deviceStates.facts('g/0'),
  lost: calls.lost,
});

const ALL = {
  mayLackChanges: false,
  held: ['t'],
  checkpointId: 1,
  features: [{ name: 'f', record: RECORD }],
  facts: FACTS,
  lost: 0,
};
/** The topics stay ours and what a document offered stays; everything else has to be found out anew. */
const DOUBTED = {
  mayLackChanges: true,
  held: ['t'],
  checkpointId: undefined,
  features: [{ name: 'f', offered: RECORD }],
  facts: undefined,
  lost: 15,
};

/** As a bridge does it: the lost calls are counted, and the broker is searched. */
const goOn = ({ calls, brokerSearched }: Storage): void => {
  calls.rewrite([]);
  brokerSearched();
};

const durable = ({ writes, logins }: Storage) => [writes.left.length, logins.read().size];

describe('what an earlier run has written', () => {
  test('is believed after a clean end', () => {
    const { open, run } = setUp();
    run();
    expect(believed(open())).toEqual(ALL);
  });

  test('is doubted after a kill, as some of it waits in memory, but for the names of topics', () => {
    const { open, killed } = setUp();
    const first = open();
    fill(first);
    const again = killed().open();
    expect(believed(again)).toEqual({ ...DOUBTED, mayLackChanges: false, features: [], lost: 5 });
    expect(durable(again)).toEqual([1, 1]);
    first.flush();
    expect(believed(killed().open())).toEqual({ ...DOUBTED, mayLackChanges: false, lost: 5 });
  });

  test('of checkpoints uses no id twice, also where the first was not written', () => {
    const { open, killed } = setUp();
    open().publishedTopics.write([{ kind: 'nextCheckpoint', id: 3 }]);
    expect(killed().open().publishedTopics.lastCheckpointId).toBeGreaterThan(3);
  });

  test('of calls counts for each kill, until they are counted as others', () => {
    const { open, killed } = setUp();
    open();
    const left = killed();
    const lost = [1, 2, 3].map(() => {
      const storage = left.open();
      storage.close();
      inDatabase(left.dir, (database) => database.exec("UPDATE meta SET value = 'an earlier boot' WHERE name = 'opened_in'"));
      return storage.calls.lost;
    });
    expect(lost).toEqual([5, 20, 35]);
  });

  test('is doubted after a power cut, but for what has to be durable', () => {
    const { open, killed } = setUp();
    const first = open();
    fill(first);
    first.flush();
    const left = killed();
    powerCut(left.dir);
    const again = left.open();
    expect(believed(again)).toEqual(DOUBTED);
    expect(durable(again)).toEqual([1, 1]);
    again.close();
    // Also at the next start, as long as the calls are not counted and the broker is not searched.
    const next = left.open();
    expect(believed(next)).toEqual(DOUBTED);
    goOn(next);
    next.close();
    expect(believed(left.open())).toEqual({ ...DOUBTED, mayLackChanges: false, lost: 0 });
  });

  test('and was durable outlasts a power cut that takes the rest of the log', () => {
    const { dir, open, killed } = setUp();
    const { logins, deviceStates, flush } = open();
    logins.write('u', { b: 2 });
    const durableLog = logOf(dir);
    deviceStates.keeps(() => [{ device: 'g/0', facts: FACTS, features: [{ feature: FEATURE }] }]);
    flush();
    const left = killed();
    powerCut(left.dir, durableLog);
    const again = left.open();
    expect([again.logins.read().size, again.deviceStates.features('g/0')]).toEqual([1, []]);
  });

  test('is doubted where a copy was made without the write-ahead log', () => {
    const { open, killed } = setUp();
    fill(open());
    const left = killed();
    for (const end of ['-wal', '-shm']) rmSync(`${databaseIn(left.dir)}${end}`);
    expect(left.open().mayLackChanges).toBe(true);
  });
});

describe('what is written together', () => {
  const write = ({ writes, logins }: Storage): void => {
    writes.put(WRITE, true);
    logins.write('u', { b: 2 });
  };

  test('is on disk as a whole or not at all', () => {
    const { open, killed } = setUp();
    const storage = open();
    const { result, isKept } = storage.writes.together(() => {
      write(storage);
      return killed();
    });
    expect(isKept).toBe(true);
    expect(durable(result.open())).toEqual([0, 0]);
    expect(durable(killed().open())).toEqual([1, 1]);
  });

  test('is on disk with what it is a part of', () => {
    const { open, killed } = setUp();
    const storage = open();
    const { result } = storage.writes.together(() => {
      storage.writes.together(() => write(storage));
      return killed();
    });
    expect(durable(result.open())).toEqual([0, 0]);
    expect(durable(killed().open())).toEqual([1, 1]);
  });

  test('is written although the work fails in the midst of it', () => {
    const { open, killed } = setUp();
    const storage = open();
    const work = (): never => {
      storage.writes.put(WRITE, true);
      throw new Error('a fault');
    };
    expect(() => storage.writes.together(work)).toThrow('a fault');
    expect(durable(killed().open())).toEqual([1, 0]);
  });
});

const changed =
  (sql: string) =>
  (file: string): void => {
    const database = new DatabaseSync(file);
    database.exec(sql);
    database.close();
  };

describe('a database that cannot be used', () => {
  test.each([
    ['of another format', (file: string) => writeFileSync(file, 'something else')],
    [
      'with nonsense after its first bytes',
      (file: string) => writeFileSync(file, Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(4096, 0xab)])),
    ],
    ['that is empty', (file: string) => writeFileSync(file, '')],
    ['that was cut', (file: string) => truncateSync(file, 9000)],
    ['of which a table is missing', changed('DROP TABLE calls')],
    ['of a version before the first release', changed('PRAGMA user_version = 5')],
    ['that is a folder', (file: string) => mkdirSync(file)],
    ['that is a link', (file: string) => symlinkSync('/dev/zero', file)],
  ])('%s is set aside, with one warning', (_, spoil) => {
    const { dir, file, open, logged, run } = setUp();
    run();
    if (_.startsWith('that is a ')) rmSync(file);
    spoil(file);
    const again = open();
    expect(believed(again)).toEqual({ ...DOUBTED, held: [], features: [] });
    expect(logged).toMatchObject([
      { level: 'warn', sentence: expect.stringContaining('damaged; its file was renamed and a new one created. The login stays') },
    ]);
    expect(readdirSync(dir).filter((name) => name.startsWith('heating2mqtt.db.damaged-'))).toHaveLength(1);
    goOn(again);
    fill(again);
    again.close();
    expect(believed(open())).toEqual(ALL);
  });

  test('of a newer version is refused and stays as it is', () => {
    const { dir, file, open, logged } = setUp();
    open().close();
    inDatabase(dir, (database) => database.exec('PRAGMA user_version = 1000'));
    const before = readFileSync(file);
    expect(open).toThrow(UsageError);
    expect(open).toThrow(/^data_dir .* cannot be used: heating2mqtt.db was written by a newer version of heating2mqtt; run that version/);
    // So it is by a command that reads beside the bridge: what it would tell may be wrong.
    expect(() => readBeside(dir, 'faults')).toThrow(/was written by a newer version of heating2mqtt/);
    expect(readFileSync(file)).toEqual(before);
    expect(readdirSync(dir)).toEqual(['heating2mqtt.db', 'heating2mqtt.db.complete']);
    expect(logged).toEqual([]);
  });

  test('because another program holds it is left alone', () => {
    const { file, open } = setUp();
    open().close();
    const other = new DatabaseSync(file);
    onTestFinished(() => other.close());
    other.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    const waits = noLockWaits();
    expect(open).toThrow(/cannot be used now: another program has it open \(heating2mqtt.db\)$/);
    expect(waits).toEqual([2000, 2000]);
  });

  test.runIf(process.getuid?.() !== 0 && process.platform !== 'win32')('without the right to write says so', () => {
    const { file, open } = setUp();
    open().close();
    writeFileSync(file, readFileSync(file), { mode: 0o400 });
    expect(open).toThrow(/EACCES/);
  });
});

describe('the files', () => {
  test('are readable by their owner alone', () => {
    const { dir, open } = setUp();
    fill(open());
    for (const name of readdirSync(dir)) expect([name, statSync(join(dir, name)).mode & 0o077]).toEqual([name, 0]);
  });

  test('a step to a newer version keeps a copy of what was there', () => {
    const { dir, logged, run } = setUp();
    run();
    const steps = [...MIGRATIONS, "ALTER TABLE logins ADD COLUMN more TEXT DEFAULT 'x'"];
    openDatabase(dir, recordingLog(logged), steps).close();
    expect(inDatabase(dir, (database) => database.prepare('SELECT key, more FROM logins').all())).toEqual([{ key: 'u', more: 'x' }]);
    const copy = new DatabaseSync(join(dir, `heating2mqtt.db.version-${MIGRATIONS.length}`), { readOnly: true });
    onTestFinished(() => copy.close());
    expect(copy.prepare('SELECT * FROM logins').all()).toEqual([{ key: 'u', value: '{"b":2}' }]);
    expect(statSync(join(dir, `heating2mqtt.db.version-${MIGRATIONS.length}`)).mode & 0o077).toBe(0);
    expect(logged).toEqual([]);
  });

  test('only the last copy stays, for 30 days; of several steps it is the one before the first', () => {
    const { dir, run } = setUp();
    run();
    const copies = () => readdirSync(dir).filter((name) => name.includes('.version-'));
    const at = MIGRATIONS.length;
    writeFileSync(join(dir, `heating2mqtt.db.version-${at - 1}`), '');
    const steps = [...MIGRATIONS, 'CREATE TABLE one (a)', 'CREATE TABLE two (a)'];
    openDatabase(dir, recordingLog([]), steps).close();
    expect(copies()).toEqual([`heating2mqtt.db.version-${at}`]);
    const copy = join(dir, `heating2mqtt.db.version-${at}`);
    for (const [days, left] of [[29, 1] as const, [31, 0] as const]) {
      const seconds = Date.now() / 1000 - days * 86_400;
      utimesSync(copy, seconds, seconds);
      openDatabase(dir, recordingLog([]), steps).close();
      expect([days, copies().length]).toEqual([days, left]);
    }
  });

  test('a new database, and one that is an older copy, asks for a search of the broker until one was made, over kills too', () => {
    const { open, killed } = setUp();
    const { brokerSearched, publishedTopics } = open();
    expect(killed().open().mayLackChanges).toBe(true);
    brokerSearched();
    expect(killed().open().mayLackChanges).toBe(false);
    publishedTopics.write([{ kind: 'behind' }]);
    expect(killed().open().mayLackChanges).toBe(true);
    brokerSearched();
    expect(killed().open().mayLackChanges).toBe(false);
  });

  test('a step that fails leaves the database as it was', () => {
    const { dir, open, run } = setUp();
    run();
    expect(() => openDatabase(dir, recordingLog([]), [...MIGRATIONS, 'ALTER TABLE logins ADD COLUMN more TEXT; SELECT broken'])).toThrow();
    expect(existsSync(join(dir, `heating2mqtt.db.version-${MIGRATIONS.length}`))).toBe(true);
    expect(believed(open())).toEqual(ALL);
  });
});
