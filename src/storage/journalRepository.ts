import * as z from 'zod/mini';
import type { Database, RowChange } from './database.ts';
import { jsonColumn } from './jsonTable.ts';

type Mark = 'accepted' | 'answered' | 'settled';
type Entry = { readonly write: object } & Readonly<Record<Mark, boolean>>;

const flag = z.pipe(
  z.number(),
  z.transform((value: number) => value !== 0),
);
const entryRow = z.object({ key: z.number(), write: jsonColumn, accepted: flag, answered: flag, settled: flag });
const lastKeyRow = z.object({ seq: z.number() });

const PUT =
  'INSERT INTO journal (key, write, accepted, answered, settled) VALUES (?, ?, ?, ?, ?) ' +
  'ON CONFLICT DO UPDATE SET accepted = excluded.accepted, answered = excluded.answered, settled = excluded.settled';

/**
 * The writes that were sent to the platform. An entry ends when its message has its terminal answer on the broker and the platform shows
 * what became of it, so that a process that was stopped or killed leaves the others to the next. Each change survives a power cut.
 */
export class JournalRepository {
  /** What an earlier run left, by key, in the order in which it was sent. */
  readonly left: ReadonlyMap<number, Entry>;
  readonly #database: Database;
  readonly #open: Map<number, Entry>;
  /** No key is given twice: the ends of temporary writes name theirs. */
  #next: number;

  constructor(database: Database) {
    this.#database = database;
    const rows = database.rows(entryRow, 'SELECT key, write, accepted, answered, settled FROM journal ORDER BY key');
    this.left = new Map(rows.map(({ key, ...entry }) => [key, entry]));
    this.#open = new Map(this.left);
    const last = database.rows(lastKeyRow, "SELECT seq FROM sqlite_sequence WHERE name = 'journal'")[0]?.seq ?? 0;
    this.#next = Math.max(last, ...this.#open.keys()) + 1;
  }

  /** Keeps the write before it is sent; gives its key. */
  begin(write: object): number {
    const key = this.#next++;
    this.#put(key, { write, accepted: false, answered: false, settled: false });
    return key;
  }

  /** The platform has said yes. */
  accepted(key: number): void {
    this.#mark(key, 'accepted');
  }

  /** The write's terminal answer has reached the broker. */
  answered(key: number): void {
    this.#mark(key, 'answered');
  }

  /** The platform was seen to have carried it out, or not to. */
  settled(key: number): void {
    this.#mark(key, 'settled');
  }

  #mark(key: number, mark: Mark): void {
    const entry = this.#open.get(key);
    if (!entry || entry[mark]) return;
    const marked = { ...entry, [mark]: true };
    if (!marked.answered || !marked.settled) this.#put(key, marked);
    else {
      this.#open.delete(key);
      this.#keep({ row: `journal ${key}`, sql: 'DELETE FROM journal WHERE key = ?', values: [key] });
    }
  }

  #put(key: number, entry: Entry): void {
    this.#open.set(key, entry);
    const { write, accepted, answered, settled } = entry;
    const values = [key, JSON.stringify(write), Number(accepted), Number(answered), Number(settled)];
    this.#keep({ row: `journal ${key}`, sql: PUT, values });
  }

  #keep(change: RowChange): void {
    this.#database.write([change], { durable: true });
  }
}
