import { chmod, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { CodedError } from '../../shared/errors.ts';
import { jsonObject } from '../../shared/json.ts';
import { PlainFileError, readPlainFile } from '../../shared/plainFile.ts';
import { systemCode } from '../errors.ts';
import { withFileLock } from './fileLock.ts';
import { STORED_TOKENS, type StoredTokens } from './tokens.ts';

/** `unreadable`: refused by the system; `broken`: the file holds no tokens of this version; `unwritable`: full disk, no rights. */
export class TokenFileError extends CodedError<'unreadable' | 'broken' | 'unwritable'> {}

const VERSION = 1;
const MOST_BYTES = 1024 * 1024;

/** Where the tokens are kept. */
export const tokenPath = (dataDir: string): string => join(dataDir, 'tokens.json');

const FILE = z.extend(STORED_TOKENS, { version: z.literal(VERSION) });

const printed = (tokens: StoredTokens): string => {
  const expires_at = new Date(tokens.expires_at).toISOString();
  const consent_at = new Date(tokens.consent_at).toISOString();
  return `${JSON.stringify({ version: VERSION, ...tokens, expires_at, consent_at }, undefined, 2)}\n`;
};

/** The tokens kept in `dataDir`; undefined before the first login. Throws TokenFileError, whose sentence says what to do; the file stays as it is. */
export const readTokens = async (dataDir: string): Promise<StoredTokens | undefined> => {
  const path = tokenPath(dataDir);
  let text: string;
  try {
    text = readPlainFile(path, MOST_BYTES).toString('utf8');
  } catch (cause) {
    if (systemCode(cause) === 'ENOENT') return undefined;
    if (cause instanceof PlainFileError) throw new TokenFileError('unreadable', `${path} cannot be read: ${cause.message}. Move it away.`);
    const sentence = `The tokens in ${path} cannot be read (${systemCode(cause)}). Give the user that runs heating2mqtt the right to read and write it.`;
    throw new TokenFileError('unreadable', sentence, { cause });
  }
  const file = FILE.safeParse(jsonObject(text));
  if (file.success) {
    const { version: _, ...tokens } = file.data;
    return tokens;
  }
  throw new TokenFileError(
    'broken',
    `${path} holds no tokens of this version of heating2mqtt. Run \`heating2mqtt login\`; the file is then set aside.`,
  );
};

/** Writes a new file with mode 0600. An existing file or link is removed first, so that nothing is written through a link. */
const writeWhole = async (path: string, text: string): Promise<void> => {
  await rm(path, { force: true });
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
};

/** The tokens there; `foreign` where the file holds something else. */
const readHeld = async (dataDir: string): Promise<StoredTokens | 'foreign' | undefined> => {
  try {
    return await readTokens(dataDir);
  } catch (error) {
    if (!(error instanceof TokenFileError) || error.code !== 'broken') throw error;
    return 'foreign';
  }
};

const setAside = async (path: string): Promise<void> => {
  const { mtimeMs } = await stat(path);
  await rename(path, `${path}.set-aside-${Math.round(mtimeMs)}`);
};

/** Gives the tokens to store in place of those that are held. The same tokens, or undefined, leave the file as it is. */
export type TokenChange = (held: StoredTokens | undefined) => StoredTokens | undefined;

const update = async (dataDir: string, change: TokenChange): Promise<StoredTokens | undefined> => {
  const path = tokenPath(dataDir);
  const part = `${path}.part`;
  const before = await readHeld(dataDir);
  const held = before === 'foreign' ? undefined : before;
  const now = change(held);
  if (now === undefined || now === held) return held;
  try {
    await writeWhole(part, printed(now));
    if (before === 'foreign') await setAside(path);
    await rename(part, path);
  } catch (cause) {
    await rm(part, { force: true }).catch(() => undefined);
    throw cause;
  }
  return now;
};

/**
 * Changes the tokens in `dataDir` (created with mode 0700) while no other process does, so that a login and a renewal never overwrite tokens
 * that they have not seen. A crash leaves the old file or the new one, mode 0600. A file that holds something else is renamed to
 * `tokens.json.set-aside-<its time>`. Gives the tokens that are stored then; throws TokenFileError.
 */
export const updateTokens = async (dataDir: string, change: TokenChange): Promise<StoredTokens | undefined> => {
  const path = tokenPath(dataDir);
  try {
    if ((await mkdir(dataDir, { recursive: true, mode: 0o700 })) !== undefined) await chmod(dataDir, 0o700);
    return await withFileLock(`${path}.lock`, () => update(dataDir, change));
  } catch (cause) {
    if (cause instanceof TokenFileError) throw cause;
    const sentence = `The tokens cannot be stored in ${path} (${systemCode(cause)}). Make room or give the user that runs heating2mqtt the right to write there.`;
    throw new TokenFileError('unwritable', sentence, { cause });
  }
};

/** Stores these tokens in place of any others. Throws TokenFileError. */
export const writeTokens = async (dataDir: string, tokens: StoredTokens): Promise<void> => {
  await updateTokens(dataDir, () => tokens);
};

/** The file as a store: what TokenKeeper and the login work on. */
export const tokenFile = (dataDir: string) => ({
  read: (): Promise<StoredTokens | undefined> => readTokens(dataDir),
  write: (tokens: StoredTokens): Promise<void> => writeTokens(dataDir, tokens),
  update: (change: TokenChange): Promise<StoredTokens | undefined> => updateTokens(dataDir, change),
});
