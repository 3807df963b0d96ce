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
/** A session ends so long after its last use. */
export const SESSION_MS = 90 * DAY_MS;

/** `hash` is the SHA-256 digest of the token; `seen` is its last use in epoch milliseconds, exact to a day. */
const Stored = z.object({
  password: z.string(),
  sessions: z.array(z.object({ hash: z.string(), seen: z.number() })),
});
type Stored = z.infer<typeof Stored>;

const digest = (token: string): string => createHash('sha256').update(token).digest('hex');

/** Who is logged in, kept in `data_dir` over restarts. The file holds no token and no password, only digests of them. */
export class Sessions {
  readonly #path: string;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #log: Log;
  #password: string | undefined;
  #stored: Stored = { password: '', sessions: [] };
  #ready: Promise<void> | undefined;

  constructor(dataDir: string, password: string | undefined, clock: Pick<Clock, 'now'>, log: Log) {
    this.#path = join(dataDir, FILE);
    this.#password = password;
    this.#clock = clock;
    this.#log = log;
  }

  /** True where this is the password of the page. */
  async isPassword(text: string): Promise<boolean> {
    await this.#load();
    return this.#stored.password !== '' && (await isPassword(text, this.#stored.password));
  }

  /** Begins a session and gives its token. */
  async begin(): Promise<string> {
    await this.#load();
    const token = randomBytes(32).toString('base64url');
    const others = this.#stored.sessions.toSorted((a, b) => b.seen - a.seen).slice(0, MOST_SESSIONS - 1);
    this.#keep([...others, { hash: digest(token), seen: this.#clock.now() }]);
    return token;
  }

  /** True where the token belongs to a session, which is used by that. */
  async has(token: string): Promise<boolean> {
    await this.#load();
    const hash = digest(token);
    const now = this.#clock.now();
    const found = this.#stored.sessions.find((one) => one.hash === hash && now - one.seen < SESSION_MS);
    // A use in the future is one from before a clock was set right.
    if (found && Math.abs(now - found.seen) > DAY_MS)
      this.#keep([...this.#stored.sessions.filter((one) => one !== found), { hash, seen: now }]);
    return found !== undefined;
  }

  async end(token: string): Promise<void> {
    await this.#load();
    this.#keep(this.#stored.sessions.filter(({ hash }) => hash !== digest(token)));
  }

  /** Another password from now on. It ends every session; with `kept` those that there are stay, as those of a set-up that ends with it. */
  async changePassword(password: string | undefined, { kept = false } = {}): Promise<void> {
    await this.#load();
    const { sessions } = this.#stored;
    this.#password = password;
    this.#ready = undefined;
    await this.#load();
    if (kept) this.#keep(sessions);
  }

  #load(): Promise<void> {
    this.#ready ??= this.#read();
    return this.#ready;
  }

  /** A password in plain text is compared by a digest of its own, so that no readable form of it is on disk. */
  async #read(): Promise<void> {
    const before = this.#readFile();
    const password = this.#password;
    const isSame =
      before !== undefined &&
      (password === undefined || isHashed(password)
        ? before.password === (password ?? '')
        : before.password !== '' && (await isPassword(password, before.password)));
    if (before && isSame) {
      this.#stored = before;
      return;
    }
    const hashed = password === undefined || isHashed(password) ? (password ?? '') : await hashPassword(password);
    this.#stored = { password: hashed, sessions: [] };
    this.#write();
  }

  #readFile(): Stored | undefined {
    try {
      return Stored.parse(jsonObject(readPlainFile(this.#path, MOST_BYTES).toString('utf8')));
    } catch {
      return undefined;
    }
  }

  #keep(sessions: Stored['sessions']): void {
    const now = this.#clock.now();
    this.#stored = { ...this.#stored, sessions: sessions.filter(({ seen }) => now - seen < SESSION_MS) };
    this.#write();
  }

  #write(): void {
    try {
      replaceFile(this.#path, `${JSON.stringify(this.#stored)}\n`);
    } catch (cause) {
      this.#log.warn({ file: this.#path, why: codeOf(cause) }, 'the logins of the page cannot be stored; they end with this process');
    }
  }
}
