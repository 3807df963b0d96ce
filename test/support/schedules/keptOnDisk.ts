import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../../src/shared/clock.ts';
import { openStorage } from '../../../src/storage/storage.ts';
import { recordingLog, tempDir } from '../system/testSystem.ts';

type Place = { readonly dir: string; readonly file: string; readonly older: string };

const removeAll = ({ dir }: Place): void => {
  for (const name of readdirSync(dir)) rmSync(join(dir, name), { recursive: true });
};

/** What other programs do to a database: clean-ups, restores, sync tools. */
export const FILE_CHANGES = {
  deleted: ({ file }) => rmSync(file, { force: true }),
  'deleted with all beside it': removeAll,
  'replaced by an older one': ({ file, older }) => {
    copyFileSync(older, `${file}.restored`);
    renameSync(`${file}.restored`, file);
  },
  'overwritten by an older one': ({ file, older }) => copyFileSync(older, file),
  emptied: ({ file }) => existsSync(file) && truncateSync(file),
  'overwritten with nonsense': ({ file }) => writeFileSync(file, 'x'.repeat(200_000)),
} satisfies Record<string, (place: Place) => unknown>;

export type FileChange = keyof typeof FILE_CHANGES;

/** What a bridge keeps over its runs, in its real database. */
export class KeptOnDisk {
  readonly #root = tempDir();
  readonly #older = join(this.#root, 'older');
  #runs = 0;
  #close: () => void = () => undefined;

  open(clock: Clock) {
    mkdirSync(this.#dir, { recursive: true });
    const storage = openStorage(this.#dir, recordingLog([]));
    storage.watchFiles(clock, new AbortController().signal, () => undefined).catch(() => undefined);
    this.#close = () => storage.close();
    return storage;
  }

  close(): void {
    this.#close();
  }

  /** Leaves the files as a killed process does, in the folder of the next run. */
  kill(): void {
    const dir = this.#dir;
    this.#runs += 1;
    if (existsSync(dir)) cpSync(dir, this.#dir, { recursive: true, filter: (file) => !file.endsWith('-shm') });
    this.#close();
    rmSync(dir, { recursive: true, force: true });
  }

  /** Copies the main file, as a sync tool does. */
  copy(): void {
    const { file } = this.#place;
    if (existsSync(file)) copyFileSync(file, this.#older);
  }

  /** False where there was no older copy, so that one was made instead. */
  change(how: FileChange): boolean {
    if (how.includes('older') && !existsSync(this.#older)) {
      this.copy();
      return false;
    }
    FILE_CHANGES[how](this.#place);
    return true;
  }

  remove(): void {
    this.close();
    rmSync(this.#root, { recursive: true, force: true });
  }

  get #dir(): string {
    return join(this.#root, String(this.#runs));
  }

  get #place(): Place {
    return { dir: this.#dir, file: join(this.#dir, 'heating2mqtt.db'), older: this.#older };
  }
}
