import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod/mini';
import { keepInventory, readInventory } from '../../../src/bridge/state/deviceInventory.ts';
import { remoteLogin } from '../../../src/platform/auth/remoteLogin.ts';
import { Database } from '../../../src/storage/database.ts';
import { publishedTopicRepository } from '../../../src/storage/publishedTopicRepository.ts';
import { openStorage } from '../../../src/storage/storage.ts';
import { databaseIn, folder, noLockWaits, powerCut } from '../../support/system/database.ts';
import { recordingLog } from '../../support/system/testSystem.ts';

test('another program that holds the write lock does not stop the loop for seconds at each write', () => {
  const dir = folder();
  const waits = noLockWaits();
  const storage = openStorage(dir, recordingLog([]));
  onTestFinished(() => storage.close());
  const write = (until: number): void => storage.calls.append({ kind: 'pause', at: 1, until });
  const other = new DatabaseSync(databaseIn(dir));
  other.exec('BEGIN IMMEDIATE');
  onTestFinished(() => other.close());
  for (let at = 1; at <= 4; at += 1) write(at);
  // The first write waits for two seconds, the others not at all.
  expect(waits).toEqual([2000, 0]);
  other.exec('ROLLBACK');
  write(5);
  expect(waits).toEqual([2000, 0, 2000]);
});

test('an error of the disk while a pending login is read does not end the process', async () => {
  const broken = () => {
    throw Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode: 10 });
  };
  const login = remoteLogin({
    tokens: { state: () => ({ state: 'login_needed' }) },
    identity: { begin: async () => ({ address: 'a', state: 's', code_verifier: 'v' }) },
    pending: { read: broken, write: () => false },
    client: 'c',
    log: recordingLog([]),
  } as never);
  // app.ts calls `void login?.look()`: a rejection ends the process.
  await expect(login.look()).resolves.toBeUndefined();
});

/** What a process would leave behind whose machine loses power now. */
const cutNow = (dir: string): string => {
  const copy = folder();
  for (const name of readdirSync(dir)) writeFileSync(join(copy, name), readFileSync(join(dir, name)), { mode: 0o600 });
  powerCut(copy);
  return copy;
};

test('`forget` or a kill after a power cut does not forget that calls and topics may be missing', () => {
  const first = folder();
  const storage = openStorage(first, recordingLog([]));
  storage.publishedTopics.write([{ kind: 'held', topic: 't', owner: 'o', hash: 'h' }]);
  const dir = cutNow(first);
  storage.close();
  const forgetting = openStorage(dir, recordingLog([]));
  expect([forgetting.mayLackChanges, forgetting.calls.lost]).toEqual([true, 15]);
  // `forget` makes no RateLimiter, and a bridge may be stopped before it has looked at the broker.
  forgetting.close();
  const bridge = openStorage(dir, recordingLog([]));
  onTestFinished(() => bridge.close());
  expect([bridge.mayLackChanges, bridge.calls.lost]).toEqual([true, 15]);
});

test('an index that somebody added is no damage', () => {
  const dir = folder();
  const storage = openStorage(dir, recordingLog([]));
  storage.logins.write('g/0 f', { running: 1 });
  storage.close();
  const other = new DatabaseSync(databaseIn(dir));
  other.exec('CREATE INDEX mine ON features (name)');
  other.close();
  const again = openStorage(dir, recordingLog([]));
  onTestFinished(() => again.close());
  expect([...again.logins.read().keys()]).toEqual(['g/0 f']);
});

/** A database whose disk does not take statements of this kind while it is full. */
const onFullDisk = (refused: string) => {
  const dir = folder();
  const real = new DatabaseSync(databaseIn(dir));
  real.exec('CREATE TABLE t (a INTEGER)');
  const disk = { isFull: true, isBehind: false, committedWith: '' };
  const run = (sql: string): void => {
    if (sql.startsWith(refused) && disk.isFull)
      throw Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 });
    if (sql === 'COMMIT') disk.committedWith = String(real.prepare('PRAGMA synchronous').get()?.['synchronous']);
  };
  const connection = {
    get isTransaction() {
      return real.isTransaction;
    },
    exec: (sql: string) => real.exec(sql),
    prepare: (sql: string) => {
      const statement = real.prepare(sql);
      return {
        all: (...values: never[]) => {
          run(sql);
          return statement.all(...values);
        },
        run: (...values: never[]) => {
          run(sql);
          return statement.run(...values);
        },
      };
    },
    close: () => real.close(),
  } as unknown as DatabaseSync;
  const database = new Database({
    file: databaseIn(dir),
    connection,
    connect: () => connection,
    missing: 'nothing',
    readAnew: [],
    isAlone: () => true,
    onBehind: (isBehind) => {
      disk.isBehind = isBehind;
    },
    log: recordingLog([]),
  });
  return { database, disk };
};
const insert = (a: number) => [{ row: `row ${a}`, sql: `INSERT INTO t VALUES (${a})` }];
/** `PRAGMA synchronous` */
const FULL = '2';

