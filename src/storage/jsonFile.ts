import { closeSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../shared/log.ts';
import { codeOf, objectIn, readKept, replaceFile, setAside } from './keptFile.ts';

/** One object kept on disk with a version: written whole or not at all; a file that is broken or of another version is set aside, and said once. */
export class JsonFile {
  readonly #file: string;
  readonly #version: number;
  readonly #log: Log;
  #failing = false;

  constructor(dir: string, name: string, version: number, log: Log) {
    this.#file = join(dir, name);
    this.#version = version;
    this.#log = log;
  }

  /** What was written last; undefined before the first time, and where it makes no sense. Throws where the disk cannot read it. */
  read(): unknown {
    const text = readKept(this.#file);
    if (text === undefined) return undefined;
    const value = objectIn(text ?? '');
    if (value?.['version'] === this.#version) return value;
    this.#setAside();
    return undefined;
  }

  /** Replaces the file. False where the disk does not let us: that is said once, and the old one stays. */
  write(value: object): boolean {
    try {
      closeSync(replaceFile(this.#file, `${this.#file}.${process.pid}.part`, `${JSON.stringify({ version: this.#version, ...value })}\n`));
      this.#failing = false;
      return true;
    } catch (cause) {
      if (!this.#failing) this.#log.warn({ file: this.#file, why: codeOf(cause) }, 'a file could not be written; the old one stays');
      this.#failing = true;
      return false;
    }
  }

  #setAside(): void {
    const aside = `${this.#file}.unreadable`;
    if (setAside(this.#file, aside)) this.#log.warn({ file: aside }, 'a kept file made no sense and was set aside');
    else this.#log.warn({ file: this.#file }, 'a kept file makes no sense and could not be set aside');
  }
}
