import { closeSync, fsyncSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../shared/log.ts';
import { openFresh } from '../shared/plainFile.ts';
import { bootId } from './bootId.ts';
import { codeOf, linesOf, objectIn, readKept, replaceFile, setAside } from './keptFile.ts';

export type Held = { readonly owner: string; readonly hash: string | undefined; readonly seal: number };

/** One step of what the broker holds, in the order in which it happened. */
export type LedgerLine =
  | { readonly is: 'sending'; readonly topic: string; readonly owner: string }
  | { readonly is: 'held'; readonly topic: string; readonly owner: string; readonly hash: string; readonly seal: number }
  | { readonly is: 'gone'; readonly topic: string; readonly seal: number }
  | { readonly is: 'beat'; readonly beat: number; readonly acknowledged: boolean };

const VERSION = 1;
const SPARE_LINES = 2000;
/** So many topics that were cleared are remembered, for brokers that fall back to an older state. */
const MOST_CLEARED = 500;

/**
 * The ledger on disk: which retained topics are ours and what they hold. Steps are appended before and after each publish, so
 * that a killed process leaves the truth behind. A power cut can swallow the end of the file: hashes are believed only when
 * the process ended cleanly or the machine has not been started since (the file `ledger.trust`).
 */
export class LedgerFile {
  readonly held = new Map<string, Held>();
  /** Topics that were cleared, the latest last, each with the beat that seals it. */
  readonly cleared = new Map<string, number>();
  beat = 0;
  pendingBeat = 0;
  #fd: number | undefined;
  #isOpen = false;
  #lines = 0;
  #broken = false;
  readonly #file: string;
  readonly #trust: string;
  readonly #log: Log;

  constructor(dir: string, log: Log) {
    this.#file = join(dir, 'ledger.jsonl');
    this.#trust = join(dir, 'ledger.trust');
    this.#log = log;
  }

  /** Reads what is there and rewrites it shortly; a full disk is told, as by `write`. Throws where the disk cannot read it. */
  open(): void {
    this.#read();
    if (!this.#trusted()) this.#doubtAll();
    this.#isOpen = true;
    try {
      this.#rewrite();
      this.#trustIn(bootId());
    } catch (cause) {
      this.#failed(cause);
    }
  }

  /** Appends the steps; a full disk is told once, and nothing on disk is believed at the next start. */
  write(lines: readonly LedgerLine[]): void {
    for (const line of lines) this.#apply(line);
    if (!this.#isOpen) return;
    try {
      if (this.#fd === undefined || this.#broken || this.#lines > 4 * this.held.size + SPARE_LINES) this.#rewrite();
      else this.#append(this.#fd, lines);
      if (this.#broken) this.#recovered();
    } catch (cause) {
      this.#failed(cause);
    }
  }

  close(): void {
    this.#isOpen = false;
    if (this.#fd === undefined) return;
    try {
      fsyncSync(this.#fd);
      if (!this.#broken) this.#trustIn('closed');
    } catch (cause) {
      this.#failed(cause);
    }
    closeSync(this.#fd);
    this.#fd = undefined;
  }

  #append(fd: number, lines: readonly LedgerLine[]): void {
    // Unlike writeSync it goes on until all is written or the disk is full.
    writeFileSync(fd, linesOf(lines));
    this.#lines += lines.length;
  }

  #apply(line: LedgerLine): void {
    switch (line.is) {
      case 'sending':
        this.cleared.delete(line.topic);
        this.held.set(line.topic, { owner: line.owner, hash: undefined, seal: 0 });
        return;
      case 'held':
        this.cleared.delete(line.topic);
        this.held.set(line.topic, { owner: line.owner, hash: line.hash, seal: line.seal });
        return;
      case 'gone':
        this.held.delete(line.topic);
        this.cleared.delete(line.topic);
        this.cleared.set(line.topic, line.seal);
        for (const oldest of this.cleared.keys()) {
          if (this.cleared.size <= MOST_CLEARED) break;
          this.cleared.delete(oldest);
        }
        return;
      case 'beat':
        this.pendingBeat = line.beat;
        if (line.acknowledged) this.beat = line.beat;
        return;
      default:
        line satisfies never;
    }
  }

  #read(): void {
    const text = readKept(this.#file);
    if (text === undefined) return;
    const [head, ...rest] = (text ?? '').split('\n');
    if (objectIn(head ?? '')?.['version'] !== VERSION) {
      this.#setAside();
      return;
    }
    for (const line of rest) {
      // The last line of a killed process may be half.
      const step = objectIn(line);
      if (step && isStep(step)) this.#apply(step);
    }
  }

  #setAside(): void {
    const aside = `${this.#file}.unreadable`;
    const [file, what] = setAside(this.#file, aside) ? [aside, 'was set aside'] : [this.#file, 'could not be set aside'];
    this.#log.warn({ file }, `the ledger of published topics could not be read; it ${what}, and everything will be published again`);
  }

  #trusted(): boolean {
    try {
      const word = readKept(this.#trust);
      return word === 'closed' || word === bootId();
    } catch {
      return false;
    }
  }

  #trustIn(word: string): void {
    const fd = openFresh(this.#trust);
    try {
      writeFileSync(fd, word);
    } finally {
      closeSync(fd);
    }
  }

  #doubtAll(): void {
    for (const [topic, { owner }] of this.held) this.held.set(topic, { owner, hash: undefined, seal: 0 });
    this.beat = 0;
    this.pendingBeat = Math.max(this.pendingBeat, 0);
  }

  #rewrite(): void {
    const steps: LedgerLine[] = [...this.held].map(([topic, { owner, hash, seal }]) =>
      hash === undefined ? { is: 'sending', topic, owner } : { is: 'held', topic, owner, hash, seal },
    );
    for (const [topic, seal] of this.cleared) steps.push({ is: 'gone', topic, seal });
    steps.push({ is: 'beat', beat: this.beat, acknowledged: true });
    if (this.pendingBeat !== this.beat) steps.push({ is: 'beat', beat: this.pendingBeat, acknowledged: false });
    const fd = replaceFile(this.#file, `${this.#file}.new`, linesOf([{ version: VERSION }, ...steps]));
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = fd;
    this.#lines = steps.length;
  }

  #failed(cause: unknown): void {
    if (this.#broken) return;
    this.#broken = true;
    this.#distrust();
    this.#log.warn(
      { file: this.#file, cause: codeOf(cause) },
      'the ledger of published topics could not be written (disk full?); the bridge goes on, and publishes everything again after its next start',
    );
  }

  #distrust(): void {
    try {
      rmSync(this.#trust, { force: true });
    } catch {
      // A file system that has become read-only: what is on it stays believed, and is right but for what comes now.
    }
  }

  #recovered(): void {
    this.#trustIn(bootId());
    this.#broken = false;
    this.#log.info({ file: this.#file }, 'the ledger of published topics can be written again');
  }
}

const isStep = (line: Record<string, unknown>): line is LedgerLine & Record<string, unknown> => {
  if (line['is'] === 'beat') return typeof line['beat'] === 'number' && typeof line['acknowledged'] === 'boolean';
  if (typeof line['topic'] !== 'string') return false;
  if (line['is'] === 'gone') return typeof line['seal'] === 'number';
  if (typeof line['owner'] !== 'string') return false;
  return line['is'] === 'sending' || (line['is'] === 'held' && typeof line['hash'] === 'string' && typeof line['seal'] === 'number');
};
