import { join } from 'node:path';
import { isRecord } from '../shared/json.ts';
import type { Log } from '../shared/log.ts';
import { LineFile } from './lineFile.ts';

type Mark = 'accepted' | 'answered' | 'settled';
type Entry = { readonly write: object } & Readonly<Record<Mark, boolean>>;

const GREATEST_KEY = 1e15;
const MARKS: readonly Mark[] = ['accepted', 'answered', 'settled'];

/**
 * The writes that were sent to the platform (`journal.jsonl`). An entry ends when its message has its terminal answer on the broker and
 * the platform shows what became of it, so that a process that was stopped or killed leaves the others to the next.
 */
export class JournalFile {
  readonly #file: LineFile;
  readonly #open = new Map<number, Entry>();
  #next = 1;
  #left: ReadonlyMap<number, Entry> = new Map();

  constructor(dir: string, log: Log) {
    this.#file = new LineFile(join(dir, 'journal.jsonl'), log, {
      holds: 'the journal of writes',
      unreadable: 'writes that were under way get no answer',
      unwritable:
        'the bridge goes on; if it ends now, writes under way get no answer, and the next one may complete a write with values from before them',
    });
  }

  /** What an earlier run left, by key. */
  get left(): ReadonlyMap<number, Entry> {
    return this.#left;
  }

  /** Reads what is there. Throws where the disk cannot read it. */
  open(): void {
    for (const { is, key, write, accepted, answered, settled } of this.#file.read()) {
      // The next ones count on from it.
      if (typeof key !== 'number' || !Number.isSafeInteger(key) || key < 0 || key > GREATEST_KEY) continue;
      const known = this.#open.get(key);
      const mark = MARKS.find((one) => one === is);
      if (is === 'begun' && isRecord(write))
        this.#open.set(key, { write, accepted: accepted === true, answered: answered === true, settled: settled === true });
      else if (mark && known) this.#open.set(key, { ...known, [mark]: true });
      else this.#open.delete(key);
      this.#next = Math.max(this.#next, key + 1);
    }
    this.#left = new Map(this.#open);
    this.#file.open(this.#all());
  }

  /** Keeps the write before it is sent, by one append; gives its key. */
  begin(write: object): number {
    const key = this.#next++;
    this.#open.set(key, { write, accepted: false, answered: false, settled: false });
    this.#append(this.#line(key));
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

  close(): void {
    this.#file.close();
  }

  #mark(key: number, is: Mark): void {
    const entry = this.#open.get(key);
    if (!entry || entry[is]) return;
    const marked = { ...entry, [is]: true };
    const isDone = marked.answered && marked.settled;
    if (isDone) this.#open.delete(key);
    else this.#open.set(key, marked);
    this.#append({ is: isDone ? 'ended' : is, key });
  }

  #append(line: object): void {
    this.#file.append([line], () => this.#all());
  }

  #line(key: number): object {
    const entry = this.#open.get(key);
    return { is: 'begun', key, write: entry?.write, ...Object.fromEntries(MARKS.flatMap((mark) => (entry?.[mark] ? [[mark, true]] : []))) };
  }

  /** The last key too, so that none is given twice: the ends of temporary writes name theirs. */
  #all(): object[] {
    return [{ is: 'last', key: this.#next - 1 }, ...[...this.#open.keys()].map((key) => this.#line(key))];
  }
}
