import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  lchownSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openFresh, readPlainFile, takeFileLock } from '../../../src/shared/plainFile.ts';
import { folder } from '../../support/system/database.ts';

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const isPosix = process.platform !== 'win32';

const read = (path: string): string => readPlainFile(path, 1000).toString('utf8');

describe.runIf(isPosix)('a file is read', () => {
  test('as a whole, up to the size that is allowed', () => {
    const path = join(folder(), 'a');
    writeFileSync(path, 'x'.repeat(1000));
    expect(read(path)).toBe('x'.repeat(1000));
    writeFileSync(path, 'x'.repeat(1001));
    expect(() => read(path)).toThrow('it is larger than');
    writeFileSync(path, '');
    expect(read(path)).toBe('');
    expect(() => read(join(folder(), 'none'))).toThrow('ENOENT');
  });

  test('that has no size, as those of the kernel', () => {
    expect(readPlainFile('/proc/self/status', 100_000).toString()).toContain('Name:');
    expect(() => readPlainFile('/proc/self/status', 10)).toThrow('it is larger than');
  });

  test('however large it claims to be: 3 GB are neither read nor kept', () => {
    const path = join(folder(), 'a');
    writeFileSync(path, '');
    truncateSync(path, 3 * 1024 ** 3);
    const before = process.memoryUsage().rss;
    expect(() => read(path)).toThrow('it is larger than');
    expect(process.memoryUsage().rss - before).toBeLessThan(100e6);
  });

  test.each([
    ['/dev/zero', 'it is a device, not a file'],
    ['/dev/null', 'it is a device, not a file'],
    ['/', 'it is a folder, not a file'],
  ])('and %s is none', (path, sentence) => {
    expect(() => read(path)).toThrow(sentence);
  });

  test('and a pipe is none, for which nobody waits', () => {
    const path = join(folder(), 'pipe');
    execFileSync('mkfifo', [path]);
    expect(() => read(path)).toThrow('it is a pipe, not a file');
  });

  test('and a socket is none', async () => {
    const path = join(folder(), 'socket');
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(path, resolve));
    onTestFinished(() => void server.close());
    expect(() => read(path)).toThrow('it is a socket, not a file');
  });
});

describe.runIf(isPosix)('a link', () => {
  /** As Kubernetes mounts a secret: a link to a link to a folder. */
  test('that this user has made is followed, from link to link', () => {
    const dir = folder();
    chmodSync(dir, 0o1777);
    mkdirSync(join(dir, '..2026'));
    writeFileSync(join(dir, '..2026', 'password'), 'secret');
    symlinkSync('..2026', join(dir, '..data'));
    symlinkSync('..data/password', join(dir, 'password'));
    symlinkSync(join(dir, 'password'), join(dir, 'again'));
    expect(read(join(dir, 'password'))).toBe('secret');
    expect(read(join(dir, 'again'))).toBe('secret');
  });

  test('in a circle is told', () => {
    const dir = folder();
    symlinkSync('b', join(dir, 'a'));
    symlinkSync('a', join(dir, 'b'));
    expect(() => read(join(dir, 'a'))).toThrow('its symbolic links form a loop');
  });

  test('to a device is none to a file', () => {
    const dir = folder();
    symlinkSync('/dev/zero', join(dir, 'a'));
    expect(() => read(join(dir, 'a'))).toThrow('it is a device');
  });

  describe.runIf(isRoot)('of another user', () => {
    const linked = (mode: number, owner = 0): string => {
      const dir = folder();
      writeFileSync(join(dir, 'secret'), 'secret');
      symlinkSync('secret', join(dir, 'a'));
      lchownSync(join(dir, 'a'), NOBODY, NOBODY);
      lchownSync(dir, owner, owner);
      chmodSync(dir, mode);
      return join(dir, 'a');
    };

    test.each([0o777, 0o1777, 0o770])('is not followed in a folder that others may write, %o', (mode) => {
      expect(() => read(linked(mode))).toThrow('it is a symbolic link of another user, in a folder that others can write to');
    });

    test('is followed in a folder that only its owner may write', () => {
      expect(read(linked(0o755))).toBe('secret');
      expect(read(linked(0o777, NOBODY))).toBe('secret');
    });

    test('is not followed at the end of a link of our own either', () => {
      const dir = folder();
      symlinkSync(linked(0o777), join(dir, 'b'));
      expect(() => read(join(dir, 'b'))).toThrow('symbolic link of another user');
    });
  });
});

test.runIf(isPosix)('a file that is made anew is nobody elses, and not what lay there', () => {
  const dir = folder();
  writeFileSync(join(dir, 'other'), 'of somebody else');
  symlinkSync('other', join(dir, 'a'));
  const fd = openFresh(join(dir, 'a'));
  writeSync(fd, 'mine');
  closeSync(fd);
  expect(readFileSync(join(dir, 'a'), 'utf8')).toBe('mine');
  expect(readFileSync(join(dir, 'other'), 'utf8')).toBe('of somebody else');
  expect(statSync(join(dir, 'a')).mode & 0o777).toBe(0o600);
});

test('a lock that is released once more ends no other one', () => {
  const [dir, other] = [folder(), folder()];
  const locks = [dir, other].map((one) => takeFileLock(join(one, 'a'), 0));
  locks[0]?.release();
  locks.push(takeFileLock(join(dir, 'b'), 0));
  locks[0]?.release();
  expect(takeFileLock(join(dir, 'b'), 0)).toBeUndefined();
  // One that is kept by another holder hinders no other one either.
  locks.push(takeFileLock(join(other, 'b'), 0));
  for (const lock of locks.slice(1)) lock?.release();
});
