import type { Clock } from '../shared/clock.ts';
import type { Log } from '../shared/log.ts';
import { CallRepository } from './callRepository.ts';
import { ChangeRepository } from './changeRepository.ts';
import { DeviceStateRepository } from './deviceStateRepository.ts';
import { JournalRepository } from './journalRepository.ts';
import { durableTable, jsonTable } from './jsonTable.ts';
import { openDatabase } from './openDatabase.ts';
import { PublishedTopicRepository } from './publishedTopicRepository.ts';
import { setMeta } from './rowChange.ts';
import { SeriesRepository } from './seriesRepository.ts';

const WATCH_MS = 60_000;

/** Everything that is kept over restarts, but for the tokens. */
export type Storage = ReturnType<typeof openStorage>;

/** Opens the database in `data_dir` with its repositories. Throws as `openDatabase`. */
export const openStorage = (dir: string, log: Log) => {
  const database = openDatabase(dir, log);
  return {
    /** True where an earlier run may have published more than is known, as the machine ended too early; until the broker was searched. */
    mayLackChanges: database.mayLackChanges || database.meta('search_broker') !== undefined,
    brokerSearched: (): void => void database.write([setMeta('search_broker', undefined)]),
    publishedTopics: new PublishedTopicRepository(database),
    deviceStates: new DeviceStateRepository(database),
    journal: new JournalRepository(database),
    calls: new CallRepository(database),
    changes: new ChangeRepository(database),
    undo: durableTable(database, 'undo'),
    overrides: durableTable(database, 'overrides'),
    drafts: durableTable(database, 'drafts'),
    waiting: jsonTable(database, 'waiting_commands'),
    composites: jsonTable(database, 'composites'),
    runningTotals: jsonTable(database, 'running_totals'),
    documents: jsonTable(database, 'documents', { survives: 'lost log' }),
    inventory: jsonTable(database, 'inventory'),
    logins: durableTable(database, 'logins'),
    series: new SeriesRepository(database),
    /** Looks once a minute whether another program has deleted, replaced or overwritten the file; rejects when the signal is aborted. */
    watchFile: async (clock: Clock, signal: AbortSignal): Promise<never> => {
      for (;;) {
        await clock.sleep(WATCH_MS, signal);
        database.ensureFile();
      }
    },
    close: (): void => database.close(),
  };
};
