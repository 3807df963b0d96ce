import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import * as z from 'zod/mini';
import { type Clock, within } from '../shared/clock.ts';
import { codeOf, isSqliteError, messageOf, systemCode, UsageError } from '../shared/errors.ts';
import { jsonObject } from '../shared/json.ts';
import type { Log } from '../shared/log.ts';
import { makeFolder, readPlainFile, replaceFile } from '../shared/plainFile.ts';
import { oneAtATime } from '../shared/serialQueue.ts';
import {
  type DatabaseFollower,
  hasDatabase,
  type RowChanges,
  rebuildDatabase,
  removeDatabase,
  rowChanges,
  rowsVersion,
} from '../storage/backup/databaseCopy.ts';
import type { FleetStore, StatePiece } from './fleetStore.ts';
import { natsReason } from './openNats.ts';
import { OutOfStep } from './outOfStep.ts';
import { forgetPosition, isOf, type Line, line, NOWHERE, notePosition, ownerIn, piecesOf, positionIn } from './position.ts';

/** After so many changes all rows are appended anew, so that a new owner has no more to read. */
const MOST_CHANGES = 200;
const AGAIN_MS = 500;
const MOST_TOKEN_BYTES = 1024 * 1024;
const MOST_OWNERS = 100;

const TOKENS = 'tokens.json';
const STRAY =
  'something that is no worker has written among the states of this account on NATS, as an MQTT client can; its state is written anew behind that';

const allContent = z.object({ version: z.number(), rows: z.unknown(), tokens: z.string(), line: z.optional(line) });
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
  /** Whether this worker has the account, as NATS says now. */
  readonly isHeld: () => Promise<boolean>;
  /** Another worker has written since: this one has no right to the account any more. */
  readonly onLost: () => void;
};

/** The copy of an account on NATS, row by row: what the next owner starts from. */
export class Mirror implements DatabaseFollower {
  readonly #parts: MirrorParts;
  #changes: RowChanges | undefined;
  #last = 0;
  #generation = 1;
  #line: Line = [];
  #appended = 0;
  #needsAll = false;
  /** NATS holds rows of this account, to which changes can be added. */
  #hasRows = false;
  #tokens = '';
  /** Of the file of tokens, when it was read last. */
  #tokensVersion = '';
  #unstored: string | undefined;
  #isBehind = false;
  #pieces = 0;
  #isEnded = false;
  readonly #inTurn = oneAtATime();

  constructor(parts: MirrorParts) {
    this.#parts = parts;
  }

  /**
   * Brings the folder to the state that NATS holds, where it is not in step or newer (where NATS was restored from a backup). Rejects where
   * NATS does not answer; with a UsageError where this worker cannot read the state.
   */
  async restore(): Promise<void> {
    const { store, name, dir, writer, log } = this.#parts;
    const { pieces, behind, ...end } = await store.readState(name);
    const [first, ...rest] = pieces;
    const all = first?.kind === 'all' ? readable(() => allContent.parse(jsonObject(first.content))) : undefined;
    if (all && all.version > rowsVersion())
      throw new UsageError(
        'newer_database',
        'a worker with a newer version of heating2mqtt has served this account: run that version here, too',
      );
    makeFolder(dir);
    const here = hasDatabase(dir) ? positionIn(dir) : NOWHERE;
    this.#last = behind;
    this.#generation = Math.max(end.generation, here.generation) + 1;
    const isOwn = isOf(here.line, end);
    // The next piece of this folder lies there, and a kill of NATS has cost its confirmation alone.
    const isNext = isOwn && end.isWhole && here.generation === end.generation && piecesOf(end) - 1 === here.pieces;
    const goesOn = isOwn && (isNext || here.generation > end.generation || here.last >= end.last);
    if (goesOn && !isNext && here.last !== end.last)
      log.warn({ account: name }, 'NATS holds an older state of this account than this worker, as after a restore; the newer one holds');
    if (!isOwn && end.generation > 0 && here.generation >= end.generation)
      log.warn({ account: name }, 'another worker has gone on with this account from a backup of NATS; what this worker had is given up');
    // A folder of an account that was no fleet's before is its first state, until NATS has a whole one.
    const stays = pieces.length === 0 || goesOn;
    if (!stays && first?.kind === 'changes')
      throw new UsageError('usage', 'the state of this account cannot be read (its beginning is gone from NATS)');
    if (!stays) forget(dir);
    this.#hasRows = all !== undefined;
    const before = stays ? here.line : [...(all?.line ?? []).filter(([generation]) => generation < end.generation), ownerIn(end)];
    this.#line = [...before, ownerIn({ generation: this.#generation, writer })].slice(-MOST_OWNERS);
    if (stays || !all) return;
    readable(() => {
      const changes = rest.map(({ content }) => changesContent.parse(jsonObject(content)));
      rebuildDatabase(
        dir,
        all.rows,
        changes.flatMap((one) => one.changes),
      );
      const newest = changes.findLast((one) => one.tokens !== undefined)?.tokens ?? all.tokens;
      if (newest !== '') replaceFile(join(dir, TOKENS), newest);
    });
    notePosition(dir, { generation: end.generation, last: end.last, line: before });
  }

