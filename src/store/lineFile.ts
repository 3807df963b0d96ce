import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Log } from '../base/log.ts';

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
  #lines = 0;
  #broken = false;

  constructor(file: string, log: Log, words: LineFileWords) {
    this.#file = file;
    this.#log = log;
    this.#words = words;
  }

  /** The objects of the file, in order; those that are none (the half line of a killed process) are left out. Throws where it cannot be read. */
  read(): readonly Readonly<Record<string, unknown>>[] {
    let text: string;
    try {
      text = readFileSync(this.#file, 'utf8');
    } catch (cause) {
      if (codeOf(cause) === 'ENOENT') return [];
      throw cause;
    }
    const [head, ...rest] = text.split('\n');
    if (objectOf(head ?? '')?.['version'] === VERSION) return rest.map(objectOf).filter((line) => line !== undefined);
    this.#setAside();
    return [];
  }

  /** Writes the whole file anew, and opens it for `append`. Throws where it cannot be written. */
  open(all: readonly object[]): void {
    const fresh = `${this.#file}.new`;
    const fd = openSync(fresh, 'w', 0o600);
    try {
      writeFileSync(fd, textOf([{ version: VERSION }, ...all]));
      fsyncSync(fd);
      renameSync(fresh, this.#file);
    } catch (cause) {
      closeSync(fd);
      throw cause;
    }
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = fd;
    this.#lines = all.length;
  }

  /**
   * Appends; `all` gives what the file then holds, for when it has grown. False where the disk does not take them: that is told once, and
   * the next lines bring all of it.
   */
  append(lines: readonly object[], all: () => readonly object[]): boolean {
    if (lines.length === 0) return !this.#broken;
    if (this.#fd === undefined) return false;
    try {
      const whole = this.#broken || this.#lines > SPARE_LINES ? all() : undefined;
      if (whole && (this.#broken || this.#lines > 4 * whole.length + SPARE_LINES)) this.open(whole);
      // Unlike writeSync it goes on until all is written or the disk is full.
      else writeFileSync(this.#fd, textOf(lines));
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
    if (this.#fd === undefined) return;
    try {
      fsyncSync(this.#fd);
    } catch (cause) {
      this.#failed(cause);
    }
    closeSync(this.#fd);
    this.#fd = undefined;
  }

  #setAside(): void {
    const aside = `${this.#file}.set-aside-${Date.now()}`;
    renameSync(this.#file, aside);
    this.#log.warn({ file: aside }, `${this.#words.holds} could not be read and was set aside; ${this.#words.unreadable}`);
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

const textOf = (lines: readonly object[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('');

const codeOf = (cause: unknown): string | undefined =>
  cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined;

const objectOf = (line: string): Record<string, unknown> | undefined => {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
};
