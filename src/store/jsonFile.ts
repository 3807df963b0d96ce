import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '../base/json.ts';
import type { Log } from '../base/log.ts';

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

  /** What was written last; undefined before the first time, and where it cannot be read. */
  read(): unknown {
    let text: string;
    try {
      text = readFileSync(this.#file, 'utf8');
    } catch (cause) {
      if (codeOf(cause) !== 'ENOENT') this.#log.warn({ file: this.#file, why: codeOf(cause) }, 'a kept file could not be read');
      return undefined;
    }
    const value = parsed(text);
    if (isRecord(value) && value.version === this.#version) return value;
    this.#setAside();
    return undefined;
  }

  /** Replaces the file. False where the disk does not let us: that is said once, and the old one stays. */
  write(value: object): boolean {
    const part = `${this.#file}.${process.pid}.part`;
    try {
      const fd = openSync(part, 'w', 0o600);
      try {
        writeFileSync(fd, `${JSON.stringify({ version: this.#version, ...value })}\n`);
        fsyncSync(fd);
      } finally {
        closeSync(fd);
      }
      renameSync(part, this.#file);
      this.#failing = false;
      return true;
    } catch (cause) {
      rmSync(part, { force: true });
      if (!this.#failing) this.#log.warn({ file: this.#file, why: codeOf(cause) }, 'a file could not be written; the old one stays');
      this.#failing = true;
      return false;
    }
  }

  #setAside(): void {
    const aside = `${this.#file}.unreadable`;
    try {
      renameSync(this.#file, aside);
      this.#log.warn({ file: aside }, 'a kept file made no sense and was set aside');
    } catch (cause) {
      this.#log.warn({ file: this.#file, why: codeOf(cause) }, 'a kept file makes no sense and could not be set aside');
    }
  }
}

const codeOf = (cause: unknown): string => (isRecord(cause) && typeof cause.code === 'string' ? cause.code : String(cause));

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