  opened(connection: DatabaseSync): void {
    this.#changes = rowChanges(connection);
    this.#needsAll = true;
  }

  committed(): void {
    void this.flushed().catch(this.#failed);
  }

  behind(isBehind: boolean): void {
    this.#isBehind = isBehind;
  }

  /** Changes wait in memory, as the disk does not take them: a hand-over would lose them. */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  /** The tokens are other ones; `unstored`: those that the disk does not take, until it does. */
  tokensChanged(unstored?: string): void {
    this.#unstored = unstored;
    this.committed();
  }

  closing(): void {
    const content = this.#next();
    if (content) void this.#inTurn(() => this.#append(content)).catch(this.#failed);
    this.#changes = undefined;
    // What is not written by now is lost.
    this.#isBehind = false;
  }

  /** Resolves when NATS holds everything that has been written here until now; never where another worker has the account. */
  flushed(): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#isEnded) return never();
      for (let content = this.#next(); content; content = this.#next()) await this.#append(content);
    });
  }

  /** The same, given up where that is not so any more, or another worker has the account: false then. */
  async flushedWhile(isHeld: () => boolean): Promise<boolean> {
    const done = this.flushed().then(() => true);
    while (!this.#isEnded && isHeld()) if (await within(this.#parts.clock, AGAIN_MS, done)) return true;
    return false;
  }

  /** Nothing is appended any more. */
  end(): void {
    this.#isEnded = true;
  }

  readonly #failed = (cause: unknown): void =>
    this.#parts.log.error({ account: this.#parts.name, why: messageOf(cause) }, 'the state of this account is not copied to NATS');

  #next(): Pick<StatePiece, 'kind' | 'content'> | undefined {
    const changes = this.#changes;
    // While the account does not run, a person may log in all the same.
    if (!changes && !this.#hasRows) return undefined;
    const tokens = this.#readTokens();
    const areNew = tokens !== this.#tokens;
    this.#tokens = tokens;
    if (changes && (this.#needsAll || this.#appended >= MOST_CHANGES)) {
      this.#needsAll = false;
      const rows = changes.all();
      return { kind: 'all', content: JSON.stringify({ version: rows.version, rows, tokens, line: this.#line }) };
    }
    const sets = changes?.take() ?? [];
    if (sets.length === 0 && !areNew) return undefined;
    return { kind: 'changes', content: JSON.stringify({ changes: sets, ...(areNew ? { tokens } : {}) }) };
  }

  #readTokens(): string {
    if (this.#unstored !== undefined) return this.#unstored;
    const file = join(this.#parts.dir, TOKENS);
    try {
      const { ino, size, mtimeNs } = statSync(file, { bigint: true });
      const version = `${ino} ${size} ${mtimeNs}`;
      if (version === this.#tokensVersion) return this.#tokens;
      const tokens = readPlainFile(file, MOST_TOKEN_BYTES).toString('utf8');
      this.#tokensVersion = version;
      return tokens;
    } catch (cause) {
      // A file that cannot be read now is no reason to forget a login.
      return codeOf(cause) === 'ENOENT' ? '' : this.#tokens;
    }
  }

  async #append({ kind, content }: Pick<StatePiece, 'kind' | 'content'>): Promise<void> {
    const { store, name, dir, clock, log } = this.#parts;
    const generation = this.#generation;
    let before = this.#last;
    // A folder without the newest login is no state to go on with: a number is left out, so that this is no next piece of it.
    this.#pieces += this.#unstored === undefined ? 1 : 2;
    const pieces = this.#pieces;
    const writer = `${this.#parts.writer} ${pieces}`;
    if (this.#unstored !== undefined) forgetPosition(dir);
    for (let isTold = false; ; ) {
      if (this.#isEnded) return never();
      // Where NATS was restored from a backup, its numbers go back, too.
      before = Math.min(before, this.#last);
      try {
        this.#last = await store.append(name, { kind, generation, writer, content }, this.#last);
        break;
      } catch (cause) {
        if (cause instanceof OutOfStep && (await this.#isAppended(writer))) break;
        if (cause instanceof OutOfStep && this.#isEnded) return never();
        if (!isTold && !(cause instanceof OutOfStep))
          log.warn({ account: name, why: natsReason(cause) }, 'NATS does not take the state of this account; commands wait');
        isTold ||= !(cause instanceof OutOfStep);
        await clock.sleep(AGAIN_MS);
      }
    }
    if (this.#unstored === undefined) notePosition(dir, { generation, last: this.#last, line: this.#line, pieces });
    this.#hasRows ||= kind === 'all';
    this.#appended = kind === 'all' ? 0 : this.#appended + 1;
    // All rows may lie in several messages. Nothing waits for what is not needed any more to go.
    if (kind === 'all' && before > 0) store.forgetBefore(name, before + 1).catch(() => undefined);
  }

  /** True where the message was stored, and only its confirmation was lost. Ends all where another writer has come. */
  async #isAppended(writer: string): Promise<boolean> {
    const found = await this.#parts.store.lastState(this.#parts.name).catch(() => undefined);
    if (!found) return false;
    this.#last = found.last;
    // Of a piece in several parts all are needed: it is appended again, behind what there is of it.
    if (found.writer === writer) return found.isWhole;
    // Where NATS was restored from a backup it holds less: the lease decides whether this worker may go on, and all rows are needed again.
    this.#needsAll = true;
    // What no worker has written, as an MQTT client of NATS can, takes the account from nobody.
    const isStray = found.last > 0 && found.writer === '';
    if (isStray) this.#parts.log.warn({ account: this.#parts.name }, STRAY);
    if (isStray ? !(await this.#parts.isHeld()) : found.last > 0 && !isOf(this.#line, found)) {
      this.end();
      this.#parts.onLost();
    }
    return false;
  }
}

/** For what is to stay undone until the account is stopped. */
export const never = (): Promise<never> => new Promise(() => undefined);

/** Throws a UsageError where that cannot be read, as where it was damaged. */
const readable = <T>(work: () => T): T => {
  try {
    return work();
  } catch (cause) {
    if (systemCode(cause) !== undefined || isSqliteError(cause)) throw cause;
    throw new UsageError('usage', `the state of this account cannot be read (${messageOf(cause)})`, { cause });
  }
};

/** What the folder holds is of an earlier time at which this worker had the account. */
const forget = (dir: string): void => {
  rmSync(join(dir, TOKENS), { force: true });
  forgetPosition(dir);
  removeDatabase(dir);
};
