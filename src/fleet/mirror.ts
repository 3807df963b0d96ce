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

/** The number of changes after which all rows are appended again, to limit the replay of a new owner. */
const MOST_CHANGES = 200;
const AGAIN_MS = 500;
const MOST_TOKEN_BYTES = 1024 * 1024;
const MOST_OWNERS = 100;

const TOKENS = 'tokens.json';
const STRAY =
  'a client that is not a worker, such as an MQTT client, has written into the stored state of this account on NATS; the worker writes the state again';

const allContent = z.object({ version: z.number(), rows: z.unknown(), tokens: z.string(), line: z.optional(line) });
const changesContent = z.object({ changes: z.array(z.string()), tokens: z.optional(z.string()) });

export type MirrorParts = {
  readonly store: Pick<FleetStore, 'append' | 'readState' | 'lastState' | 'forgetBefore'>;
  readonly name: string;
  /** The folder of the account. */
  readonly dir: string;
  /** The id of the lease of this writer. */
  readonly writer: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether this worker holds the account, confirmed by NATS. */
  readonly isHeld: () => Promise<boolean>;
  /** Another worker has written since: this worker lost the account. */
  readonly onLost: () => void;
};

/** The copy of an account on NATS, row by row. The next owner starts from it. */
export class Mirror implements DatabaseFollower {
  readonly #parts: MirrorParts;
  #changes: RowChanges | undefined;
  #last = 0;
  #generation = 1;
  #line: Line = [];
  #appended = 0;
  #needsAll = false;
  /** NATS has rows of this account, so changes can be appended. */
  #hasRows = false;
  #tokens = '';
  /** The version of the token file at its last read. */
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
   * Updates the folder to the state on NATS, unless the folder is in step or newer (NATS restored from a
   * backup). Rejects if NATS does not answer; with a UsageError if this worker cannot read the state.
   */
  async restore(): Promise<void> {
    const { store, name, dir, writer, log } = this.#parts;
    const { pieces, behind, ...end } = await store.readState(name);
    const [first, ...rest] = pieces;
    const all = first?.kind === 'all' ? readable(() => allContent.parse(jsonObject(first.content))) : undefined;
    if (all && all.version > rowsVersion())
      throw new UsageError(
        'newer_database',
        'a worker with a newer version of heating2mqtt has served this account: run that version here too',
      );
    makeFolder(dir);
    const here = hasDatabase(dir) ? positionIn(dir) : NOWHERE;
    this.#last = behind;
    this.#generation = Math.max(end.generation, here.generation) + 1;
    const isOwn = isOf(here.line, end);
    // NATS has the next piece of this folder; only its confirmation was lost (NATS was killed).
    const isNext = isOwn && end.isWhole && here.generation === end.generation && piecesOf(end) - 1 === here.pieces;
    const goesOn = isOwn && (isNext || here.generation > end.generation || here.last >= end.last);
    if (goesOn && !isNext && here.last !== end.last)
      log.warn(
        { account: name },
        'NATS has an older state of this account than this worker, for example after a restore; the newer state is used',
      );
    if (!isOwn && end.generation > 0 && here.generation >= end.generation)
      log.warn({ account: name }, 'another worker has continued this account from a backup of NATS; the state of this worker is discarded');
    // The folder of an account from outside a fleet is its first state, until NATS has a complete one.
    const stays = pieces.length === 0 || goesOn;
    if (!stays && first?.kind === 'changes')
      throw new UsageError('usage', 'the state of this account cannot be read (its first part is missing on NATS)');
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

  /** Changes wait in memory because the disk refuses them: a hand-over would lose them. */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  /** The tokens have changed. `unstored`: tokens that the disk refused, until it accepts them. */
  tokensChanged(unstored?: string): void {
    this.#unstored = unstored;
    this.committed();
  }

  closing(): void {
    const content = this.#next();
    if (content) void this.#inTurn(() => this.#append(content)).catch(this.#failed);
    this.#changes = undefined;
    // Changes that are not written by now are lost.
    this.#isBehind = false;
  }

  /** Resolves when NATS has all earlier writes; never if another worker has the account. */
  flushed(): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#isEnded) return never();
      for (let content = this.#next(); content; content = this.#next()) await this.#append(content);
    });
  }

  /** The same; returns false if `isHeld` becomes false or another worker has the account. */
  async flushedWhile(isHeld: () => boolean): Promise<boolean> {
    const done = this.flushed().then(() => true);
    while (!this.#isEnded && isHeld()) if (await within(this.#parts.clock, AGAIN_MS, done)) return true;
    return false;
  }

  /** Stops all appends. */
  end(): void {
    this.#isEnded = true;
  }

  readonly #failed = (cause: unknown): void =>
    this.#parts.log.error({ account: this.#parts.name, why: messageOf(cause) }, 'the state of this account is not copied to NATS');

  #next(): Pick<StatePiece, 'kind' | 'content'> | undefined {
    const changes = this.#changes;
    // A person may log in even while the account does not run.
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
      // A temporarily unreadable file does not delete the login on NATS.
      return codeOf(cause) === 'ENOENT' ? '' : this.#tokens;
    }
  }

  async #append({ kind, content }: Pick<StatePiece, 'kind' | 'content'>): Promise<void> {
    const { store, name, dir, clock, log } = this.#parts;
    const generation = this.#generation;
    let before = this.#last;
    // A folder without the newest login must not be continued: skip a number, so the next piece does not
    // match.
    this.#pieces += this.#unstored === undefined ? 1 : 2;
    const pieces = this.#pieces;
    const writer = `${this.#parts.writer} ${pieces}`;
    if (this.#unstored !== undefined) forgetPosition(dir);
    for (let isTold = false; ; ) {
      if (this.#isEnded) return never();
      // A restore of NATS from a backup also resets its sequence numbers.
      before = Math.min(before, this.#last);
      try {
        this.#last = await store.append(name, { kind, generation, writer, content }, this.#last);
        break;
      } catch (cause) {
        if (cause instanceof OutOfStep && (await this.#isAppended(writer))) break;
        if (cause instanceof OutOfStep && this.#isEnded) return never();
        if (!isTold && !(cause instanceof OutOfStep))
          log.warn(
            { account: name, why: natsReason(cause) },
            'NATS does not accept the state of this account; commands wait until it does',
          );
        isTold ||= !(cause instanceof OutOfStep);
        await clock.sleep(AGAIN_MS);
      }
    }
    if (this.#unstored === undefined) notePosition(dir, { generation, last: this.#last, line: this.#line, pieces });
    this.#hasRows ||= kind === 'all';
    this.#appended = kind === 'all' ? 0 : this.#appended + 1;
    // All rows may span several messages. The deletion of old messages runs in the background.
    if (kind === 'all' && before > 0) store.forgetBefore(name, before + 1).catch(() => undefined);
  }

  /** True if the message was stored without its confirmation. Ends the mirror if another worker wrote. */
  async #isAppended(writer: string): Promise<boolean> {
    const found = await this.#parts.store.lastState(this.#parts.name).catch(() => undefined);
    if (!found) return false;
    this.#last = found.last;
    // A piece needs all its parts: an incomplete one is appended again, after the existing parts.
    if (found.writer === writer) return found.isWhole;
    // NATS restored from a backup has less: the lease decides whether to continue; all rows are appended
    // again.
    this.#needsAll = true;
    // A message of another program (an MQTT client of NATS) does not end this worker's ownership.
    const isStray = found.last > 0 && found.writer === '';
    if (isStray) this.#parts.log.warn({ account: this.#parts.name }, STRAY);
    if (isStray ? !(await this.#parts.isHeld()) : found.last > 0 && !isOf(this.#line, found)) {
      this.end();
      this.#parts.onLost();
    }
    return false;
  }
}

/** A promise that stays pending until the account is stopped. */
export const never = (): Promise<never> => new Promise(() => undefined);

/** Throws a UsageError if the content cannot be read, for example if it is damaged. */
const readable = <T>(work: () => T): T => {
  try {
    return work();
  } catch (cause) {
    if (systemCode(cause) !== undefined || isSqliteError(cause)) throw cause;
    throw new UsageError('usage', `the state of this account cannot be read (${messageOf(cause)})`, { cause });
  }
};

/** Deletes the data of an earlier ownership by this worker. */
const forget = (dir: string): void => {
  rmSync(join(dir, TOKENS), { force: true });
  forgetPosition(dir);
  removeDatabase(dir);
};
