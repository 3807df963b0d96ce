import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { askHolder, Lock, lockAddress } from '../../../src/store/lock.ts';
import { tempDir } from '../../support/house.ts';

const folder = (): string => {
  const dir = tempDir();
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
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
    const module = JSON.stringify(new URL('../../../src/store/lock.ts', import.meta.url).href);
    const script = `const { Lock } = await import(${module}); await Lock.take(${JSON.stringify(dir)}, () => ({ pid: process.pid })); console.log('held'); setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script]);
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    expect(await askHolder(dir)).toEqual({ pid: child.pid });
    expect(await Lock.take(dir, () => ({}))).toBeUndefined();
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    expect(existsSync(lockAddress(dir))).toBe(true);
    expect(await askHolder(dir)).toBeUndefined();
    const lock = await Lock.take(dir, () => ({}));
    expect(lock).toBeDefined();
    await lock?.release();
  });

  test('works where the path of the folder is too long for a socket', async () => {
    const dir = join(folder(), 'x'.repeat(120));
    mkdirSync(dir);
    expect(Buffer.byteLength(lockAddress(dir))).toBeLessThan(104);
    const lock = await Lock.take(dir, () => ({ ok: true }));
    expect(await askHolder(dir)).toEqual({ ok: true });
    expect(await Lock.take(dir, () => ({}))).toBeUndefined();
    await lock?.release();
  });

  test('whose holder says nothing is told', async () => {
    const dir = folder();
    const mute = createServer().listen(lockAddress(dir));
    onTestFinished(() => void mute.close());
    await once(mute, 'listening');
    await expect(askHolder(dir)).rejects.toThrow('does not answer');
  });

  test('is released although somebody asked and does not listen', async () => {
    const dir = folder();
    const lock = await Lock.take(dir, () => ({ text: 'x'.repeat(5_000_000) }));
    const socket = connect(lockAddress(dir)).on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
    await once(socket, 'readable');
    await lock?.release();
    expect(await askHolder(dir)).toBeUndefined();
  });
});
