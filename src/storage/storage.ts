import type { Log } from '../shared/log.ts';
import { CallRepository } from './callRepository.ts';
import { ChangeRepository } from './changeRepository.ts';
import { DeviceStateRepository } from './deviceStateRepository.ts';
import { JournalRepository } from './journalRepository.ts';
import { jsonTable } from './jsonTable.ts';
import { openDatabase } from './openDatabase.ts';
import { PublishedTopicRepository } from './publishedTopicRepository.ts';
import { setMeta } from './rowChange.ts';
import { SeriesRepository } from './seriesRepository.ts';

/** Everything that is kept over restarts, but for the tokens. */
export type Storage = ReturnType<typeof openStorage>;

/** Opens the database in `data_dir` with its repositories. Throws as `openDatabase`. */
export const openStorage = (dir: string, log: Log) => {
  const database = openDatabase(dir, log);
  const durable = { survives: 'lost log' } as const;
  return {
    /** True where an earlier run may have published more than is known, as the machine ended too early; until the broker was searched. */
    mayLackChanges: database.mayLackChanges || database.meta('search_broker') !== undefined,
    brokerSearched: (): void => void database.write([setMeta('search_broker', undefined)]),
    publishedTopics: new PublishedTopicRepository(database),
    deviceStates: new DeviceStateRepository(database),
    journal: new JournalRepository(database),
    calls: new CallRepository(database),
    changes: new ChangeRepository(database),
    undo: jsonTable(database, 'undo', durable),
    overrides: jsonTable(database, 'overrides', durable),
    drafts: jsonTable(database, 'drafts', durable),
    composites: jsonTable(database, 'composites'),
    runningTotals: jsonTable(database, 'running_totals'),
    documents: jsonTable(database, 'documents', durable),
    inventory: jsonTable(database, 'inventory'),
    logins: jsonTable(database, 'logins', durable),
    series: new SeriesRepository(database),
    close: (): void => database.close(),
  };
};
