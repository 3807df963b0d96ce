import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { linkSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { connect, createServer, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { askHolder, takeLock } from '../../../src/storage/lock.ts';
import { folder } from '../../support/system/database.ts';

const MODULE = JSON.stringify(new URL('../../../src/storage/lock.ts', import.meta.url).href);

/** Takes the lock as soon as it is told to, says what came of it, and stays. */
const script = (dir: string): string =>
  `import { takeLock } from ${MODULE}; console.log('ready'); process.stdin.once('data', async () => {
    console.log(await takeLock(${JSON.stringify(dir)}, () => ({ pid: process.pid })) ? 'held' : 'undefined'); setInterval(() => {}, 1000); });`;

type Child = ChildProcessWithoutNullStreams;
const wordOf = async ({ stdout }: Child): Promise<string> => String((await once(stdout, 'data'))[0]).trim();

/** Processes that take the lock at the same moment; gives them, and what each says. */
const takeIn = async (dir: string, count: number): Promise<{ readonly children: readonly Child[]; readonly words: readonly string[] }> => {
  const children = Array.from({ length: count }, () => spawn(process.execPath, ['--input-type=module', '-e', script(dir)]));
  onTestFinished(() => {
    for (const child of children) child.kill('SIGKILL');
  });
  await Promise.all(children.map(wordOf));
  for (const child of children) child.stdin.write('go');
  return { children, words: await Promise.all(children.map(wordOf)) };
};

/** A socket that somebody listens on; gives what ends that, after which it stays as the socket of a killed process does. */
const listenOn = async (path: string): Promise<() => Promise<void>> => {
  const server = createServer().listen(`${path}-first`);
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  linkSync(`${path}-first`, path);
  return async () => void (await once(server.close(), 'close'));
};

/** The lock can be taken, and is released again. */
const expectFree = async (dir: string): Promise<void> => {
  const lock = await takeLock(dir, () => ({}));
  expect(lock).toBeDefined();
  await lock?.release();
};

describe('the lock on a data folder', () => {
  test('has one holder, who answers whoever asks, until it is released', async () => {
    const dir = folder();
    expect(await askHolder(dir)).toBeUndefined();
    const lock = await takeLock(dir, () => ({ broker: true }));
    expect(lock).toBeDefined();
    expect(await askHolder(dir)).toEqual({ broker: true });
    expect(await takeLock(dir, () => ({}))).toBeUndefined();
    await lock?.release();
    await lock?.release();
    expect(await askHolder(dir)).toBeUndefined();
    await expectFree(dir);
  });

  test('ends with the process that holds it, however that ended', async () => {
    const dir = folder();
    const { children, words } = await takeIn(dir, 1);
    expect(words).toEqual(['held']);
    expect(await askHolder(dir)).toEqual({ pid: children[0]?.pid });
    expect(await takeLock(dir, () => ({}))).toBeUndefined();
    await Promise.all(children.map((child) => child.kill('SIGKILL') && once(child, 'exit')));
    expect(readdirSync(dir)).toEqual(['bridge.lock', 'bridge.sock']);
    expect(await askHolder(dir)).toBeUndefined();
    await expectFree(dir);
  });

  test('works where the path of the folder is too long for a socket', async () => {
    const dir = join(folder(), 'x'.repeat(120));
    mkdirSync(dir);
    const before = readdirSync(tmpdir()).filter((name) => name.includes('.sock'));
    const lock = await takeLock(dir, () => ({ ok: true }));
    expect(await askHolder(dir)).toEqual({ ok: true });
    expect(await takeLock(dir, () => ({}))).toBeUndefined();
    // A socket in the shared temporary folder could be another user's.
    if (process.platform === 'linux') expect(readdirSync(tmpdir()).filter((name) => name.includes('.sock'))).toEqual(before);
    await lock?.release();
    expect(await askHolder(dir)).toBeUndefined();
    await expectFree(dir);
  });

  test('is had by one only, however many take it over from a killed process at once', async () => {
    const dir = folder();
    for (let round = 0; round < 3; round += 1) {
      await (await listenOn(join(dir, 'bridge.sock')))();
      const taken = await Promise.all(Array.from({ length: 20 }, (_, taker) => takeLock(dir, () => ({ taker }))));
      const winners = taken.flatMap((lock, taker) => (lock ? [taker] : []));
      expect(winners).toHaveLength(1);
      expect(await askHolder(dir)).toEqual({ taker: winners[0] });
      for (const lock of taken) await lock?.release();
      expect(readdirSync(dir)).toEqual(['bridge.lock']);
    }
  });

  test('is had by one process only', async () => {
    const dir = folder();
    await (await listenOn(join(dir, 'bridge.sock')))();
    expect((await takeIn(dir, 3)).words.toSorted()).toEqual(['held', 'undefined', 'undefined']);
  });

  test('is one of many of a process, more than a connection can hold, each of which is taken and released alone', async () => {
    const dirs = Array.from({ length: 23 }, folder);
    const locks = await Promise.all(dirs.map((dir) => takeLock(dir, () => ({}))));
    expect(locks.every((lock) => lock !== undefined)).toBe(true);
    await locks[4]?.release();
    const words = async (places: readonly number[]) =>
      Promise.all(places.map(async (place) => (await takeIn(dirs[place] ?? '', 1)).words[0]));
    expect(await words([0, 4, 5, 22])).toEqual(['undefined', 'held', 'undefined', 'undefined']);
    expect(await takeLock(dirs[4] ?? '', () => ({}))).toBeUndefined();
    await locks[5]?.release();
    expect(await words([5, 6])).toEqual(['held', 'undefined']);
    for (const lock of locks) await lock?.release();
    expect(await words([0, 22])).toEqual(['held', 'held']);
  });

  test('is taken where another process has left its socket, and not before', async () => {
    const dir = folder();
    const end = await listenOn(join(dir, 'bridge.sock'));
    expect(await takeLock(dir, () => ({}))).toBeUndefined();
    await end();
    const lock = await takeLock(dir, () => ({}));
    expect(lock).toBeDefined();
    expect(readdirSync(dir)).toEqual(['bridge.lock', 'bridge.sock']);
    await lock?.release();
  });

  test.each([
    ['a folder', (path: string) => mkdirSync(path), 'there is a folder with this name (bridge.sock)'],
    ['a link to itself', (path: string) => symlinkSync('bridge.sock', path), 'its symbolic links form a loop (bridge.sock)'],
  ])('names %s in the place of its socket, and is not kept then', async (_, make, why) => {
    const dir = folder();
    make(join(dir, 'bridge.sock'));
    const failure = { code: 'folder_unusable', message: `data_dir ${dir} cannot be used: ${why}` };
    await expect(takeLock(dir, () => ({}))).rejects.toMatchObject(failure);
    rmSync(join(dir, 'bridge.sock'), { recursive: true });
    await expectFree(dir);
  });

  test('whose holder says nothing is told', async () => {
    const dir = folder();
    const mute = createServer().listen(join(dir, 'bridge.sock'));
    onTestFinished(() => void mute.close());
    await once(mute, 'listening');
    const waits = vi.spyOn(Socket.prototype, 'setTimeout');
    onTestFinished(() => waits.mockRestore());
    const asked = askHolder(dir);
    await vi.waitFor(() => expect(waits).toHaveBeenCalledWith(5000, expect.any(Function)));
    // Those five seconds have passed.
    (waits.mock.contexts[0] as Socket).emit('timeout');
    await expect(asked).rejects.toThrow('does not answer');
  });

  test('is released although somebody asked and does not listen', async () => {
    const dir = folder();
    const lock = await takeLock(dir, () => ({ text: 'x'.repeat(5_000_000) }));
    const socket = connect(join(dir, 'bridge.sock')).on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
    await once(socket, 'readable');
    await lock?.release();
    expect(await askHolder(dir)).toBeUndefined();
  });

  test('is taken anew where a clean-up has deleted its files, its folder too, and answers again', async () => {
    const dir = folder();
    const lock = await takeLock(dir, () => ({ ok: true }));
    const removals = [
      () => rmSync(join(dir, 'bridge.lock')),
      () => rmSync(join(dir, 'bridge.sock')),
      () => rmSync(dir, { recursive: true }),
      () => undefined,
    ];
    for (const remove of removals) {
      remove();
      expect(lock?.isKept()).toBe(true);
      await lock?.ensureSocket();
      expect(readdirSync(dir)).toEqual(['bridge.lock', 'bridge.sock']);
      expect(await askHolder(dir)).toEqual({ ok: true });
      expect(await takeLock(dir, () => ({}))).toBeUndefined();
    }
    await lock?.release();
    expect(readdirSync(dir)).toEqual(['bridge.lock']);
  });

  test('is lost where another process has taken it after its files were deleted', async () => {
    const dir = folder();
    const lock = await takeLock(dir, () => ({}));
    for (const name of readdirSync(dir)) rmSync(join(dir, name));
    expect((await takeIn(dir, 1)).words).toEqual(['held']);
    expect(lock?.isKept()).toBe(false);
  });
});
