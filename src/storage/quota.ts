import { closeSync, fdatasync, fsyncSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../shared/log.ts';
import { bootId } from './bootId.ts';
import { codeOf, linesOf, objectIn, readKept, replaceFile, setAside } from './keptFile.ts';

/** One entry of the counters; instants are epoch milliseconds. */
export type QuotaLine =
  | { readonly is: 'call'; readonly at: number; readonly poll: boolean }
  | { readonly is: 'foreign'; readonly at: number; readonly until: number; readonly window: 'day' | 'ten'; readonly calls: number }
  | { readonly is: 'pause'; readonly until: number; readonly at?: number };

const VERSION = 1;
/** A power cut can swallow the lines of about the last second; at an answer in 100 ms no more calls fit into it. */
const LOST_IN_A_POWER_CUT = 10;

/**
 * The counters of calls on disk, `quota.jsonl`: each call is appended before it goes out, so a killed process forgets none. Against a
 * power cut the disk is asked to write behind each line, without waiting for it.
 */
export class QuotaFile {
  readonly kept: readonly QuotaLine[];
  /** Calls that may have been made and are in no line. */
  readonly lost: number;
  readonly #file: string;
  readonly #log: Log;
  #fd: number | undefined;
  #syncing = false;
  #failing = false;

  /** Reads what is there; a file that cannot be understood is set aside. Throws where the disk cannot read it. */
  constructor(dir: string, log: Log) {
    this.#file = join(dir, 'quota.jsonl');
    this.#log = log;
    const { lines, lost } = this.#read();
    this.kept = lines;
    this.lost = lost;
  }

  /** True after lines could not be written, until all are written anew. */
  get behind(): boolean {
    return this.#failing;
  }

  append(line: QuotaLine): void {
    if (this.#fd === undefined) return;
    try {
      writeFileSync(this.#fd, linesOf([line]));
      this.#sync(this.#fd);
    } catch (cause) {
      this.#failed(cause);
    }
  }

  /** Puts these lines in the place of all that were written, as a whole. */
  rewrite(lines: readonly QuotaLine[]): void {
    try {
      const fd = replaceFile(this.#file, `${this.#file}.new`, linesOf([{ version: VERSION, boot: bootId() }, ...lines]));
      // A sync that is under way closes the file it works on.
      if (this.#fd !== undefined && !this.#syncing) closeSync(this.#fd);
      this.#fd = fd;
      this.#worked();
    } catch (cause) {
      this.#failed(cause);
    }
  }

  close(): void {
    if (this.#fd === undefined) return;
    try {
      writeFileSync(this.#fd, linesOf([{ is: 'closed' }]));
      fsyncSync(this.#fd);
    } catch (cause) {
      this.#failed(cause);
    }
    if (!this.#syncing) closeSync(this.#fd);
    this.#fd = undefined;
  }

  #sync(fd: number): void {
    if (this.#syncing) return;
    this.#syncing = true;
    fdatasync(fd, () => {
      this.#syncing = false;
      if (this.#fd !== fd) closeSync(fd);
    });
  }

  #read(): { readonly lines: readonly QuotaLine[]; readonly lost: number } {
    const text = readKept(this.#file);
    if (text === undefined) return { lines: [], lost: 0 };
    const [first, ...rest] = (text ?? '')
      .split('\n')
      .filter((line) => line !== '')
      .map(objectIn);
    if (first?.['version'] !== VERSION) {
      const aside = `${this.#file}.unreadable`;
      const [file, what] = setAside(this.#file, aside) ? [aside, 'were set aside'] : [this.#file, 'could not be set aside'];
      this.#log.warn({ file }, `the counters of calls could not be read; they ${what}, and counting begins anew`);
      return { lines: [], lost: LOST_IN_A_POWER_CUT };
    }
    const lines = rest.filter(isLine);
    const closed = rest.at(-1)?.['is'] === 'closed';
    // A line that is broken was a call.
    const broken = rest.length - lines.length - (closed ? 1 : 0);
    return { lines, lost: broken + (closed || first['boot'] === bootId() ? 0 : LOST_IN_A_POWER_CUT) };
  }

  #failed(cause: unknown): void {
    if (this.#failing) return;
    this.#failing = true;
    this.#log.warn(
      { file: this.#file, cause: codeOf(cause) },
      'the counters of calls could not be written (disk full?); the bridge goes on, and would forget them at a restart',
    );
  }

  #worked(): void {
    if (!this.#failing) return;
    this.#failing = false;
    this.#log.info({ file: this.#file }, 'the counters of calls can be written again');
  }
}

type Parsed = Readonly<Record<string, unknown>> | undefined;

const isLine = (line: Parsed): line is QuotaLine & Readonly<Record<string, unknown>> => {
  const numbers = (...names: readonly string[]): boolean => names.every((name) => Number.isFinite(line?.[name]));
  if (line?.['is'] === 'call') return numbers('at') && typeof line['poll'] === 'boolean';
  if (line?.['is'] === 'foreign') return numbers('at', 'until', 'calls') && (line['window'] === 'day' || line['window'] === 'ten');
  return line?.['is'] === 'pause' && numbers('until') && (line['at'] === undefined || numbers('at'));
};
