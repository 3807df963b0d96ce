import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, constants, existsSync, linkSync, openSync, readdirSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dataDirFault } from './dataDir.ts';

/** Unix socket paths end at 108 bytes on Linux and 104 on macOS. */
const LONGEST_PATH = 100;
/** Room for the number of a socket, and for the name that a new one has first. */
const LONGEST_SUFFIX = 20;
const ANSWER_MS = 3000;
/** Each time another process was faster, so that one of them holds it. */
const MOST_TRIES = 100;

const digest = (dir: string): string => createHash('sha1').update(dir).digest('hex').slice(0, 16);

/** Where the sockets of a data folder lie, by a path that is short enough, and what their names begin with. */
type Place = { readonly folder: string; readonly name: string };

const withPlace = async <T>(dir: string, act: (place: Place) => Promise<T>): Promise<T> => {
  const name = 'bridge.sock';
  if (Buffer.byteLength(join(dir, name)) + LONGEST_SUFFIX <= LONGEST_PATH) return act({ folder: dir, name });
  // Where /proc is missing (macOS) the temporary folder is the user's own.
  if (!existsSync('/proc/self/fd')) return act({ folder: tmpdir(), name: `heating2mqtt-${digest(dir)}.sock` });
  const fd = openSync(dir, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    return await act({ folder: `/proc/self/fd/${fd}`, name });
  } finally {
    closeSync(fd);
  }
};

type Found = { readonly path: string; readonly number: number };

const pathOf = ({ folder, name }: Place, number: number): string => join(folder, number === 0 ? name : `${name}.${number}`);

/** The socket with the highest number, which alone counts; undefined where the folder was never held. */
const newestIn = (place: Place): Found | undefined => {
  const numbers = readdirSync(place.folder).flatMap((file) => {
    if (file === place.name) return [0];
    const rest = file.startsWith(`${place.name}.`) ? file.slice(place.name.length + 1) : '';
    return /^[1-9]\d{0,11}$/.test(rest) ? [Number(rest)] : [];
  });
  if (numbers.length === 0) return undefined;
  const number = numbers.reduce((a, b) => Math.max(a, b));
  return { path: pathOf(place, number), number };
};

const pipeOf = (dir: string): string => `\\\\.\\pipe\\heating2mqtt-${digest(dir)}`;

/** What the process that holds the folder says of itself, or undefined where nobody holds it. Rejects where the holder does not answer. */
export const askHolder = async (dir: string): Promise<unknown> => {
  if (process.platform === 'win32') return ask(pipeOf(dir));
  try {
    return await withPlace(dir, async (place) => {
      const newest = newestIn(place);
      return newest && ask(newest.path);
    });
  } catch (error) {
    // Without the folder nobody holds it.
    if (isNobody(error)) return undefined;
    throw error;
  }
};

const ask = async (address: string): Promise<unknown> => {
  const socket = connect(address);
  socket.setTimeout(ANSWER_MS, () => socket.destroy(new Error('the running bridge does not answer')));
  try {
    let text = '';
    for await (const chunk of socket) text += String(chunk);
    return JSON.parse(text);
  } catch (error) {
    if (isNobody(error)) return undefined;
    throw error;
  }
};

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);

// ENOENT: never held; ECONNREFUSED: the holder has ended, however it did, and has left its socket behind.
const isNobody = (error: unknown): boolean => codeOf(error) === 'ENOENT' || codeOf(error) === 'ECONNREFUSED';

/**
 * The lock on a data folder: held by listening on its socket, so that the death of the process ends it. Answers whoever asks.
 *
 * Each holder has a socket of its own with the next number, `bridge.sock.7`. It gets that name by a hard link when it listens already: a
 * socket of which nobody listens has lost its holder for good, and of several that take over from it one alone can make the next name.
 * The highest number stays also after a clean end, so that a process which looked long ago cannot make a name that was there before.
 */
export class Lock {
  readonly #server: Server;
  readonly #askers: ReadonlySet<Socket>;

  private constructor(server: Server, askers: ReadonlySet<Socket>) {
    this.#server = server;
    this.#askers = askers;
  }

  /**
   * Takes the lock, or gives undefined where a living process holds it. `tell` gives what `askHolder` will hear. Throws UsageError where
   * the folder cannot be used, and StorageError where it cannot be used now (full disk).
   */
  static async take(dir: string, tell: () => object): Promise<Lock | undefined> {
    const askers = new Set<Socket>();
    const server = createServer((socket) => {
      askers.add(socket);
      socket.on('error', () => undefined).once('close', () => askers.delete(socket));
      socket.end(JSON.stringify(tell()));
    });
    const lock = new Lock(server, askers);
    try {
      const held = process.platform === 'win32' ? await listens(server, pipeOf(dir)) : await withPlace(dir, (place) => hold(server, place));
      if (held) {
        server.unref();
        return lock;
      }
    } catch (cause) {
      await lock.release();
      throw dataDirFault(dir, cause);
    }
    await lock.release();
    return undefined;
  }

  async release(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    // Somebody who asked and does not listen must not hold us up.
    for (const socket of this.#askers) socket.destroy();
    await closed;
  }
}

/** False where another one listens there. */
const listens = async (server: Server, address: string): Promise<boolean> => {
  try {
    server.listen(address);
    await once(server, 'listening');
    return true;
  } catch (error) {
    if (codeOf(error) === 'EADDRINUSE') return false;
    throw error;
  }
};

const hold = async (server: Server, place: Place): Promise<boolean> => {
  const first = join(place.folder, `${place.name}.${randomBytes(6).toString('hex')}x`);
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const newest = newestIn(place);
    if (newest && (await isAlive(newest.path))) return false;
    if (!server.listening) await listens(server, first);
    const number = (newest?.number ?? 0) + 1;
    const mine = pathOf(place, number);
    if (!isLinked(first, mine)) continue;
    if (newestIn(place)?.number === number) {
      clear(place, mine);
      return true;
    }
    // The name was free since others have gone on from it long ago.
    rmSync(mine, { force: true });
  }
  return false;
};

/** Removes the sockets of those that held it before, and of those that are about to lose. */
const clear = (place: Place, mine: string): void => {
  for (const file of readdirSync(place.folder)) {
    const path = join(place.folder, file);
    if (!file.startsWith(place.name) || path === mine) continue;
    try {
      rmSync(path, { force: true });
    } catch {
      // A folder of that name, which is not ours, or a file system that has become read-only.
    }
  }
};

/** False where the new name is taken, or the old one was cleared away by one who was faster. */
const isLinked = (from: string, to: string): boolean => {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST' || codeOf(error) === 'ENOENT') return false;
    throw error;
  }
};

const isAlive = async (address: string): Promise<boolean> => {
  const socket = connect(address);
  try {
    await once(socket, 'connect');
    return true;
  } catch (error) {
    return !isNobody(error);
  } finally {
    socket.destroy();
  }
};
