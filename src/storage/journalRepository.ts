import * as z from 'zod/mini';
import type { Joined, Journal, JournaledWrite, JournalMark } from '../bridge/ports.ts';
import type { Database, Survives } from './database.ts';
import { flagColumn, jsonColumn } from './jsonTable.ts';
import { deleteRow, putRow, type RowChange } from './rowChange.ts';

const entryRow = z.object({ key: z.number(), write: jsonColumn, accepted: flagColumn, answered: flagColumn, settled: flagColumn });
const lastKeyRow = z.object({ seq: z.number() });

/**
 * The writes that were sent to the platform. An entry ends when its message has its terminal answer on the broker and the platform shows
 * what became of it, so that a process that was stopped or killed leaves the others to the next. A new entry survives a power cut.
 */
export class JournalRepository implements Journal {
  /** What an earlier run left, by key, in the order in which it was sent. */
  readonly left: ReadonlyMap<number, JournaledWrite>;
  readonly #database: Database;
  readonly #open: Map<number, JournaledWrite>;
  /** No key is given twice: the ends of temporary writes name theirs. */
  #next: number;

  constructor(database: Database) {
    this.#database = database;
    const rows = database.rows(entryRow, 'SELECT key, write, accepted, answered, settled FROM journal ORDER BY key');
    this.left = new Map(rows.map(({ key, ...entry }) => [key, entry]));
    this.#open = new Map(this.left);
    const last = database.rows(lastKeyRow, "SELECT seq FROM sqlite_sequence WHERE name = 'journal'")[0]?.seq ?? 0;
    this.#next = Math.max(last, ...this.#open.keys()) + 1;
    database.keepsKnown(() => [this.#lastKey(), ...[...this.#open].map(([key, entry]) => rowOf(key, entry))]);
  }

  /** Keeps the write before it is sent; gives its key. */
  begin(write: object): number {
    const key = this.#next++;
    this.#put(key, { write, accepted: false, answered: false, settled: false }, 'power cut');
    return key;
  }

  mark(key: number, mark: JournalMark): void {
    const entry = this.#open.get(key);
    if (!entry || entry[mark]) return;
    const marked = { ...entry, [mark]: true };
    // Where the end of an entry is lost, the write is looked at and answered once more.
    if (!marked.answered || !marked.settled) this.#put(key, marked, mark === 'accepted' ? 'lost log' : undefined);
    else {
      this.#open.delete(key);
      this.#database.write([deleteRow('journal', { key })]);
    }
  }

  together<T>(work: () => T, { isCallNext = false }: { readonly isCallNext?: boolean } = {}): Joined<T> {
    // The checkpoint is made while the call is under way.
    return this.#database.together(work, isCallNext ? 'soon' : 'now');
  }

  #put(key: number, entry: JournaledWrite, survives: Survives | undefined): void {
    this.#open.set(key, entry);
    this.#database.write([rowOf(key, entry)], { survives });
  }

  #lastKey(): RowChange {
    return { row: 'last key', sql: "INSERT INTO sqlite_sequence (name, seq) VALUES ('journal', ?)", values: [this.#next - 1] };
  }
}

const rowOf = (key: number, { write, accepted, answered, settled }: JournaledWrite): RowChange => {
  const marks = { accepted: Number(accepted), answered: Number(answered), settled: Number(settled) };
  return putRow('journal', { key }, { write: JSON.stringify(write), ...marks });
};
