import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { readTokens, tokenPath, updateTokens, writeTokens } from '../../../src/platform/auth/tokenFile.ts';
import type { StoredTokens } from '../../../src/platform/auth/tokens.ts';
import { takeFileLock } from '../../../src/shared/plainFile.ts';
import { emptyFolder } from '../../support/cli/inProcess.ts';
import { noLockWaits } from '../../support/system/database.ts';

let folder = '';
beforeEach(() => {
  folder = emptyFolder();
});

const tokens: StoredTokens = {
  access_token: 'access-1',
  refresh_token: 'refresh-1',
  expires_at: Date.parse('2026-11-21T10:00:00.000Z'),
  scope: 'IoT User offline_access',
  consent_at: Date.parse('2026-11-21T09:00:00.000Z'),
  login_id: 'someone@example.org',
};

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

/** A process of its own that runs this with `updateTokens`, and how it ends. */
const updating = async (work: string): Promise<unknown[]> => {
  const file = new URL('../../../src/platform/auth/tokenFile.ts', import.meta.url).href;
  const script = `import { updateTokens } from ${JSON.stringify(file)}; const update = (how) => updateTokens(${JSON.stringify(folder)}, how);`;
  return once(spawn(process.execPath, ['--input-type=module', '-e', `${script} ${work}`], { stdio: 'inherit' }), 'exit');
};

describe('changes by several processes', () => {
  it('are made one after the other: none is lost', async () => {
    writeTokens(folder, { ...tokens, scope: '' });
    const adder = (letter: string) =>
      `for (let n = 0; n < 40; n += 1) update((held) => held && { ...held, scope: held.scope + '${letter}' });`;
    expect(await Promise.all(['a', 'b'].map((letter) => updating(adder(letter))))).toEqual([
      [0, null],
      [0, null],
    ]);
    expect([...(readTokens(folder)?.scope ?? '')].sort().join('')).toBe('a'.repeat(40) + 'b'.repeat(40));
    expect(await readdir(folder)).toEqual(['tokens.json', 'tokens.lock']);
  });

  it('go on after a process that was killed in the midst of one', async () => {
    writeTokens(folder, tokens);
    await writeFile(join(folder, 'tokens.lock'), 'of another program');
    expect(await updating("update(() => process.kill(process.pid, 'SIGKILL'))")).toEqual([null, 'SIGKILL']);
    writeTokens(folder, { ...tokens, scope: 'new' });
    expect(readTokens(folder)?.scope).toBe('new');
    expect(await readdir(folder)).toEqual(['tokens.json', 'tokens.lock']);
  });

  it('wait for a process that keeps the lock for long, but do not lose tokens by it', async () => {
    writeTokens(folder, tokens);
    const waits = noLockWaits();
    const lock = takeFileLock(join(folder, 'tokens.lock'), 0);
    try {
      expect(updateTokens(folder, (held) => held && { ...held, refresh_token: 'refresh-2' })?.refresh_token).toBe('refresh-2');
      expect(waits.at(-1)).toBe(5000);
      expect(readTokens(folder)).toEqual({ ...tokens, refresh_token: 'refresh-2' });
      expect(await readdir(folder)).toEqual(['tokens.json', 'tokens.lock']);
    } finally {
      lock?.release();
    }
  });

  it('are made also where something else lies in the place of the lock', async () => {
    await mkdir(join(folder, 'tokens.lock'));
    writeTokens(folder, tokens);
    expect(readTokens(folder)).toEqual(tokens);
    expect(await readdir(folder)).toEqual(['tokens.json', 'tokens.lock']);
  });

  it('that change nothing write nothing', async () => {
    writeTokens(folder, tokens);
    const before = await stat(tokenPath(folder));
    expect(updateTokens(folder, (held) => held)).toEqual(tokens);
    expect(updateTokens(folder, () => undefined)).toEqual(tokens);
    expect(await stat(tokenPath(folder))).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs });
  });
});

