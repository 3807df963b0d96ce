import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod/mini';
import { type Clock, DAY_MS } from '../../shared/clock.ts';
import { codeOf } from '../../shared/errors.ts';
import { jsonObject } from '../../shared/json.ts';
import type { Log } from '../../shared/log.ts';
import { readPlainFile, replaceFile } from '../../shared/plainFile.ts';
import { hashPassword, isHashed, isPassword } from './password.ts';

const FILE = 'sessions.json';
const MOST_BYTES = 64 * 1024;
const MOST_SESSIONS = 50;
/** A session ends this long after its last use. */
export const SESSION_MS = 90 * DAY_MS;

/** `hash`: the SHA-256 digest of the token; `seen`: its last use in epoch ms, exact to a day. */
const Stored = z.object({
  password: z.string(),
  sessions: z.array(z.object({ hash: z.string(), seen: z.number() })),
});
type Stored = z.infer<typeof Stored>;

const digest = (token: string): string => createHash('sha256').update(token).digest('hex');

/** The sessions, kept in `data_dir` over restarts. The file has only digests of tokens and passwords. */
export const sessionsIn = (dataDir: string, first: string | undefined, clock: Pick<Clock, 'now'>, log: Log) => {
  const path = join(dataDir, FILE);
  let wanted = first;
  let stored: Stored = { password: '', sessions: [] };
  let ready: Promise<void> | undefined;

  /** True if this is the password of the page. */
  const isRight = async (text: string): Promise<boolean> => {
    await load();
    return stored.password !== '' && (await isPassword(text, stored.password));
  };

  /** Begins a session and returns its token. */
  const begin = async (): Promise<string> => {
    await load();
    const token = randomBytes(32).toString('base64url');
    const others = stored.sessions.toSorted((a, b) => b.seen - a.seen).slice(0, MOST_SESSIONS - 1);
    keep([...others, { hash: digest(token), seen: clock.now() }]);
    return token;
  };

  /** True if the token belongs to a session. This counts as a use. */
  const has = async (token: string): Promise<boolean> => {
    await load();
    const hash = digest(token);
    const now = clock.now();
    const found = stored.sessions.find((one) => one.hash === hash && now - one.seen < SESSION_MS);
    // A use in the future predates a clock correction.
    if (found && Math.abs(now - found.seen) > DAY_MS) keep([...stored.sessions.filter((one) => one !== found), { hash, seen: now }]);
    return found !== undefined;
  };

  const end = async (token: string): Promise<void> => {
    await load();
    keep(stored.sessions.filter(({ hash }) => hash !== digest(token)));
  };

  /** Changes the password and ends all sessions, but not with `kept` (a set-up that ends with a password). */
  const changePassword = async (changed: string | undefined, { kept = false } = {}): Promise<void> => {
    await load();
    const { sessions } = stored;
    wanted = changed;
    ready = undefined;
    await load();
    if (kept) keep(sessions);
  };

  const load = (): Promise<void> => {
    ready ??= read();
    return ready;
  };

  /** A plain text password is compared by its own digest, so the disk has no readable form of it. */
  const read = async (): Promise<void> => {
    const before = readFile();
    const password = wanted;
    const isSame =
      before !== undefined &&
      (password === undefined || isHashed(password)
        ? before.password === (password ?? '')
        : before.password !== '' && (await isPassword(password, before.password)));
    if (before && isSame) {
      stored = before;
      return;
    }
    const hashed = password === undefined || isHashed(password) ? (password ?? '') : await hashPassword(password);
    stored = { password: hashed, sessions: [] };
    write();
  };

  const readFile = (): Stored | undefined => {
    try {
      return Stored.parse(jsonObject(readPlainFile(path, MOST_BYTES).toString('utf8')));
    } catch {
      return undefined;
    }
  };

  const keep = (sessions: Stored['sessions']): void => {
    const now = clock.now();
    stored = { ...stored, sessions: sessions.filter(({ seen }) => now - seen < SESSION_MS) };
    write();
  };

  const write = (): void => {
    try {
      replaceFile(path, `${JSON.stringify(stored)}\n`);
    } catch (cause) {
      log.warn({ file: path, why: codeOf(cause) }, 'the logins of the page cannot be stored; they end with this process');
    }
  };

  return { isPassword: isRight, begin, has, end, changePassword };
};

export type Sessions = ReturnType<typeof sessionsIn>;
