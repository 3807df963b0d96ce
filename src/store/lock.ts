import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Unix socket paths end at 108 bytes on Linux and 104 on macOS. */
const LONGEST_PATH = 100;
const ANSWER_MS = 3000;

/** Where the holder of a data folder listens: a socket in it, or one named after it where paths are too long or not files. */
export const lockAddress = (dir: string): string => {
  const name = `heating2mqtt-${createHash('sha1').update(dir).digest('hex').slice(0, 16)}`;
  if (process.platform === 'win32') return `\\\\.\\pipe\\${name}`;
  const path = join(dir, 'bridge.sock');
  return Buffer.byteLength(path) <= LONGEST_PATH ? path : join(tmpdir(), `${name}.sock`);
};

/** What the process that holds the folder says of itself, or undefined where nobody holds it. Rejects where the holder does not answer. */
export const askHolder = async (dir: string): Promise<unknown> => {
  const socket = connect(lockAddress(dir));
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

// ENOENT: never held, or left cleanly; ECONNREFUSED: the holder was killed and left its socket behind.
const isNobody = (error: unknown): boolean => codeOf(error) === 'ENOENT' || codeOf(error) === 'ECONNREFUSED';

/** The lock on a data folder: held by listening on its socket, so that the death of the process ends it. Answers whoever asks. */
export class Lock {
  readonly #server: Server;
  readonly #askers: ReadonlySet<Socket>;

  private constructor(server: Server, askers: ReadonlySet<Socket>) {
    this.#server = server;
    this.#askers = askers;
  }

  /** Takes the lock, or gives undefined where a living process holds it. `tell` gives what `askHolder` will hear. */
  static async take(dir: string, tell: () => object): Promise<Lock | undefined> {
    const address = lockAddress(dir);
    const askers = new Set<Socket>();
    const server = createServer((socket) => {
      askers.add(socket);
      socket.on('error', () => undefined).once('close', () => askers.delete(socket));
      socket.end(JSON.stringify(tell()));
    });
    for (const again of [true, false]) {
      try {
        server.listen(address);
        await once(server, 'listening');
        server.unref();
        return new Lock(server, askers);
      } catch (error) {
        if (codeOf(error) !== 'EADDRINUSE') throw error;
        if (!again || (await isAlive(address))) return undefined;
        rmSync(address, { force: true });
      }
    }
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
