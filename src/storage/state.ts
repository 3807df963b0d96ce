import { join } from 'node:path';
import { isRecord } from '../shared/json.ts';
import type { Log } from '../shared/log.ts';
import { LineFile } from './lineFile.ts';

/** One step of what is known of a device, in the order in which it happened. */
export type MemoryLine =
  /** Without `name` one read showed everything that `chosen` names; `at` in epoch milliseconds. */
  | { readonly is: 'read'; readonly device: string; readonly name?: string; readonly at: number; readonly chosen?: string }
  /** `offered` where the discovery document offers more than the record shows now. */
  | { readonly is: 'feature'; readonly device: string; readonly name: string; readonly record: object; readonly offered?: object }
  | { readonly is: 'gone'; readonly device: string; readonly name: string }
  | { readonly is: 'availability'; readonly device: string; readonly now: 'online' | 'offline' }
  /** Features that complete reads did not list: since when (epoch milliseconds), and in how many reads in a row. */
  | { readonly is: 'absent'; readonly device: string; readonly features: Readonly<Record<string, Absence>> };

type Absence = { readonly since_ms: number; readonly reads: number };

/** Texts of lines, by what they are about: the same thing said again takes the place of what was said before. */
type Told = Map<string, string>;

/**
 * The last state on disk (`state.jsonl`): each record that changed is appended before it is published, so that what is on disk
 * is never behind what the broker holds, and a read of which nothing changed costs one short line.
 */
export class StateFile {
  readonly #file: LineFile;
  readonly #told: Told = new Map();
  #atStart: readonly MemoryLine[] = [];

  constructor(dir: string, log: Log) {
    this.#file = new LineFile(join(dir, 'state.jsonl'), log, {
      holds: 'the last state',
      unreadable: 'everything is read from the platform again',
      unwritable: 'the bridge goes on, and reads everything again after its next start',
    });
  }

  /** What an earlier run knew. */
  get lines(): readonly MemoryLine[] {
    return this.#atStart;
  }

  /** Reads what is there. Throws where the disk cannot read it. */
  open(): void {
    for (const line of this.#file.read()) if (isMemoryLine(line)) this.#tell(line);
    this.#atStart = this.#all();
    this.#file.open(this.#atStart);
  }

  /** Appends what differs from what was told before; a full disk is told once. */
  write(lines: readonly MemoryLine[]): void {
    this.#file.append(
      lines.filter((line) => this.#tell(line)),
      () => this.#all(),
    );
  }

  close(): void {
    this.#file.close();
  }

  /** False where this was told already. */
  #tell(line: MemoryLine): boolean {
    if (line.is === 'gone') return this.#told.delete(keyOf({ ...line, is: 'feature' }));
    const text = JSON.stringify(line);
    const key = keyOf(line);
    if (this.#told.get(key) === text) return false;
    this.#told.set(key, text);
    return true;
  }

  #all(): MemoryLine[] {
    return [...this.#told.values()].map((text): MemoryLine => JSON.parse(text));
  }
}

const keyOf = (line: { readonly is: string; readonly device: string; readonly name?: string }): string =>
  JSON.stringify([line.is, line.device, line.name]);

const isAbsence = (value: unknown): boolean =>
  isRecord(value) && typeof value['since_ms'] === 'number' && typeof value['reads'] === 'number';

const isMemoryLine = (line: Readonly<Record<string, unknown>>): line is MemoryLine & Readonly<Record<string, unknown>> => {
  const { is, device, name } = line;
  if (typeof device !== 'string' || (name !== undefined && typeof name !== 'string')) return false;
  if (is === 'read') return typeof line['at'] === 'number' && (name === undefined) === (typeof line['chosen'] === 'string');
  if (is === 'absent') return isRecord(line['features']) && Object.values(line['features']).every(isAbsence);
  if (is === 'availability') return line['now'] === 'online' || line['now'] === 'offline';
  if (name === undefined) return false;
  return is === 'gone' || (is === 'feature' && isRecord(line['record']) && (line['offered'] === undefined || isRecord(line['offered'])));
};
