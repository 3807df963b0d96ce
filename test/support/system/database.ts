import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { onTestFinished, vi } from 'vitest';
import { isRecord } from '../../../src/shared/json.ts';
import { DATABASE_NAME } from '../../../src/storage/dataDir.ts';
import { openStorage, type Storage } from '../../../src/storage/storage.ts';
import { recordingLog, tempDir } from './testSystem.ts';

/** The database of a data folder. */
export const databaseIn = (dir: string): string => join(dir, DATABASE_NAME);

/** Works on the database of a data folder, beside a running bridge or after its end. */
export const inDatabase = <T>(dir: string, work: (database: DatabaseSync) => T): T => {
  const database = new DatabaseSync(databaseIn(dir), { timeout: 5000 });
  try {
    return work(database);
  } finally {
    database.close();
  }
};

/** Empties tables, as if they had been lost. */
export const emptied = (dir: string, ...tables: readonly string[]): void =>
  inDatabase(dir, (database) => database.exec(tables.map((table) => `DELETE FROM ${table}`).join(';')));

/** The tables of what was read from the platform, and of what was published. */
export const STATE = ['features', 'devices'] as const;
export const PUBLISHED = ['published_topics'] as const;

/** The JSON values of a table, by key. */
export const valuesIn = (
  dir: string,
  table: string,
  key = 'key',
  value = 'value',
): ReadonlyMap<string, Readonly<Record<string, unknown>>> => {
  if (!existsSync(databaseIn(dir))) return new Map();
  const rows = inDatabase(dir, (database) => database.prepare(`SELECT ${key} AS key, ${value} AS value FROM ${table}`).all());
  return new Map(
    rows.map((row) => {
      const parsed: unknown = JSON.parse(String(row['value']));
      return [String(row['key']), isRecord(parsed) ? parsed : {}];
    }),
  );
};

/** Changes the JSON values of a table as text. */
export const changeValues = (dir: string, table: string, change: (text: string) => string, value = 'value'): void =>
  inDatabase(dir, (database) => {
    const put = database.prepare(`UPDATE ${table} SET ${value} = ? WHERE key = ?`);
    for (const row of database.prepare(`SELECT key, ${value} AS value FROM ${table}`).all())
      put.run(change(String(row['value'])), row['key'] ?? null);
  });

/** Puts JSON values into a table in the place of all that were there. */
export const putValues = (dir: string, table: string, values: Readonly<Record<string, object>>): void =>
  inDatabase(dir, (database) => {
    database.exec(`DELETE FROM ${table}`);
    const put = database.prepare(`INSERT INTO ${table} (key, value) VALUES (?, ?)`);
    for (const [key, value] of Object.entries(values)) put.run(key, JSON.stringify(value));
  });

/** What is stored of the writes of which something is open, as far as they were sent. */
export const writesIn = (dir: string): readonly Readonly<Record<string, unknown>>[] =>
  [...valuesIn(dir, '(SELECT * FROM writes WHERE live = 1 ORDER BY key)', 'key', 'facts').values()].filter(
    ({ state }) => state !== 'queued' && state !== 'waiting',
  );

/** Puts a write into the table that was sent and has no answer. */
export const putSent = (dir: string, key: number, device: string, feature: string, facts: object): void =>
  inDatabase(dir, (database) => {
    const sql = 'INSERT INTO writes (key, at, device, feature, facts, live, listed) VALUES (?, 0, ?, ?, ?, 1, 0)';
    database.prepare(sql).run(key, device, feature, JSON.stringify({ state: 'sent', answer: 'open', name: 'home', ...facts }));
  });

/** How many calls are counted. */
export const callsIn = (dir: string): number =>
  existsSync(databaseIn(dir)) ? Number(inDatabase(dir, (database) => database.prepare('SELECT count(*) AS n FROM calls').get())?.['n']) : 0;

/** How many calls the next start counts after a kill: what is written, what earlier kills may have lost, and what this one may have. */
export const presumedCallsIn = (dir: string): number => {
  if (!existsSync(databaseIn(dir))) return 0;
  const lost = inDatabase(dir, (database) => database.prepare("SELECT value FROM meta WHERE name = 'lost_calls'").get());
  return callsIn(dir) + Number(lost?.['value'] ?? 0) + 7;
};

/** The write-ahead log as it is now. */
export const logOf = (dir: string): Buffer => readFileSync(`${databaseIn(dir)}-wal`);

/**
 * What a process that was killed has left becomes what a power cut leaves: another start of the machine. `durableLog`: the write-ahead log
 * (`logOf`) as the last durable change has brought it to the disk; what came after it is lost.
 */
export const powerCut = (dir: string, durableLog?: Buffer): void => {
  const log = `${databaseIn(dir)}-wal`;
  if (durableLog) writeFileSync(log, durableLog);
  inDatabase(dir, (database) => database.exec("UPDATE meta SET value = 'an earlier boot' WHERE name = 'opened_in'"));
  // Removed with the last connection; after a power cut there is one.
  writeFileSync(log, '');
};

/** Until the test ends, `src` does not wait for locks of databases; gives how long it would wait (ms), as it was set. */
export const noLockWaits = (): readonly number[] => {
  const waits: number[] = [];
  const real = process.getBuiltinModule;
  class Impatient extends DatabaseSync {
    constructor(path: string, options: ConstructorParameters<typeof DatabaseSync>[1] = {}) {
      super(path, { ...options, timeout: 0 });
      waits.push(options.timeout ?? 0);
    }
  }
  const sqlite = { ...real('node:sqlite'), DatabaseSync: Impatient };
  const spy = vi
    .spyOn(process, 'getBuiltinModule')
    .mockImplementation(((id: string) => (id === 'node:sqlite' ? sqlite : real(id))) as never);
  // Locks share a connection, which may be there already.
  const { exec } = DatabaseSync.prototype;
  const execSpy = vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (this: DatabaseSync, sql: string): void {
    const [, ms] = /^PRAGMA busy_timeout = (\d+)$/.exec(sql) ?? [];
    if (ms === undefined) exec.call(this, sql);
    else waits.push(Number(ms));
  });
  onTestFinished(() => {
    spy.mockRestore();
    execSpy.mockRestore();
  });
  return waits;
};

/** A data folder for one test. */
export const folder = (): string => {
  const dir = tempDir();
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
};

/** Runs on one data folder: `start` ends the run before and begins the next. */
export const storageRuns = () => {
  const dir = folder();
  let last: Storage | undefined;
  const end = (): void => last?.close();
  onTestFinished(end);
  const start = (): Storage => {
    end();
    last = openStorage(dir, recordingLog([]));
    return last;
  };
  return { dir, start, end };
};
