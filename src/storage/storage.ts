import { join } from 'node:path';
import type { Clock } from '../shared/clock.ts';
import type { Log } from '../shared/log.ts';
import type { DatabaseFollower } from './backup/databaseCopy.ts';
import { callRepository } from './callRepository.ts';
import { touchComplete } from './completeFile.ts';
import { DATABASE_NAME } from './dataDir.ts';
import { deviceStateRepository } from './deviceStateRepository.ts';
import { durableTable, jsonTable, performanceTable } from './jsonTable.ts';
import type { Lock } from './lock.ts';
import { MIGRATIONS } from './migrations.ts';
import { openDatabase } from './openDatabase.ts';
import { publishedTopicRepository } from './publishedTopicRepository.ts';
import { setMeta } from './rowChange.ts';
import { seriesRepository } from './seriesRepository.ts';
import { writeRepository } from './writeRepository.ts';

const WATCH_MS = 60_000;
/** Minutes between writes of pending changes. Limits the loss after a kill, and SD card wear. */
const FLUSH_MINUTES = 30;

/** Everything that is kept over restarts, except the tokens. */
export type Storage = ReturnType<typeof openStorage>;

/**
 * Opens the database in `data_dir` with its repositories. `follower` keeps a copy. Throws as `openDatabase`.
 */
export const openStorage = (dir: string, log: Log, lock?: Pick<Lock, 'isKept' | 'ensureSocket'>, follower?: DatabaseFollower) => {
  const isAlone = (): boolean => lock?.isKept() ?? true;
  const database = openDatabase(dir, log, MIGRATIONS, isAlone, follower);
  let isSearched = database.missing !== 'committed';
  let minutes = 0;
  return {
    /** True if an unclean end may have left unknown topics, until the broker is searched. */
    get mayLackChanges(): boolean {
      return !isSearched || database.meta('search_broker') !== undefined;
    },
    brokerSearched: (): void => {
      isSearched = true;
      database.write([setMeta('search_broker', undefined)]);
    },
    publishedTopics: publishedTopicRepository(database),
    deviceStates: deviceStateRepository(database),
    calls: callRepository(database),
    writes: writeRepository(database),
    composites: jsonTable(database, 'composites'),
    runningTotals: jsonTable(database, 'running_totals'),
    lastAnswers: jsonTable(database, 'last_answers'),
    accountRefusals: jsonTable(database, 'account_refusals'),
    faults: jsonTable(database, 'faults'),
    seasons: jsonTable(database, 'seasons', 'durable'),
    performance: performanceTable(database),
    past: jsonTable(database, 'past', 'durable'),
    plans: jsonTable(database, 'plans', 'durable'),
    frozen: { states: jsonTable(database, 'frozen', 'waiting'), told: jsonTable(database, 'frozen_told') },
    documents: jsonTable(database, 'documents', 'durable'),
    inventory: jsonTable(database, 'inventory'),
    logins: durableTable(database, 'logins'),
    series: seriesRepository(database),
    /**
     * Checks once a minute for files that another program (clean-up) deleted, replaced or overwritten, and
     * recreates them; `also` checks other parts. Regularly writes pending changes. Rejects when aborted.
     */
    watchFiles: async (clock: Clock, signal: AbortSignal, also: () => void): Promise<never> => {
      for (;;) {
        await clock.sleep(WATCH_MS, signal);
        if (!isAlone()) continue;
        await lock?.ensureSocket();
        database.ensureFile();
        minutes += 1;
        if (minutes % FLUSH_MINUTES === 0) database.flush();
        touchComplete(join(dir, DATABASE_NAME));
        also();
      }
    },
    /** Writes the pending changes. */
    flush: (): void => database.flush(),
    close: (): void => database.close(),
  };
};
