import { accessSync, constants, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { CodedError, codeOf } from '../../shared/errors.ts';
import { jsonObject } from '../../shared/json.ts';
import { type FileLock, makeFolder, PlainFileError, readPlainFile, replaceFile, takeFileLock } from '../../shared/plainFile.ts';
import { STORED_TOKENS, type StoredTokens } from './tokens.ts';

/** `unreadable`: refused by the system; `broken`: the file holds no tokens of this version; `unwritable`: full disk, no rights. */
export class TokenFileError extends CodedError<'unreadable' | 'broken' | 'unwritable'> {}

const VERSION = 1;
const MOST_BYTES = 1024 * 1024;
/** A change takes some milliseconds, on a slow disk some hundreds. */
const LOCK_WAIT_MS = 5000;

/** Where the tokens are kept. */
export const tokenPath = (dataDir: string): string => join(dataDir, 'tokens.json');

const FILE = z.extend(STORED_TOKENS, { version: z.literal(VERSION) });

/** True for a text that `tokens.json` can have. */
export const areTokens = (text: string): boolean => FILE.safeParse(jsonObject(text)).success;

const tokensText = (tokens: StoredTokens): string => {
  const expires_at = new Date(tokens.expires_at).toISOString();
  const consent_at = new Date(tokens.consent_at).toISOString();
  return `${JSON.stringify({ version: VERSION, ...tokens, expires_at, consent_at }, undefined, 2)}\n`;
};

/** The tokens kept in `dataDir`; undefined before the first login. Throws TokenFileError, whose sentence says what to do; the file stays as it is. */
export const readTokens = (dataDir: string): StoredTokens | undefined => {
  const path = tokenPath(dataDir);
  let text: string;
  try {
    text = readPlainFile(path, MOST_BYTES).toString('utf8');
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined;
    if (cause instanceof PlainFileError) throw new TokenFileError('unreadable', `${path} cannot be read: ${cause.message}. Move it away.`);
    const sentence = `The tokens in ${path} cannot be read (${codeOf(cause)}). Give the user that runs heating2mqtt the right to read and write it.`;
    throw new TokenFileError('unreadable', sentence, { cause });
  }
  const file = FILE.safeParse(jsonObject(text));
  if (file.success) {
    const { version: _, ...tokens } = file.data;
    return tokens;
  }
  throw new TokenFileError('broken', `${path} holds no tokens of this version of heating2mqtt; the next login sets the file aside.`);
};

/** The tokens of a login; undefined where there is none, or its file is damaged. */
export const soundTokens = (dataDir: string): StoredTokens | undefined => {
  try {
    return readTokens(dataDir);
  } catch {
    return undefined;
  }
};

/** Gives the tokens to store in place of those that are held. The same tokens, or undefined, leave the file as it is. */
export type TokenChange = (held: StoredTokens | undefined) => StoredTokens | undefined;

/** The tokens there, and whether the file holds something else. */
const readHeld = (dataDir: string): { readonly held: StoredTokens | undefined; readonly isForeign: boolean } => {
  try {
    return { held: readTokens(dataDir), isForeign: false };
  } catch (error) {
    if (!(error instanceof TokenFileError) || error.code !== 'broken') throw error;
    return { held: undefined, isForeign: true };
  }
};

/** The lock for a change; undefined where it cannot be had. */
const takeLock = (dataDir: string): FileLock | undefined => {
  try {
    return takeFileLock(join(dataDir, 'tokens.lock'), LOCK_WAIT_MS);
  } catch {
    return undefined;
  }
};

const update = (dataDir: string, part: string, change: TokenChange): StoredTokens | undefined => {
  const path = tokenPath(dataDir);
  const { held, isForeign } = readHeld(dataDir);
  const now = change(held);
  if (now === undefined || now === held) return held;
  const setAside = (): void => renameSync(path, `${path}.set-aside-${Math.round(statSync(path).mtimeMs)}`);
  replaceFile(path, tokensText(now), { part, ...(isForeign ? { beforeRename: setAside } : {}) });
  return now;
};

const unwritable = (path: string, cause: unknown): TokenFileError => {
  const sentence = `The tokens cannot be stored in ${path} (${codeOf(cause)}). Make room or give the user that runs heating2mqtt the right to write there.`;
  return new TokenFileError('unwritable', sentence, { cause });
};

/** For a login: creates `dataDir` where it is missing, and throws TokenFileError where it is no folder, or takes no file. */
export const checkWritable = (dataDir: string): void => {
  try {
    makeFolder(dataDir);
    accessSync(dataDir, constants.W_OK);
  } catch (cause) {
    throw unwritable(tokenPath(dataDir), cause);
  }
};

/**
 * Changes the tokens in `dataDir` (created with mode 0700) while no other process does, so that a login and a renewal never overwrite tokens
 * that they have not seen. A crash leaves the old file or the new one, mode 0600. A file that holds something else is renamed to
 * `tokens.json.set-aside-<its time>`. Where the lock cannot be had, the change is made without it: a refresh token that is not stored would be
 * lost with this process. Gives the tokens that are stored then; throws TokenFileError.
 */
export const updateTokens = (dataDir: string, change: TokenChange): StoredTokens | undefined => {
  const path = tokenPath(dataDir);
  try {
    makeFolder(dataDir);
    const lock = takeLock(dataDir);
    try {
      // Without the lock another process could write at the same moment, so the part has a name of its own.
      return update(dataDir, lock ? `${path}.part` : `${path}.${process.pid}.part`, change);
    } finally {
      lock?.release();
    }
  } catch (cause) {
    throw cause instanceof TokenFileError ? cause : unwritable(path, cause);
  }
};

/** Stores these tokens in place of any others. Throws TokenFileError. */
export const writeTokens = (dataDir: string, tokens: StoredTokens): void => void updateTokens(dataDir, () => tokens);

/** The file as a store: what TokenKeeper and the login work on. `changed` is told of each change; `unstored`: what the disk does not take. */
export const tokenFile = (dataDir: string, changed?: (unstored: string | undefined) => void) => ({
  read: (): StoredTokens | undefined => readTokens(dataDir),
  update: (change: TokenChange): StoredTokens | undefined => {
    let unstored: StoredTokens | undefined;
    const noted: TokenChange = (held) => {
      unstored = change(held);
      return unstored;
    };
    try {
      const kept = updateTokens(dataDir, noted);
      changed?.(undefined);
      return kept;
    } catch (cause) {
      if (unstored) changed?.(tokensText(unstored));
      throw cause;
    }
  },
});

export type TokenStore = ReturnType<typeof tokenFile>;
