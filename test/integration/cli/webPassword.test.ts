import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { runCli } from '../../../src/cli/cli.ts';
import type { Io } from '../../../src/cli/terminal/io.ts';
import { readSettings } from '../../../src/config/load.ts';
import { isPassword } from '../../../src/web/security/password.ts';
import { emptyFolder, runCommand } from '../../support/cli/inProcess.ts';

const HASH = /^scrypt\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}\n?$/;

type Given = { readonly words?: readonly string[]; readonly stdin?: string; readonly env?: Io['env']; readonly cwd?: string };

const run = async ({ words = [], stdin = 'a new password\n', env = {}, cwd = emptyFolder() }: Given = {}) => {
  const all = { HEATING2MQTT_DATA_DIR: join(cwd, 'data'), ...env };
  const ended = await runCommand(['web-password', ...words], { env: all, cwd, stdin, isTTY: true });
  return { ...ended, cwd, read: () => readSettings({ env: all, cwd }) };
};

test('writes the hash of the password where the page writes, over a settings file, which stays as it is', async () => {
  const cwd = emptyFolder();
  mkdirSync(join(cwd, 'config'));
  const text = '# mine\nmqtt:\n  base: mine # too\nweb:\n  password: "a forgotten one"\n';
  writeFileSync(join(cwd, 'config/local.yaml'), text);
  const { code, out, read } = await run({ cwd });
  expect([code, out]).toEqual([0, expect.stringContaining('data/settings.yaml')]);
  expect(readFileSync(join(cwd, 'config/local.yaml'), 'utf8')).toBe(text);
  const { password } = read().loaded.web;
  expect(await isPassword('a new password', password ?? '')).toBe(true);
});

test('works before there are any settings', async () => {
  const { code, cwd, read } = await run();
  expect(code).toBe(0);
  expect(existsSync(join(cwd, 'data/settings.yaml'))).toBe(true);
  expect(read().loaded.web.password).toMatch(HASH);
});

test('prints the hash, and changes nothing', async () => {
  const { code, out, cwd } = await run({ words: ['--print'] });
  expect(code).toBe(0);
  expect(out).toMatch(HASH);
  expect(existsSync(join(cwd, 'data'))).toBe(false);
});

test('where the environment has the password it says so, with what to put there', async () => {
  const { code, out, err, cwd } = await run({ env: { HEATING2MQTT_WEB_PASSWORD: 'an old password' } });
  expect([code, err]).toEqual([1, expect.stringContaining('HEATING2MQTT_WEB_PASSWORD')]);
  expect(out).toMatch(HASH);
  expect(existsSync(join(cwd, 'data'))).toBe(false);
});

test.each(['', 'short\n', '1234567'])('refuses %j', async (stdin) => {
  const { code, err, cwd } = await run({ stdin });
  expect([code, err]).toEqual([2, expect.stringContaining('8 characters')]);
  expect(existsSync(join(cwd, 'data'))).toBe(false);
});

test('typed on a terminal it asks twice, and shows nothing of it, wherever its output goes', async () => {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const [out, err]: [string[], string[]] = [[], []];
  const typed = ['a new password', 'another password'];
  const io: Io = {
    env: {},
    cwd: emptyFolder(),
    out: (text) => void out.push(text),
    err: (text) => {
      err.push(text);
      setImmediate(() => stdin.write(`${typed.shift()}\r`));
    },
    stdin,
    isTTY: false,
    untilSignal: () => new Promise(() => undefined),
    onHangUp: () => undefined,
    openBrowser: () => undefined,
  };
  await expect(runCli(['web-password', '--print'], io)).rejects.toThrow('two passwords differ');
  expect(out).toEqual([]);
  expect(err).toHaveLength(2);
  typed.push('a new password', 'a new password');
  expect(await runCli(['web-password', '--print'], io)).toBe(0);
  expect(out).toEqual([expect.stringMatching(HASH)]);
  expect(err.join()).not.toContain('a new password');
});