describe('the token file', () => {
  it('gives back what was stored, for this user only', async () => {
    const dataDir = join(folder, 'state', 'heating2mqtt');
    writeTokens(dataDir, tokens);
    expect(readTokens(dataDir)).toEqual(tokens);
    expect(await modeOf(tokenPath(dataDir))).toBe(0o600);
    expect(await modeOf(dataDir)).toBe(0o700);
    expect(JSON.parse(await readFile(tokenPath(dataDir), 'utf8'))).toMatchObject({ version: 1, expires_at: '2026-11-21T10:00:00.000Z' });
  });

  it('replaces the file as a whole, narrows its mode and leaves nothing beside it', async () => {
    writeTokens(folder, tokens);
    await writeFile(tokenPath(folder), await readFile(tokenPath(folder)), { mode: 0o644 });
    const { refresh_token: _, login_id: __, ...least } = { ...tokens, access_token: 'access-2' };
    writeTokens(folder, least);
    expect(readTokens(folder)).toEqual(least);
    expect(await modeOf(tokenPath(folder))).toBe(0o600);
    expect(await readdir(folder)).toEqual(['tokens.json', 'tokens.lock']);
  });

  it('is never written through a link that somebody has put in its place', async () => {
    const other = join(folder, 'other');
    await writeFile(other, 'of somebody else');
    for (const path of [tokenPath(folder), `${tokenPath(folder)}.${process.pid}.part`]) await symlink(other, path);
    writeTokens(folder, tokens);
    expect(await readFile(other, 'utf8')).toBe('of somebody else');
    expect(readTokens(folder)).toEqual(tokens);
    expect((await lstat(tokenPath(folder))).isFile()).toBe(true);
  });

  it('is absent before the first login', async () => {
    expect(readTokens(folder)).toBeUndefined();
    expect(readTokens(join(folder, 'nowhere'))).toBeUndefined();
  });

  it('takes what it can use of a file with unknown members and members of another type', async () => {
    const { refresh_token: _, login_id: __, ...rest } = tokens;
    const instants = { expires_at: '2026-11-21T10:00:00Z', consent_at: '2026-11-21T09:00:00Z' };
    const file = { ...rest, ...instants, version: 1, refresh_token: null, login_id: 7, client_id: '', later: true };
    await writeFile(tokenPath(folder), JSON.stringify(file));
    expect(readTokens(folder)).toEqual(rest);
  });

  it.each([
    ['empty', ''],
    ['cut', '{"version":1,"access_to'],
    ['a list', '[]'],
    ['of a newer version', JSON.stringify({ ...tokens, version: 2 })],
    ['of another program', '{"access_token":"x","expires_in":3600}'],
    ['without an end', JSON.stringify({ version: 1, access_token: 'x', consent_at: '2026-11-21T09:00:00Z' })],
    [
      'with a token that would break the header',
      JSON.stringify({ version: 1, access_token: 'x\ny', expires_at: '2026-01-01', consent_at: '2026-01-01' }),
    ],
  ])('says what to do when it is %s, and is left until the next login, which sets it aside', async (_, text) => {
    await writeFile(tokenPath(folder), text);
    expect(() => readTokens(folder)).toThrow(
      expect.objectContaining({ code: 'broken', message: expect.stringContaining('the next login renames the file') }),
    );
    expect(await readFile(tokenPath(folder), 'utf8')).toBe(text);
    writeTokens(folder, tokens);
    expect(readTokens(folder)).toEqual(tokens);
    const [aside] = (await readdir(folder)).filter((name) => name.startsWith('tokens.json.set-aside'));
    expect(await readFile(join(folder, aside ?? ''), 'utf8')).toBe(text);
  });

  it('says so in one sentence when it cannot be read or written, and never shows a token', async () => {
    await mkdir(tokenPath(folder));
    expect(() => readTokens(folder)).toThrow(
      expect.objectContaining({
        code: 'unreadable',
        message: expect.stringMatching(/tokens\.json cannot be read: it is a folder, not a file\. Move the file away\.$/),
      }),
    );
    expect(() => writeTokens(folder, tokens)).toThrow(expect.objectContaining({ code: 'unreadable' }));
    await writeFile(join(folder, 'file'), '');
    const write = (): void => writeTokens(join(folder, 'file'), tokens);
    expect(write).toThrow(
      expect.objectContaining({ code: 'unwritable', message: expect.stringMatching(/cannot be stored .*Free disk space/) }),
    );
    expect(write).not.toThrow(/access-1|refresh-1/);
  });
});
