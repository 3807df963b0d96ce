import { once } from 'node:events';
import { closeSync, constants, existsSync, openSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { codeOf, isSqliteError, UsageError } from '../shared/errors.ts';
import { sha1 } from '../shared/message.ts';
import { type FileLock, fileId, takeFileLock } from '../shared/plainFile.ts';
import { isOpenElsewhere } from './completeFile.ts';
import { DATABASE_NAME, dataDirFault, makeDataDir, StorageError } from './dataDir.ts';

const LOCK = 'bridge.lock';
const SOCKET = 'bridge.sock';

/** The lock file of the process that uses a data folder. */
export const lockOf = (dir: string): string => join(dir, LOCK);

/** Unix socket paths are limited to 108 bytes on Linux and 104 on macOS. */
const LONGEST_PATH = 100;
/** A busy machine may take some seconds. */
const ANSWER_MS = 5000;
/** A process that finds a live socket releases the lock within this time. */
const TRIAL_MS = 1000;

const OPEN_ELSEWHERE =
  'a bridge on another machine uses it, and this file system does not share locks between machines; stop that bridge, or give each its own data_dir and mqtt.base. If that bridge was just killed, this one starts within three minutes';

/** Calls `act` with the address on which the holder of a data folder answers. */
const withAddress = async <T>(dir: string, act: (address: string) => Promise<T>): Promise<T> => {
  const digest = (): string => sha1(dir, 'hex').slice(0, 16);
  if (process.platform === 'win32') return act(`\\\\.\\pipe\\heating2mqtt-${digest()}`);
  const path = join(dir, SOCKET);
  if (Buffer.byteLength(path) <= LONGEST_PATH) return act(path);
  // Without /proc (macOS), the temporary folder belongs to the user.
  if (!existsSync('/proc/self/fd')) return act(join(tmpdir(), `heating2mqtt-${digest()}.sock`));
  const fd = openSync(dir, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    return await act(`/proc/self/fd/${fd}/${SOCKET}`);
  } finally {
    closeSync(fd);
  }
};

/** The status of the holder; undefined if there is none. Rejects if the holder does not answer. */
export const askHolder = async (dir: string): Promise<unknown> => {
  try {
    return await withAddress(dir, ask);
  } catch (error) {
    if (isNoHolder(error)) return undefined;
    throw error;
  }
};

const ask = async (address: string): Promise<unknown> => {
  const socket = connect(address);
  socket.setTimeout(ANSWER_MS, () => socket.destroy(new Error('the running bridge does not answer')));
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  return JSON.parse(text);
};

// ENOENT: no folder or no socket; ECONNREFUSED: the holder was killed and left its socket.
const isNoHolder = (error: unknown): boolean => codeOf(error) === 'ENOENT' || codeOf(error) === 'ECONNREFUSED';

/** The lock on a data folder; ends with the process. The holder sends its status to each connection. */
const lockWith = (dir: string, first: FileLock, tell: () => object, onTaken: (error: UsageError) => void) => {
  const askers = new Set<Socket>();
  const answering = (): Server =>
    createServer((socket) => {
      askers.add(socket);
      socket.on('error', () => undefined).once('close', () => askers.delete(socket));
      socket.end(JSON.stringify(tell()));
    });
  let fileLock = first;
  let server = answering();
  /** Undefined if the socket is no file in the folder. */
  let socketId: string | undefined;
  let renewal: Promise<unknown> | undefined;
  let isHeld = true;
  let isTaken = false;

  /**
   * Takes the lock again if another program (clean-up) deleted its file during the run. False if another
   * process has taken it since and owns the folder.
   */
  const isKept = (): boolean => {
    if (isTaken || fileLock.isInPlace()) return !isTaken;
    let anew: FileLock | undefined;
    try {
      makeDataDir(dir);
      anew = takeFileLock(lockOf(dir), TRIAL_MS);
    } catch {
      // For example on a full disk. Another process could not create it either.
      return true;
    }
    if (!anew) {
      isTaken = true;
      onTaken(
        new UsageError(
          'other_runs',
          `another heating2mqtt was started with data_dir ${dir}, after another program had deleted ${LOCK}; this one ends`,
        ),
      );
      return false;
    }
    fileLock.release();
    fileLock = anew;
    return true;
  };

  /** Listens again if another program deleted the socket. Never rejects. */
  const ensureSocket = async (): Promise<void> => {
    if (socketId === undefined || fileId(join(dir, SOCKET)) === socketId) return;
    server.close();
    server = answering();
    renewal = listen().catch(() => undefined);
    await renewal;
  };

  const release = async (): Promise<void> => {
    if (!isHeld) return;
    isHeld = false;
    await renewal;
    if (server.listening) {
      const closed = once(server, 'close');
      server.close();
      // A connected client that does not read must not delay the end.
      for (const socket of askers) socket.destroy();
      await closed;
    }
    fileLock.release();
  };

  /** False if another process answers there. */
  const listen = async (): Promise<boolean> => {
    const isListening = await withAddress(dir, (address) => listens(server, address));
    if (isListening) socketId = fileId(join(dir, SOCKET));
    return isListening;
  };

  return { isKept, ensureSocket, release, listen };
};

export type Lock = Omit<ReturnType<typeof lockWith>, 'listen'>;

/**
 * Takes the lock; undefined if a running process holds it. `tell` returns the status for `askHolder`.
 * `onTaken` is called when `isKept` is false. Throws UsageError for an unusable folder, StorageError for a
 * temporary fault (full disk, a bridge on another machine).
 */
export const takeLock = async (
  dir: string,
  tell: () => object,
  onTaken: (error: UsageError) => void = () => undefined,
): Promise<Lock | undefined> => {
  if (isOpenElsewhere(join(dir, DATABASE_NAME))) throw new StorageError('storage', `data_dir ${dir} cannot be used now: ${OPEN_ELSEWHERE}`);
  try {
    const fileLock = takeFileLock(lockOf(dir), 0);
    if (!fileLock) return undefined;
    const { listen, ...lock } = lockWith(dir, fileLock, tell, onTaken);
    try {
      if (await listen()) return lock;
    } catch (cause) {
      await lock.release();
      throw cause;
    }
    await lock.release();
    return undefined;
  } catch (cause) {
    if (!isSqliteError(cause)) throw dataDirFault(dir, cause);
    throw new StorageError('storage', `data_dir ${dir} cannot be used now: ${cause.message} (${LOCK})`, { cause });
  }
};

/** False if another process answers there. */
const listens = async (server: Server, address: string): Promise<boolean> => {
  if (await isAlive(address)) return false;
  if (process.platform !== 'win32') rmSync(address, { force: true });
  server.listen(address).unref();
  await once(server, 'listening');
  return true;
};

const isAlive = async (address: string): Promise<boolean> => {
  const socket = connect(address);
  try {
    await once(socket, 'connect');
    return true;
  } catch (error) {
    if (isNoHolder(error)) return false;
    throw error;
  } finally {
    socket.destroy();
  }
};
