import { resolve } from 'node:path';
import type { AccountSummary } from '../../api/accounts.ts';
import { accountMistake } from '../../config/accounts.ts';
import { readFileAt } from '../../config/file.ts';
import { readSettings, type Sources } from '../../config/load.ts';
import type { FleetStore } from '../../fleet/fleetStore.ts';
import { accountLease, workersIn } from '../../fleet/keys.ts';
import { addRow, moveRow, removeRow } from '../../fleet/rows.ts';
import { plural } from '../../language/language.ts';
import { CodedError, messageOf, UsageError } from '../../shared/errors.ts';
import { isRecord } from '../../shared/json.ts';
import { SILENT } from '../../shared/log.ts';
import { text, type Values } from '../command.ts';
import type { Io } from '../terminal/io.ts';
import { inColumns } from '../terminal/terminalText.ts';
import { openFleet } from './openFleet.ts';

/** `heating2mqtt fleet add | list | move | remove | due`. */
export const fleet = async (sources: Sources, values: Values, words: readonly string[], io: Io): Promise<number> => {
  const [what, name, worker] = words;
  const store = await openFleet(values, io, SILENT);
  try {
    if (what === 'list' || what === 'due') return await list(store, what === 'due', io);
    if (name === undefined) throw new UsageError('usage', `fleet ${what} needs the name of an account.`);
    if (what === 'add') {
      await addRow(store, readSettings(sources), { name, entry: entryOf(values, io.cwd) });
      io.out(addedOf(name, workersIn(await store.leaseKeys())));
    } else if (what === 'remove') {
      const isForgotten = await removeRow(store, name);
      io.out(
        isForgotten ? unread(name) : removalOf(name, await store.leaseKeys(), (await store.lease(accountLease(name)))?.value['worker']),
      );
    } else {
      await moveRow(store, name, worker);
      io.out(moveOf(name, worker, workersIn(await store.leaseKeys())));
    }
    return 0;
  } catch (cause) {
    if (cause instanceof CodedError) throw cause;
    throw new UsageError(
      'usage',
      `NATS does not answer now (${messageOf(cause)}). If it has just lost a node, try again in some seconds.`,
      {
        cause,
      },
    );
  } finally {
    await store.close();
  }
};

const addedOf = (name: string, workers: readonly string[]): string => {
  const when = workers.length === 0 ? 'No worker is running: the first one that starts serves it' : 'A worker serves it within seconds';
  return `The account ${name} is added. ${when}. Then log in: on the page of that worker, or by a link.`;
};

const unread = (name: string): string =>
  `The account ${name} is removed. No running worker can read its state, so its topics stay at the broker.`;

const removalOf = (name: string, leases: readonly string[], servedBy: unknown): string => {
  if (workersIn(leases).length === 0)
    return `No worker is running: the topics of ${name} stay at the broker, and its login and state at NATS, until a worker starts and deletes them.`;
  const by = servedBy === undefined ? 'a worker' : `the worker ${String(servedBy)}`;
  return `The account ${name} is being removed: ${by} clears its topics, then deletes its login and state.`;
};

const moveOf = (name: string, worker: string | undefined, workers: readonly string[]): string => {
  if (worker === undefined) return `Any worker may serve the account ${name}.`;
  if (workers.includes(worker)) return `The worker ${worker} serves the account ${name} as long as it runs.`;
  const there = workers.length === 0 ? 'none is running' : `running: ${workers.join(', ')}`;
  return `No worker with the name ${worker} is running (${there}). It serves the account ${name} once it starts; until then any worker does.`;
};

/** The entry for `fleet add`, from its options. Throws a UsageError that never quotes the file's text. */
export const entryOf = (values: Values, cwd: string): Readonly<Record<string, unknown>> => {
  const [file, client_id] = [text(values, 'file'), text(values, 'client-id')];
  if (file === undefined) {
    if (client_id === undefined)
      throw new UsageError('usage', 'fleet add needs --client-id ID, or --file FILE with an entry like those in accounts.d.');
    return { client_id };
  }
  const read = readFileAt(resolve(cwd, file), cwd);
  if (!read) throw new UsageError('file_unreadable', `--file: ${file} cannot be read (there is no such file)`);
  if (read.mistakes.length > 0) throw new UsageError('file_unreadable', `--file: ${accountMistake(read.mistakes)}`);
  const { tree } = read;
  if (!isRecord(tree)) throw new UsageError('file_unreadable', `${file} does not contain settings of an account`);
  return client_id === undefined ? tree : { ...tree, client_id };
};

const list = async (store: FleetStore, dueOnly: boolean, io: Io): Promise<number> => {
  const [{ rows, broken }, leases] = [await store.rows(), await store.leases()];
  const lines = [...rows, ...broken.map((name) => ({ name, removed: undefined }))].map(({ name, removed }) => {
    const lease = leases.get(accountLease(name));
    const account = lease?.['account'] as AccountSummary | undefined;
    const problem = broken.includes(name) ? 'its row on NATS cannot be read: add it again, or remove it' : account?.problem;
    return { name, worker: String(lease?.['worker'] ?? '-'), since: dateOf(lease?.['since']), account, removed, problem };
  });
  const shown = dueOnly ? lines.filter(({ account }) => account?.login === 'due' || account?.login === 'needed') : lines;
  const cells = shown.map(({ name, worker, since, account, removed, problem }) => [
    ...[name, worker, since, removed ? 'being removed' : (account?.state ?? 'not served'), account?.login ?? 'unknown'],
    ...[account?.loginDueMs === undefined ? '-' : new Date(account.loginDueMs).toISOString().slice(0, 10), problem ?? ''],
  ]);
  if (cells.length === 0)
    io.out(
      dueOnly ? 'No login is due in the next 30 days.' : 'The fleet has no accounts. Add one: heating2mqtt fleet add NAME --client-id ID.',
    );
  else io.out(inColumns([['account', 'worker', 'since', 'state', 'login', 'due', 'problem'], ...cells]).join('\n'));
  const unknown = lines.filter(({ account, removed }) => !account && !removed).length;
  if (dueOnly && unknown > 0)
    io.err(`Unknown for ${plural(unknown, 'account', 'accounts')} that no worker serves: heating2mqtt fleet list shows which.`);
  return 0;
};

const dateOf = (ms: unknown): string => (typeof ms === 'number' ? `${new Date(ms).toISOString().slice(0, 16)}Z` : '-');