test('what had to be durable and failed is durable once the disk takes it', () => {
  const { database, disk } = onFullDisk('COMMIT');
  expect(database.write(insert(1), 'durable')).toBe(false);
  disk.isFull = false;
  // As the next counted call does.
  expect(database.write(insert(2))).toBe(true);
  expect(disk.committedWith).toBe(FULL);
});

test('what is written together is not kept where the disk does not take it, and is written with the next change', () => {
  const { database, disk } = onFullDisk('COMMIT');
  const write = (): boolean => database.write(insert(1), 'durable');
  expect(database.together(write)).toMatchObject({ isKept: false });
  expect(disk.isBehind).toBe(true);
  disk.isFull = false;
  expect(database.write(insert(2))).toBe(true);
  expect(disk).toMatchObject({ isBehind: false, committedWith: FULL });
});

test('of a row that changes while the disk takes nothing only the last change waits', () => {
  const { database, disk } = onFullDisk('COMMIT');
  const row = (sql: string) => [{ row: 'one row', sql }];
  for (let change = 0; change < 3; change += 1) expect(database.write(row(`INSERT INTO t VALUES (${change})`))).toBe(false);
  disk.isFull = false;
  expect(database.write(insert(7))).toBe(true);
  expect(database.rows(z.object({ a: z.number() }), 'SELECT a FROM t ORDER BY a')).toEqual([{ a: 2 }, { a: 7 }]);
});

test('a database that was overwritten while the disk was full is doubted by the next start, as it begins anew once there is room', () => {
  const file = databaseIn(folder());
  let isFull = false;
  const connect = (): DatabaseSync => {
    if (isFull) throw Object.assign(new Error('no room'), { code: 'ENOSPC', syscall: 'open' });
    const connection = new DatabaseSync(file);
    onTestFinished(() => connection[Symbol.dispose]());
    connection.exec('PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS t (a INTEGER)');
    return connection;
  };
  const behind: boolean[] = [];
  const onBehind = (isBehind: boolean): void => void behind.push(isBehind);
  const parts = { file, connect, missing: 'nothing', readAnew: [], isAlone: () => true, onBehind, log: recordingLog([]) } as const;
  const database = new Database({ ...parts, connection: connect() });
  database.moveLog();
  writeFileSync(file, 'x'.repeat(20_000));
  isFull = true;
  expect(database.write(insert(1))).toBe(false);
  isFull = false;
  expect(database.write(insert(2))).toBe(true);
  expect(database.rows(z.object({ a: z.number() }), 'SELECT a FROM t ORDER BY a')).toEqual([{ a: 1 }, { a: 2 }]);
  expect(behind.at(-1)).toBe(true);
});

test('what is written together after the end is not kept', () => {
  const { database } = onFullDisk('nothing');
  database.close();
  expect(database.together(() => database.write(insert(1)))).toMatchObject({ isKept: false });
});

test('after a power cut no checkpoint is believed, also where the disk takes nothing at the start', () => {
  const dir = folder();
  const storage = openStorage(dir, recordingLog([]));
  storage.publishedTopics.write([
    { kind: 'held', topic: 't', owner: 'o', hash: 'h' },
    { kind: 'checkpoint', id: 1 },
  ]);
  storage.close();
  const connection = new DatabaseSync(databaseIn(dir), { readOnly: true });
  onTestFinished(() => connection.close());
  const database = new Database({
    file: databaseIn(dir),
    connection,
    connect: () => connection,
    missing: 'committed',
    readAnew: [],
    isAlone: () => true,
    onBehind: () => undefined,
    log: recordingLog([]),
  });
  const { held, checkpointId } = publishedTopicRepository(database);
  expect([[...held.keys()], checkpointId]).toEqual([['t'], undefined]);
});

test('a device that a killed first list left behind does not come back', () => {
  const dir = folder();
  const storage = openStorage(dir, recordingLog([]));
  onTestFinished(() => storage.close());
  const device = (gateway: string) => ({ installation: '1', gateway, device: '0', roles: [] });
  // Killed after the devices, before `listing`.
  storage.inventory.write('old/0', device('old'));
  expect(readInventory(storage.inventory)).toBeUndefined();
  keepInventory(storage.inventory, { listed_at_ms: 1, devices: [device('new')] });
  expect(readInventory(storage.inventory)?.devices.map(({ gateway }) => gateway)).toEqual(['new']);
});

test('what a table cannot hold is left out and told once, and keeps nothing else from the disk', () => {
  const dir = folder();
  const logged: { level: string; facts: object; sentence: string }[] = [];
  const storage = openStorage(dir, recordingLog(logged));
  for (const at of [1.5, 2, 2.5, 3]) storage.calls.append({ kind: 'call', at, poll: true, cause: 'poll' });
  storage.close();
  expect(logged).toMatchObject([
    {
      level: 'error',
      facts: { why: expect.stringContaining('calls.at') },
      sentence: 'the database rejected a row, which is not stored; please report it',
    },
  ]);
  const kept = new DatabaseSync(databaseIn(dir));
  onTestFinished(() => kept.close());
  expect(kept.prepare('SELECT at FROM calls ORDER BY at').all()).toEqual([{ at: 2 }, { at: 3 }]);
});
