import { join } from 'node:path';
import { isRecord } from '../base/json.ts';
import type { Log } from '../base/log.ts';
import { LineFile } from './lineFile.ts';

/** The writes that were sent to the platform and have no answer on the broker yet (`journal.jsonl`): a killed process leaves them to the next. */
export class JournalFile {
  readonly #file: LineFile;
  readonly #open = new Map<number, object>();
  #next = 1;
  #left: ReadonlyMap<number, object> = new Map();

  constructor(dir: string, log: Log) {
    this.#file = new LineFile(join(dir, 'journal.jsonl'), log, {
      holds: 'the journal of writes',
      unreadable: 'writes that were under way get no answer',
      unwritable: 'the bridge goes on; if it is killed, writes under way get no answer',
    });
  }

  /** What an earlier run left without an answer, by key. */
  get left(): ReadonlyMap<number, object> {
    return this.#left;
  }

  /** Reads what is there. Throws where the folder cannot be used. */
  open(): void {
    for (const { is, key, write } of this.#file.read()) {
      if (typeof key !== 'number') continue;
      if (is === 'begun' && isRecord(write)) this.#open.set(key, write);
      else this.#open.delete(key);
      this.#next = Math.max(this.#next, key + 1);
    }
    this.#left = new Map(this.#open);
    this.#file.open(this.#all());
  }

  /** Keeps the write before it is sent, by one append; gives its key for `end`. */
  begin(write: object): number {
    const key = this.#next++;
    this.#open.set(key, write);
    this.#file.append([{ is: 'begun', key, write }], () => this.#all());
    return key;
  }

  /** The write's terminal answer has reached the broker. */
  end(key: number): void {
    if (this.#open.delete(key)) this.#file.append([{ is: 'ended', key }], () => this.#all());
  }

  close(): void {
    this.#file.close();
  }

  #all(): object[] {
    return [...this.#open].map(([key, write]) => ({ is: 'begun', key, write }));
  }
}
