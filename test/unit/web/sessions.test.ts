import crypto from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { hashPassword, isPassword } from '../../../src/web/security/password.ts';
import { sessionsIn } from '../../../src/web/security/sessions.ts';
import { recordingLog, tempDir } from '../../support/system/testSystem.ts';

const DAY = 86_400_000;

// A hash of the real cost takes 150 ms.
const { scrypt } = crypto;
const cheap = vi.spyOn(crypto, 'scrypt');
beforeAll(() => {
  cheap.mockImplementation(((text, salt, length, _, done) => scrypt(text, salt, length, { N: 2 }, done)) as typeof scrypt);
  syncBuiltinESMExports();
});
afterAll(() => {
  cheap.mockRestore();
  syncBuiltinESMExports();
});

describe('a password', () => {
  test('is recognized by its hash, whole and in every form of its letters', async () => {
    const hashed = await hashPassword('Wärme im Keller');
    expect(hashed).toMatch(/^scrypt\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(cheap.mock.lastCall?.[3]).toEqual({ N: 2 ** 14, r: 8, p: 5, maxmem: 64 * 1024 * 1024 });
    expect(hashed).not.toBe(await hashPassword('Wärme im Keller'));
    expect(await isPassword('Wärme im Keller'.normalize('NFD'), hashed)).toBe(true);
    for (const wrong of ['', 'Wärme', 'Wärme im Keller ', 'wärme im keller']) expect(await isPassword(wrong, hashed)).toBe(false);
    // A part of the right digest is not enough.
    expect(await isPassword('Wärme im Keller', hashed.slice(0, 50))).toBe(false);
    expect(await isPassword('Wärme im Keller', 'scrypt$$')).toBe(false);
  });
});

describe('sessions', () => {
  let hashed = '';
  beforeAll(async () => {
    hashed = await hashPassword('one password');
  });
  const begin = (password: string | undefined, dataDir = tempDir(), nowMs = 0) => {
    const clock = { nowMs, now: () => clock.nowMs };
    const logged: { level: string; facts: object; sentence: string }[] = [];
    return { dataDir, clock, logged, sessions: sessionsIn(dataDir, password, clock, recordingLog(logged)) };
  };

  test('outlive the process, in a file that tells nobody a token or the password', async () => {
    const { sessions, dataDir } = begin(hashed);
    const token = await sessions.begin();
    expect(Buffer.from(token, 'base64url')).toHaveLength(32);
    const file = join(dataDir, 'sessions.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).not.toContain(token);
    const { sessions: later } = begin(hashed, dataDir);
    expect(await later.has(token)).toBe(true);
    expect(await later.has(`${token}x`)).toBe(false);
    expect(await later.has('')).toBe(false);
    expect(await later.isPassword('one password')).toBe(true);
    expect(await later.isPassword('another password')).toBe(false);
  });

  test('with a password in plain text, too', async () => {
    const { sessions, dataDir } = begin('one password');
    const token = await sessions.begin();
    expect(readFileSync(join(dataDir, 'sessions.json'), 'utf8')).not.toContain('one password');
    expect(await begin('one password', dataDir).sessions.has(token)).toBe(true);
    expect(await begin('another password', dataDir).sessions.has(token)).toBe(false);
    // And they do not come back with it.
    expect(await begin('one password', dataDir).sessions.has(token)).toBe(false);
  });

  test('of a clock that was wrong end with their last use by the right one', async () => {
    const { sessions, clock, dataDir } = begin(hashed, tempDir(), 20_000 * DAY);
    const token = await sessions.begin();
    clock.nowMs = 100 * DAY;
    expect(await sessions.has(token)).toBe(true);
    expect(await begin(hashed, dataDir, 191 * DAY).sessions.has(token)).toBe(false);
  });

  test('end 90 days after their last use', async () => {
    const { sessions, clock, dataDir } = begin(hashed);
    const [used, unused] = [await sessions.begin(), await sessions.begin()];
    clock.nowMs = 80 * DAY;
    expect(await sessions.has(used)).toBe(true);
    clock.nowMs = 91 * DAY;
    expect(await sessions.has(used)).toBe(true);
    expect(await sessions.has(unused)).toBe(false);
    expect(await begin(hashed, dataDir, 170 * DAY).sessions.has(used)).toBe(true);
    expect(await begin(hashed, dataDir, 262 * DAY).sessions.has(used)).toBe(false);
  });

  test('are fifty at most: the one that was used longest ago goes', async () => {
    const { sessions, clock } = begin(hashed);
    const tokens: string[] = [];
    for (let i = 0; i < 51; i += 1) {
      clock.nowMs = i;
      tokens.push(await sessions.begin());
    }
    const held = await Promise.all(tokens.map((token) => sessions.has(token)));
    expect(held.indexOf(true)).toBe(1);
    expect(held.filter(Boolean)).toHaveLength(50);
  });

  test('end by logout, and by another password unless a set-up gives it', async () => {
    const { sessions } = begin(undefined);
    const [left, kept] = [await sessions.begin(), await sessions.begin()];
    await sessions.end(left);
    expect([await sessions.has(left), await sessions.has(kept)]).toEqual([false, true]);
    expect(await sessions.isPassword('')).toBe(false);
    await sessions.changePassword(hashed, { kept: true });
    expect(await sessions.has(kept)).toBe(true);
    expect(await sessions.isPassword('one password')).toBe(true);
    await sessions.changePassword(await hashPassword('another'));
    expect(await sessions.has(kept)).toBe(false);
  });

  test.each(['', '{', '[]', '{"password":1}', '{"password":"","sessions":[{"hash":1}]}'])(
    'a file of %j counts as none',
    async (content) => {
      const { sessions, dataDir } = begin(hashed);
      writeFileSync(join(dataDir, 'sessions.json'), content);
      expect(await sessions.has('x')).toBe(false);
      expect(await sessions.has(await sessions.begin())).toBe(true);
    },
  );

  test('a folder that cannot be written is told, and they last as long as the process', async () => {
    const { sessions, logged } = begin(hashed, join(tempDir(), 'gone'));
    const token = await sessions.begin();
    expect(await sessions.has(token)).toBe(true);
    expect(logged.map(({ level }) => level)).toContain('warn');
  });
});
