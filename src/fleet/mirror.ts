import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import * as z from 'zod/mini';
import type { Clock } from '../shared/clock.ts';
import { codeOf, messageOf, UsageError } from '../shared/errors.ts';
import { jsonObject } from '../shared/json.ts';
import type { Log } from '../shared/log.ts';
import { readPlainFile, replaceFile } from '../shared/plainFile.ts';
import { oneAtATime } from '../shared/serialQueue.ts';
import {
  canRead,
  type DatabaseFollower,
  hasDatabase,
  RowChanges,
  rebuildDatabase,
  removeDatabase,
} from '../storage/backup/databaseCopy.ts';
import { type FleetStore, OutOfStep, type StatePiece } from './fleetStore.ts';

/** After so many changes all rows are appended anew, so that a new owner has no more to read. */
const MOST_CHANGES = 200;
const AGAIN_MS = 500;
const MOST_TOKEN_BYTES = 1024 * 1024;

const TOKENS = 'tokens.json';
/** In the folder of an account: with which message of its state the folder is in step. */
const POSITION = 'fleet.json';

const allContent = z.object({ version: z.number(), rows: z.unknown(), tokens: z.string() });
const changesContent = z.object({ changes: z.array(z.string()), tokens: z.optional(z.string()) });

export type MirrorParts = {
  readonly store: Pick<FleetStore, 'append' | 'readState' | 'lastState' | 'forgetBefore'>;
  readonly name: string;
  /** The folder of the account. */
  readonly dir: string;
  /** Names the lease under which it is written. */
  readonly writer: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Another worker has written since: this one has no right to the account any more. */
  readonly onLost: () => void;
};

/** The copy of an account on NATS, row by row: what the next owner starts from. */
export class Mirror implements DatabaseFollower {
  readonly #parts: MirrorParts;
  #changes: RowChanges | undefined;
  #last = 0;
  #generation = 1;
  #appended = 0;
  #needsAll = false;
  #tokens = '';
  #pieces = 0;
  #isEnded = false;
  readonly #inTurn = oneAtATime();

  constructor(parts: MirrorParts) {
    this.#parts = parts;
  }

  /**
   * Brings the folder to the state that NATS holds, where it is not in step or newer (where NATS was restored from a backup). Rejects where
   * NATS does not answer; with a UsageError where a newer version of the bridge has written the state.
   */
  async restore(): Promise<void> {
    const { store, name, dir, log } = this.#parts;
    const { last, generation, pieces } = await store.readState(name);
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    const here = hasDatabase(dir) ? positionIn(dir) : NOWHERE;
    this.#last = last;
    this.#generation = Math.max(generation, here.generation) + 1;
    const ahead = here.generation - generation || here.last - last;
    if (ahead > 0)
      log.warn({ account: name }, 'NATS holds an older state of this account than this worker, as after a restore; the newer one holds');
    // A folder of an account that was no fleet's before is its first state.
    if (last === 0 || (ahead >= 0 && here.last > 0)) return;
    const [first, ...rest] = pieces;
    forget(dir);
    if (first?.kind !== 'all') return;
    const { version, rows, tokens } = allContent.parse(jsonObject(first.content));
    if (!canRead(version))
      throw new UsageError(
        'newer_database',
        'a worker with a newer version of heating2mqtt has served this account: run that version here, too',
      );
    const changes = rest.map(({ content }) => changesContent.parse(jsonObject(content)));
    rebuildDatabase(
      dir,
      rows,
      changes.flatMap((one) => one.changes),
    );
    const newest = changes.findLast((one) => one.tokens !== undefined)?.tokens ?? tokens;
    if (newest !== '') replaceFile(join(dir, TOKENS), newest);
    notePosition(dir, { generation, last });
  }

  opened(connection: DatabaseSync): void {
    this.#changes = new RowChanges(connection);
    this.#needsAll = true;
  }

  committed(): void {
    void this.flushed();
  }

  closing(): void {
    const content = this.#next();
    if (content) void this.#inTurn(() => this.#append(content));
    this.#changes = undefined;
  }

