import { accessSync, constants, renameSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod/mini';
import { CodedError, codeOf, reasonOf } from '../../shared/errors.ts';
import { jsonObject } from '../../shared/json.ts';
import { type FileLock, makeFolder, ownerOf, PlainFileError, readPlainFile, replaceFile, takeFileLock } from '../../shared/plainFile.ts';
import { STORED_TOKENS, type StoredTokens } from './tokens.ts';

/**
 * `unreadable`: the system refuses; `broken`: no tokens of this version; `unwritable`: disk full, no rights.
 */
export class TokenFileError extends CodedError<'unreadable' | 'broken' | 'unwritable'> {}

const VERSION = 1;
const MOST_BYTES = 1024 * 1024;
/** A change takes a few milliseconds, on a slow disk some hundreds. */
const LOCK_WAIT_MS = 5000;

/** The path of the token file. */
export const tokenPath = (dataDir: string): string => join(dataDir, 'tokens.json');

const FILE = z.extend(STORED_TOKENS, { version: z.literal(VERSION) });

/** True if the text is valid content of `tokens.json`. */
export const areTokens = (text: string): boolean => FILE.safeParse(jsonObject(text)).success;

const tokensText = (tokens: StoredTokens): string => {
  const expires_at = new Date(tokens.expires_at).toISOString();
  const consent_at = new Date(tokens.consent_at).toISOString();
  return `${JSON.stringify({ version: VERSION, ...tokens, expires_at, consent_at }, undefined, 2)}\n`;
};

/** The tokens in `dataDir`; undefined before the first login. Throws TokenFileError; the file stays. */
export const readTokens = (dataDir: string): StoredTokens | undefined => {
  const path = tokenPath(dataDir);
  let text: string;
  try {
    text = readPlainFile(path, MOST_BYTES).toString('utf8');
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined;
    if (cause instanceof PlainFileError)
      throw new TokenFileError('unreadable', `${path} cannot be read: ${cause.message}. Move the file away.`);
    const sentence = `The tokens in ${path} cannot be read (${codeOf(cause)}). Give the user that runs heating2mqtt the right to read and write the file.`;
    throw new TokenFileError('unreadable', sentence, { cause });
  }
  const file = FILE.safeParse(jsonObject(text));
  if (file.success) {
    const { version: _, ...tokens } = file.data;
    return tokens;
  }
  throw new TokenFileError('broken', `${path} contains no tokens of this version of heating2mqtt; the next login renames the file.`);
};

/** The stored tokens; undefined if there are none or the file is damaged. */
export const soundTokens = (dataDir: string): StoredTokens | undefined => {
  try {
    return readTokens(dataDir);
  } catch {
    return undefined;
  }
};

/** Returns the tokens to store. The same tokens or undefined leave the file unchanged. */
export type TokenChange = (held: StoredTokens | undefined) => StoredTokens | undefined;

/** The tokens in the file, and whether the file contains something else. */
const readHeld = (dataDir: string): { readonly held: StoredTokens | undefined; readonly isForeign: boolean } => {
  try {
    return { held: readTokens(dataDir), isForeign: false };
  } catch (error) {
    if (!(error instanceof TokenFileError) || error.code !== 'broken') throw error;
    return { held: undefined, isForeign: true };
  }
};

/** The lock for a change; undefined if it is not available. */
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
  const why = `${reasonOf(cause)}${ownerOf(dirname(path), cause)}`;
  const sentence = `The tokens cannot be stored in ${path}: ${why}. Free disk space, give the user that runs heating2mqtt the right to write there, or set another data_dir.`;
  return new TokenFileError('unwritable', sentence, { cause });
};

/** For a login: creates `dataDir`. Throws TokenFileError if it is no writable folder. */
export const checkWritable = (dataDir: string): void => {
  try {
    makeFolder(dataDir);
    accessSync(dataDir, constants.W_OK);
  } catch (cause) {
    throw unwritable(tokenPath(dataDir), cause);
  }
};

/**
 * Changes the tokens in `dataDir` (created with mode 0700) under a lock, so that a login and a renewal never
 * overwrite unseen tokens. A crash leaves the old or the new file (mode 0600). Other content is renamed to
 * `tokens.json.set-aside-<its mtime>`. Without the lock it writes anyway, or a new refresh token would be
 * lost. Returns the stored tokens. Throws TokenFileError.
 */
export const updateTokens = (dataDir: string, change: TokenChange): StoredTokens | undefined => {
  const path = tokenPath(dataDir);
  try {
    makeFolder(dataDir);
    const lock = takeLock(dataDir);
    try {
      // Without the lock, another process may write at the same time, so the part file gets a unique name.
      return update(dataDir, lock ? `${path}.part` : `${path}.${process.pid}.part`, change);
    } finally {
      lock?.release();
    }
  } catch (cause) {
    throw cause instanceof TokenFileError ? cause : unwritable(path, cause);
  }
};

/** Stores these tokens over any others. Throws TokenFileError. */
export const writeTokens = (dataDir: string, tokens: StoredTokens): void => void updateTokens(dataDir, () => tokens);

/** The token store on the file. Each change calls `changed`, with the tokens if the disk refused them. */
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
