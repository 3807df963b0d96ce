import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { askHolder, Lock } from '../../../src/storage/lock.ts';
import { tempDir } from '../../support/system/testSystem.ts';

const folder = (): string => {
  const dir = tempDir();
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
};

const MODULE = JSON.stringify(new URL('../../../src/storage/lock.ts', import.meta.url).href);

/** Takes the lock at an instant (epoch milliseconds) as exactly as can be, says what came of it, and stays. */
const script = (dir: string, atMs = 0): string =>
  `const { Lock } = await import(${MODULE}); while (Date.now() < ${atMs}); const lock = await Lock.take(${JSON.stringify(dir)}, () => ({ pid: process.pid })); console.log(lock ? 'held' : 'undefined'); setInterval(() => {}, 1000);`;

/** A process of its own that holds the lock. */
const holdIn = async (dir: string): Promise<ChildProcessWithoutNullStreams> => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', script(dir)]);
  onTestFinished(() => void child.kill('SIGKILL'));
  expect(String((await once(child.stdout, 'data'))[0]).trim()).toBe('held');
  return child;
};

describe('the lock on a data folder', () => {
  test('has one holder, who answers whoever asks, until it is released', async () => {
    const dir = folder();
    expect(await askHolder(dir)).toBeUndefined();
    const lock = await Lock.take(dir, () => ({ broker: true }));
    expect(lock).toBeDefined();
    expect(await askHolder(dir)).toEqual({ broker: true });
    expect(await Lock.take(dir, () => ({}))).toBeUndefined();
    await lock?.release();
    await lock?.release();
    expect(await askHolder(dir)).toBeUndefined();
    const next = await Lock.take(dir, () => ({}));
    expect(next).toBeDefined();
    await next?.release();
  });

  test('ends with the process that holds it, however that ended', async () => {
    const dir = folder();
    const child = await holdIn(dir);
    expect(await askHolder(dir)).toEqual({ pid: child.pid });
    expect(await Lock.take(dir, () => ({}))).toBeUndefined();
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    expect(readdirSync(dir)).toEqual(['bridge.lock', 'bridge.sock']);
    expect(await askHolder(dir)).toBeUndefined();
    const lock = await Lock.take(dir, () => ({}));
    expect(lock).toBeDefined();
    await lock?.release();
  });

  test('works where the path of the folder is too long for a socket', async () => {
    const dir = join(folder(), 'x'.repeat(120));
    mkdirSync(dir);
    const before = readdirSync(tmpdir()).filter((name) => name.includes('.sock'));
    const lock = await Lock.take(dir, () => ({ ok: true }));
    expect(await askHolder(dir)).toEqual({ ok: true });
    expect(await Lock.take(dir, () => ({}))).toBeUndefined();
    // A socket in the shared temporary folder could be another user's.
    if (process.platform === 'linux') expect(readdirSync(tmpdir()).filter((name) => name.includes('.sock'))).toEqual(before);
    await lock?.release();
    expect(await askHolder(dir)).toBeUndefined();
    const next = await Lock.take(dir, () => ({}));
    expect(next).toBeDefined();
    await next?.release();
  });

  /** A process that holds the lock, killed: its socket stays. */
  const leaveStale = async (dir: string): Promise<void> => {
    const holder = await holdIn(dir);
    const ended = once(holder, 'exit');
    holder.kill('SIGKILL');
    await ended;
  };

  test('is had by one only, however many take it over from a killed process at once', async () => {
    const dir = folder();
    for (let round = 0; round < 5; round += 1) {
      await leaveStale(dir);
      const taken = await Promise.all(Array.from({ length: 20 }, (_, taker) => Lock.take(dir, () => ({ taker }))));
      const winners = taken.flatMap((lock, taker) => (lock ? [taker] : []));
      expect(winners).toHaveLength(1);
      expect(await askHolder(dir)).toEqual({ taker: winners[0] });
      for (const lock of taken) await lock?.release();
      expect(readdirSync(dir)).toEqual(['bridge.lock']);
    }
  });

  test('is had by one process only', async () => {
    const dir = folder();
    for (let round = 0; round < 3; round += 1) {
      await leaveStale(dir);
      const at = Date.now() + 1500;
      const takers = Array.from({ length: 4 }, () => {
        const child = spawn(process.execPath, ['--input-type=module', '-e', script(dir, at)]);
        onTestFinished(() => void child.kill('SIGKILL'));
        return child;
      });
      const said = await Promise.all(takers.map(async ({ stdout }) => String((await once(stdout, 'data'))[0]).trim()));
      expect([...said].sort()).toEqual(['held', 'undefined', 'undefined', 'undefined']);
      const gone = takers.map((child) => once(child, 'exit'));
      for (const child of takers) child.kill('SIGKILL');
      await Promise.all(gone);
    }
  });

  test.each(['bridge.sock', 'bridge.sock.12'])('is taken where an older version has left its socket %s, and not before', async (name) => {
    const dir = folder();
    const script = `require('node:net').createServer().listen(${JSON.stringify(join(dir, name))}, () => console.log('listens'))`;
    const child = spawn(process.execPath, ['-e', script]);
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    expect(await Lock.take(dir, () => ({}))).toBeUndefined();
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    const lock = await Lock.take(dir, () => ({}));
    expect(lock).toBeDefined();
    expect(readdirSync(dir)).toEqual(['bridge.lock', 'bridge.sock']);
    await lock?.release();
  });

  test.each([
    ['a folder', (path: string) => mkdirSync(path), 'there is a folder of that name (bridge.sock)'],
    ['a link to itself', (path: string) => symlinkSync('bridge.sock', path), 'its links lead in a circle (bridge.sock)'],
  ])('names %s in the place of its socket, and is not kept then', async (_, make, why) => {
    const dir = folder();
    make(join(dir, 'bridge.sock'));
    const failure = { code: 'folder_unusable', message: `data_dir ${dir} cannot be used: ${why}` };
    await expect(Lock.take(dir, () => ({}))).rejects.toMatchObject(failure);
    rmSync(join(dir, 'bridge.sock'), { recursive: true });
    const lock = await Lock.take(dir, () => ({}));
    expect(lock).toBeDefined();
    await lock?.release();
  });

  test('whose holder says nothing is told', async () => {
    const dir = folder();
    const mute = createServer().listen(join(dir, 'bridge.sock'));
    onTestFinished(() => void mute.close());
    await once(mute, 'listening');
    await expect(askHolder(dir)).rejects.toThrow('does not answer');
  });

  test('is released although somebody asked and does not listen', async () => {
    const dir = folder();
    const lock = await Lock.take(dir, () => ({ text: 'x'.repeat(5_000_000) }));
    const socket = connect(join(dir, 'bridge.sock')).on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
    await once(socket, 'readable');
    await lock?.release();
    expect(await askHolder(dir)).toBeUndefined();
  });
});
