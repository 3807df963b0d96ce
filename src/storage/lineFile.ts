import { closeSync, fsyncSync, writeFileSync } from 'node:fs';
import type { Log } from '../shared/log.ts';
import { codeOf, linesOf, objectIn, readKept, replaceFile, setAside } from './keptFile.ts';

const VERSION = 1;
const SPARE_LINES = 2000;

/** What is told of a file: `holds` names its contents, `unreadable` and `unwritable` say what follows from the trouble. */
export type LineFileWords = { readonly holds: string; readonly unreadable: string; readonly unwritable: string };

/**
 * A file of JSON lines that is appended to, so that a killed process leaves behind what it had written, and written anew when
 * it has grown. A file of another version or of none is set aside, once, and never deleted.
 */
export class LineFile {
  readonly #file: string;
  readonly #log: Log;
  readonly #words: LineFileWords;
  #fd: number | undefined;
  #isOpen = false;
  #lines = 0;
  #broken = false;

  constructor(file: string, log: Log, words: LineFileWords) {
    this.#file = file;
    this.#log = log;
    this.#words = words;
  }

  /** The objects of the file, in order; those that are none (the half line of a killed process) are left out. Throws where the disk cannot read it. */
  read(): readonly Readonly<Record<string, unknown>>[] {
    const text = readKept(this.#file);
    if (text === undefined) return [];
    const [head, ...rest] = (text ?? '').split('\n');
    if (objectIn(head ?? '')?.['version'] === VERSION) return rest.map(objectIn).filter((line) => line !== undefined);
    this.#setAside();
    return [];
  }

  /** Writes the whole file anew, and opens it for `append`. Where the disk does not let us that is told, and tried again with the next lines. */
  open(all: readonly object[]): void {
    this.#isOpen = true;
    try {
      this.#rewrite(all);
    } catch (cause) {
      this.#failed(cause);
    }
  }

  /**
   * Appends; `all` gives what the file then holds, for when it has grown. False where the disk does not take them: that is told once, and
   * the next lines bring all of it.
   */
  append(lines: readonly object[], all: () => readonly object[]): boolean {
    if (lines.length === 0) return !this.#broken;
    if (!this.#isOpen) return false;
    try {
      const whole = this.#broken || this.#lines > SPARE_LINES ? all() : undefined;
      if (this.#fd === undefined || (whole && (this.#broken || this.#lines > 4 * whole.length + SPARE_LINES)))
        this.#rewrite(whole ?? all());
      // Unlike writeSync it goes on until all is written or the disk is full.
      else writeFileSync(this.#fd, linesOf(lines));
      this.#lines += lines.length;
      if (this.#broken) this.#log.info({ file: this.#file }, `${this.#words.holds} can be written again`);
      this.#broken = false;
      return true;
    } catch (cause) {
      this.#failed(cause);
      return false;
    }
  }

  close(): void {
    this.#isOpen = false;
    if (this.#fd === undefined) return;
    try {
      fsyncSync(this.#fd);
    } catch (cause) {
      this.#failed(cause);
    }
    closeSync(this.#fd);
    this.#fd = undefined;
  }

  #rewrite(all: readonly object[]): void {
    const fd = replaceFile(this.#file, `${this.#file}.new`, linesOf([{ version: VERSION }, ...all]));
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = fd;
    this.#lines = all.length;
  }

  #setAside(): void {
    const { holds, unreadable } = this.#words;
    const aside = `${this.#file}.set-aside-${Date.now()}`;
    if (setAside(this.#file, aside)) this.#log.warn({ file: aside }, `${holds} could not be read and was set aside; ${unreadable}`);
    else this.#log.warn({ file: this.#file }, `${holds} could not be read and could not be set aside; ${unreadable}`);
  }

  #failed(cause: unknown): void {
    if (this.#broken) return;
    this.#broken = true;
    this.#log.warn(
      { file: this.#file, cause: codeOf(cause) },
      `${this.#words.holds} could not be written (disk full?); ${this.#words.unwritable}`,
    );
  }
}
