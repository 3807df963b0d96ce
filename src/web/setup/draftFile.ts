import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf, messageOf } from '../../shared/errors.ts';
import { jsonObject } from '../../shared/json.ts';
import type { Log } from '../../shared/log.ts';
import { readPlainFile, replaceFile } from '../../shared/plainFile.ts';

const FILE = 'setup.json';
const MOST_BYTES = 256 * 1024;

/**
 * What a set-up has gathered, kept in `data_dir` until it ends, so that a new start of the process loses nothing. It can hold the password of
 * the broker, and so has mode 0600, as the tokens have.
 */
export class DraftFile {
  readonly #path: string;
  readonly #log: Log;

  constructor(dataDir: string, log: Log) {
    this.#path = join(dataDir, FILE);
    this.#log = log;
  }

  /** What was kept; undefined where that is nothing, or cannot be read. */
  read(): Readonly<Record<string, unknown>> | undefined {
    try {
      return jsonObject(readPlainFile(this.#path, MOST_BYTES).toString('utf8'));
    } catch (cause) {
      if (codeOf(cause) !== 'ENOENT') this.#warn(cause, 'what the set-up had gathered cannot be read; it begins anew');
      return undefined;
    }
  }

  /** Keeps this. Where that is not possible, the set-up goes on without. */
  write(changes: object): void {
    try {
      replaceFile(this.#path, JSON.stringify(changes));
    } catch (cause) {
      this.#warn(cause, 'what the set-up has gathered cannot be stored; it is lost with this process');
    }
  }

  remove(): void {
    try {
      rmSync(this.#path, { force: true });
    } catch (cause) {
      this.#warn(cause, 'the file of the set-up cannot be removed; it can hold the password of the broker');
    }
  }

  #warn(cause: unknown, sentence: string): void {
    this.#log.warn({ why: messageOf(cause), file: FILE }, sentence);
  }
}