  /** Resolves when NATS holds everything that has been written here until now; never where another worker has the account. */
  flushed(): Promise<void> {
    return this.#inTurn(async () => {
      for (let content = this.#next(); content; content = this.#next()) await this.#append(content);
    });
  }

  /** Nothing is appended any more. `lost`: the folder is not believed any more. */
  end({ lost = false } = {}): void {
    this.#isEnded = true;
    if (lost) rmSync(join(this.#parts.dir, POSITION), { force: true });
  }

  #next(): Pick<StatePiece, 'kind' | 'content'> | undefined {
    const changes = this.#changes;
    if (!changes) return undefined;
    const tokens = this.#readTokens();
    const areNew = tokens !== this.#tokens;
    this.#tokens = tokens;
    if (this.#needsAll || this.#appended >= MOST_CHANGES) {
      this.#needsAll = false;
      const rows = changes.all();
      return { kind: 'all', content: JSON.stringify({ version: rows.version, rows, tokens }) };
    }
    const sets = changes.take();
    if (sets.length === 0 && !areNew) return undefined;
    return { kind: 'changes', content: JSON.stringify({ changes: sets, ...(areNew ? { tokens } : {}) }) };
  }

  #readTokens(): string {
    try {
      return readPlainFile(join(this.#parts.dir, TOKENS), MOST_TOKEN_BYTES).toString('utf8');
    } catch (cause) {
      // A file that cannot be read now is no reason to forget a login.
      return codeOf(cause) === 'ENOENT' ? '' : this.#tokens;
    }
  }

  async #append({ kind, content }: Pick<StatePiece, 'kind' | 'content'>): Promise<void> {
    const { store, name, dir, clock, log } = this.#parts;
    const generation = this.#generation;
    const before = this.#last;
    this.#pieces += 1;
    const writer = `${this.#parts.writer} ${this.#pieces}`;
    for (let isTold = false; ; ) {
      if (this.#isEnded) return never();
      try {
        this.#last = await store.append(name, { kind, generation, writer, content }, this.#last);
        break;
      } catch (cause) {
        if (cause instanceof OutOfStep && (await this.#isAppended(writer))) break;
        if (cause instanceof OutOfStep && this.#isEnded) return never();
        if (!isTold && !(cause instanceof OutOfStep))
          log.warn({ account: name, why: messageOf(cause) }, 'NATS does not take the state of this account; commands wait');
        isTold ||= !(cause instanceof OutOfStep);
        await clock.sleep(AGAIN_MS);
      }
    }
    notePosition(dir, { generation, last: this.#last });
    this.#appended = kind === 'all' ? 0 : this.#appended + 1;
    // All rows may lie in several messages.
    if (kind === 'all' && before > 0) await store.forgetBefore(name, before + 1).catch(() => undefined);
  }

  /** True where the message was stored, and only its confirmation was lost. Ends all where another writer has come. */
  async #isAppended(writer: string): Promise<boolean> {
    const found = await this.#parts.store.lastState(this.#parts.name).catch(() => undefined);
    if (!found) return false;
    this.#last = found.last;
    if (found.writer === writer) return true;
    // Where NATS was restored from a backup it holds less: the lease decides whether this worker may go on, and all rows are needed again.
    this.#needsAll = true;
    const isAnother =
      found.generation > this.#generation || (found.generation === this.#generation && !found.writer.startsWith(this.#parts.writer));
    if (isAnother) {
      this.end({ lost: true });
      this.#parts.onLost();
    }
    return false;
  }
}

/** For what is to stay undone until the account is stopped. */
export const never = (): Promise<never> => new Promise(() => undefined);

type Position = { readonly generation: number; readonly last: number };

const NOWHERE: Position = { generation: 0, last: 0 };
const position = z.object({ generation: z.number(), last: z.number() });

const positionIn = (dir: string): Position => {
  try {
    return position.parse(jsonObject(readPlainFile(join(dir, POSITION), 1000).toString('utf8')));
  } catch {
    return NOWHERE;
  }
};

// A power cut may take it: the state is read from NATS then.
const notePosition = (dir: string, position: Position): void =>
  writeFileSync(join(dir, POSITION), JSON.stringify(position), { mode: 0o600 });

/** What the folder holds is of an earlier time at which this worker had the account. */
const forget = (dir: string): void => {
  for (const name of [TOKENS, POSITION]) rmSync(join(dir, name), { force: true });
  removeDatabase(dir);
};
