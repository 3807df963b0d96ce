import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, lchownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { UsageError } from '../../../src/shared/errors.ts';
import { checkDataDir, dataDirFault, freeBytes, isOpenToAll, makeDataDir, StorageError } from '../../../src/storage/dataDir.ts';
import { folder } from '../../support/system/database.ts';

const systemError = (code: string, path?: string, syscall = 'open'): Error =>
  Object.assign(new Error(`${code}: open`), { code, syscall, ...(path === undefined ? {} : { path }) });

test.each([
  ['EACCES', 'data_dir /data cannot be used: no permission (state.jsonl)'],
  ['EPERM', 'data_dir /data cannot be used: no permission (state.jsonl)'],
  ['ENOTDIR', 'data_dir /data cannot be used: a part of its path is not a folder (state.jsonl)'],
])('%s is a matter of settings or rights', (code, sentence) => {
  const fault = dataDirFault('/data', systemError(code, '/data/state.jsonl'));
  expect(fault).toBeInstanceOf(UsageError);
  expect(fault).toMatchObject({ message: sentence });
});

test('a network drive without sockets is told as such', () => {
  const fault = dataDirFault('/data', systemError('EPERM', '/data/bridge.sock', 'listen'));
  expect(fault).toBeInstanceOf(UsageError);
  expect(fault).toMatchObject({ message: expect.stringMatching(/its file system does not support sockets .* \(bridge\.sock\)$/) });
});

test.each([
  ['ENOSPC', 'the disk is full'],
  ['EIO', 'the disk cannot be read or written'],
  ['EROFS', 'the file system is read-only'],
  ['EMFILE', 'EMFILE: open'],
])('%s may pass', (code, why) => {
  const fault = dataDirFault('/data', systemError(code));
  expect(fault).toBeInstanceOf(StorageError);
  expect(fault).not.toBeInstanceOf(UsageError);
  expect(fault).toMatchObject({ message: `data_dir /data cannot be used now: ${why}` });
});

test('a quota that is used up is told as such, for which Node has no code', () => {
  const fault = dataDirFault(
    '/data',
    Object.assign(new Error('Unknown system error -122'), { code: 'UNKNOWN', errno: -122, syscall: 'write' }),
  );
  expect(fault).toMatchObject({ message: 'data_dir /data cannot be used now: the disk quota of this user is used up' });
});

test('anything else stays what it was', () => {
  const fault = new TypeError('a mistake of ours');
  expect(dataDirFault('/data', fault)).toBe(fault);
});

test('a folder that cannot be made says why', () => {
  const dir = folder();
  writeFileSync(join(dir, 'file'), '');
  mkdirSync(join(dir, 'there'));
  makeDataDir(join(dir, 'there'));
  makeDataDir(join(dir, 'new', 'below'));
  expect(() => makeDataDir(join(dir, 'file'))).toThrow('there is a file with this name');
  expect(() => makeDataDir(join(dir, 'file', 'below'))).toThrow('a part of its path is not a folder');
});

const ADVICE = 'Free disk space, give the user that runs heating2mqtt the right to write there, or set another data_dir.';

test.skipIf(process.getuid === undefined)('a folder to which this user has no right is told, with whose it is', () => {
  const dir = folder();
  chmodSync(dir, 0o755);
  mkdirSync(join(dir, 'data'));
  chmodSync(join(dir, 'data'), 0o555);
  mkdirSync(join(dir, 'closed'), { mode: process.getuid?.() === 0 ? 0o700 : 0 });
  const from = (file: string): string => JSON.stringify(new URL(`../../../src/${file}`, import.meta.url).href);
  const body = `import { checkDataDir } from ${from('storage/dataDir.ts')};
    import { readFileAt } from ${from('config/file.ts')};
    import { checkWritable } from ${from('platform/auth/tokenFile.ts')};
    if (process.getuid() === 0) process.setuid(4242);
    const told = (work) => { try { work() } catch ({ message }) { console.log(message) } };
    told(() => checkDataDir('data'));
    told(() => checkWritable('data'));
    console.log(readFileAt('closed/settings.yaml', '.').mistakes[0].what);`;
  // By a path that leads through no folder of the tests, which are those of this user alone.
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', body], { cwd: dir, timeout: 30_000, encoding: 'utf8' });
  const whose = process.getuid?.() === 0 ? ': the folder belongs to user 0, and heating2mqtt runs as user 4242' : '';
  expect(stdout.trim().split('\n')).toEqual([
    `data_dir data cannot be used: no permission${whose}`,
    `The tokens cannot be stored in data/tokens.json: no permission${whose}. ${ADVICE}`,
    `cannot be read (EACCES: permission denied${whose})`,
  ]);
});

test('a folder that is missing, or can be used, is no fault; a file is', () => {
  const dir = folder();
  writeFileSync(join(dir, 'file'), '');
  checkDataDir(dir);
  checkDataDir(join(dir, 'new', 'below'));
  expect(() => checkDataDir(join(dir, 'file'))).toThrow('a part of its path is not a folder');
});

test.runIf(existsSync('/proc/self'))('a folder that takes none, and says that it is missing, ends a start all the same', () => {
  const file = new URL('../../../src/storage/dataDir.ts', import.meta.url).href;
  const body = `import { makeDataDir } from ${JSON.stringify(file)}; try { makeDataDir('/proc/a/b') } catch ({ message }) { console.log(message) }`;
  // Node's own way goes on for ever here.
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', body], { timeout: 30_000, encoding: 'utf8' });
  expect(stdout.trim()).toBe('data_dir /proc/a/b cannot be used: it does not exist');
});

test.runIf(process.getuid?.() === 0)('a link that another user has made where others may write is not followed; any other is', () => {
  const dir = folder();
  mkdirSync(join(dir, 'real'));
  symlinkSync('real', join(dir, 'data'));
  makeDataDir(join(dir, 'data'));
  lchownSync(join(dir, 'data'), 65_534, 65_534);
  makeDataDir(join(dir, 'data'));
  chmodSync(dir, 0o1777);
  expect(() => makeDataDir(join(dir, 'data'))).toThrow(/^data_dir .*data cannot be used: it is a symbolic link of another user/);
  lchownSync(join(dir, 'data'), 0, 0);
  makeDataDir(join(dir, 'data'));
});

test('a folder that every user may write is told from others', () => {
  const dir = folder();
  const isOpenWith = (mode: number): boolean => {
    chmodSync(dir, mode);
    return isOpenToAll(dir);
  };
  expect([0o700, 0o755, 0o775, 0o777, 0o1777].filter(isOpenWith)).toEqual([0o777, 0o1777]);
});

test('how much room there is is known of a folder, and of one that is not made yet it is not', () => {
  const dir = folder();
  expect(freeBytes(dir)).toBeGreaterThan(1024 ** 2);
  expect(freeBytes(dir)).toBeLessThan(Number.POSITIVE_INFINITY);
  expect(freeBytes(join(dir, 'none'))).toBe(Number.POSITIVE_INFINITY);
});
