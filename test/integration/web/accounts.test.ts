import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PlatformError } from '../../../src/platform/errors.ts';
import { StorageError } from '../../../src/storage/dataDir.ts';
import { fakeAccounts, REDIRECT } from '../../support/web/fakeAccounts.ts';
import { cookieOf } from '../../support/web/webClient.ts';
import { HASHED_PASSWORD, PASSWORD, patientClock, startPage } from '../../support/web/webSystem.ts';

/** The page of a process with accounts, and what asks for links and uses them. */
const accountsPage = async (options: Parameters<typeof startPage>[0] = {}) => {
  const { clients, logins, parts } = fakeAccounts();
  let nowMs = Date.now();
  const page = await startPage({ ...options, clock: { ...patientClock(), now: () => nowMs }, accounts: parts });
  const linkOf = async (name: string, headers = {}): Promise<string> =>
    `/${(await page.client.post('/api/accounts/link', { name }, headers)).json()['path']}`;
  const form = (path: string, fields: Record<string, string> = {}, headers = {}) =>
    page.client.ask(path, {
      raw: new URLSearchParams(fields).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: `http://127.0.0.1:${page.port}`, ...headers },
    });
  return { ...page, clients, logins, linkOf, form, later: (ms: number) => (nowMs += ms) };
};

describe('a link for a login', () => {
  it('logs in its account once, and says in words why it does no more', async () => {
    const { linkOf, form, client, logins, dataDir } = await accountsPage();
    const link = await linkOf('north');
    const first = await client.get(link, { 'accept-language': 'de-DE,de;q=0.9' });
    expect([first.status, first.text]).toEqual([200, expect.stringContaining('<html lang="de">')]);
    expect(first.text).not.toContain('south');
    const begun = await form(link);
    expect(begun.text).toContain('href="https://login.example/authorize?state=&lt;s&gt;&amp;client=&quot;x&quot;"');
    expect((await form(link, { address: `${REDIRECT}?code=wrong` })).text).toContain('not the address of this login');
    expect((await form(link, { address: `${REDIRECT}?code=good` })).text).toContain('is logged in');
    for (const reply of [await client.get(link), await form(link, { address: `${REDIRECT}?code=good` })])
      expect([reply.status, reply.text]).toEqual([410, expect.stringContaining('used already')]);
    expect(logins).toEqual(['north']);
    expect(statSync(join(dataDir, 'login-links.json')).mode & 0o777).toBe(0o600);
  });

  it('counts as used by the login on its page, also where another link began that', async () => {
    const { linkOf, form, client } = await accountsPage();
    const [mine, other] = [await linkOf('north'), await linkOf('north')];
    for (const link of [mine, other]) await form(link);
    expect((await form(mine, { address: `${REDIRECT}?code=good` })).text).toContain('is logged in');
    expect((await client.get(mine)).status).toBe(410);
  });

  it('counts once also where the clock was wrong by days while another one was used', async () => {
    const { linkOf, form, client, later } = await accountsPage();
    const use = async (link: string): Promise<void> => {
      await form(link);
      expect((await form(link, { address: `${REDIRECT}?code=good` })).text).toContain('is logged in');
    };
    const link = await linkOf('north');
    await use(link);
    later(5 * 86_400_000);
    await use(await linkOf('south'));
    later(-5 * 86_400_000);
    expect((await client.get(link)).status).toBe(410);
  });

  it('has a line in the log where its login fails, as the person who opened it is sent to whoever made it', async () => {
    const { parts } = fakeAccounts();
    const finish = async () => ({ status: 'rejected', code: 'forbidden', message: 'it was somebody else' }) as const;
    const login: typeof parts.login = (name, settings) => ({ ...parts.login(name, settings), finish });
    const { client, logged, port } = await startPage({ accounts: { ...parts, login } });
    const link = `/${(await client.post('/api/accounts/link', { name: 'north' })).json()['path']}`;
    const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: `http://127.0.0.1:${port}` };
    for (const address of ['', `${REDIRECT}?code=good`])
      await client.ask(link, { raw: new URLSearchParams({ address }).toString(), headers });
    const facts = { account: 'north', why: 'it was somebody else' };
    expect(logged).toContainEqual({ level: 'warn', facts, sentence: 'a login by a link failed' });
  });

  it('begins with the word of the platform where it refuses the login, by which the page says why', async () => {
    const { parts } = fakeAccounts();
    const refusal = new PlatformError('login_needed', 'no such client', { arrived: 'yes', errorType: 'invalid_client' });
    const login: typeof parts.login = (name, settings) => ({ ...parts.login(name, settings), begin: () => Promise.reject(refusal) });
    const { client } = await startPage({ accounts: { ...parts, login } });
    const { status, json } = await client.post('/api/accounts/login', { name: 'north' });
    expect([status, json()]).toEqual([502, { error: 'invalid_client', code: 'login_needed', message: 'no such client' }]);
  });

  it('is not told as used where another worker of a fleet may serve the account by then, so that the login is not kept', async () => {
    let isServedHere = false;
    const { parts } = fakeAccounts();
    const page = await startPage({ accounts: { ...parts, view: { ...parts.view, keepLogin: async () => isServedHere } } });
    const finish = async () => (await page.client.post('/api/accounts/login/finish', { name: 'north', address: '?code=good' })).json();
    expect(await finish()).toMatchObject({ status: 'failed', code: 'login_failed', message: expect.stringContaining('log in again') });
    isServedHere = true;
    expect(await finish()).toMatchObject({ status: 'applied' });
  });

  it('is refused where it was changed, is too old, is of another page, or its account is another now', async () => {
    const { linkOf, client, clients, later } = await accountsPage();
    const [link, other] = [await linkOf('north'), await linkOf('south')];
    const [payload = '', signature] = link.slice(3).split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const forged = (changes: object): string =>
      `/l/${Buffer.from(JSON.stringify({ ...claims, ...changes })).toString('base64url')}.${signature}`;
    const foreign = await (await accountsPage()).linkOf('north');
    for (const path of [
      forged({ account: 'south' }),
      forged({ ends: claims.ends + 1 }),
      foreign,
      `/l/${payload}.`,
      '/l/x',
      `${link}.`,
      `/l/${payload}.${other.split('.')[1]}`,
    ])
      expect([path, (await client.get(path)).status]).toEqual([path, 404]);
    expect((await client.get(forged({ account: 'unknown' }))).status).toBe(404);
    clients.set('north', 'another-client');
    expect((await client.get(link)).status).toBe(410);
    clients.delete('south');
    expect((await client.get(other)).status).toBe(410);
    clients.set('north', 'client-north');
    later(86_400_000);
    expect((await client.get(link)).text).toContain('has expired');
  });

  it('needs no password, opens nothing else, and takes no form of another site', async () => {
    const { client, linkOf, form } = await accountsPage({ settings: { password: HASHED_PASSWORD } });
    const cookie = cookieOf(await client.post('/api/login', { password: PASSWORD }));
    const link = await linkOf('north', { cookie });
    expect((await client.get(link)).status).toBe(200);
    expect((await form(link, {}, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await form(link, {}, { origin: 'null' })).status).toBe(403);
    for (const path of ['/api/accounts', '/api/a/north/state', '/api/a/unknown/state', '/api/a/north/none', '/api/a/unknown/none'])
      expect([path, (await client.get(path)).status]).toEqual([path, 401]);
    for (const path of ['add', 'remove', 'login', 'login/finish', 'link'])
      expect((await client.post(`/api/accounts/${path}`, { name: 'north' })).status).toBe(401);
    expect((await client.get('/api/session')).json()).not.toHaveProperty('accounts');
    expect((await client.get('/api/session', { cookie })).json()).toMatchObject({ accounts: 'beside' });
  });

  it('tells no folder of this machine where one cannot be used; the log does', async () => {
    const { parts } = fakeAccounts();
    const login = (): never => {
      throw new StorageError('storage', '/var/lib/north cannot be used');
    };
    const { client, logged, port } = await startPage({ accounts: { ...parts, login }, settings: { password: HASHED_PASSWORD } });
    const cookie = cookieOf(await client.post('/api/login', { password: PASSWORD }));
    const link = `/${(await client.post('/api/accounts/link', { name: 'north' }, { cookie })).json()['path']}`;
    const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: `http://127.0.0.1:${port}` };
    const { status, text } = await client.ask(link, { raw: `address=${encodeURIComponent(`${REDIRECT}?code=good`)}`, headers });
    expect([status, text.includes('/var/lib')]).toEqual([500, false]);
    expect(logged).toContainEqual(
      expect.objectContaining({ level: 'error', facts: expect.objectContaining({ why: '/var/lib/north cannot be used' }) }),
    );
  });
});

describe('the pages of accounts', () => {
  it('have their own data and the files of the page, below any base path', async () => {
    const { client } = await accountsPage({ settings: { base_path: '/heat' } });
    expect((await client.get('/heat/api/a/north/state')).json()).toMatchObject({ base: 'heating2mqtt/north' });
    expect((await client.get('/heat/a/north')).headers.location).toBe('north/');
    expect((await client.get('/heat/a/north/')).text).toContain('<title>heating2mqtt');
    for (const path of [
      '/api/a/../state',
      '/api/a/%2e%2e/state',
      '/a/../../settings.yaml',
      '/api/a/north/settings',
      '/api/a/north/a/south/state',
      '/api/a/unknown/state',
    ])
      expect([path, (await client.get(path)).status]).toEqual([path, 404]);
  });

  it('end with their account', async () => {
    const { client } = await accountsPage();
    expect((await client.get('/api/a/north/state')).status).toBe(200);
    expect((await client.post('/api/accounts/remove', { name: 'north' })).status).toBe(204);
    expect((await client.get('/api/a/north/state')).status).toBe(404);
    expect((await client.post('/api/accounts/add', { name: '../x', client_id: 'a' })).status).toBe(422);
    expect((await client.post('/api/accounts/add', { name: 'west', client_id: 'a' }, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await client.post('/api/accounts/add', { name: 'west', client_id: 'a' })).status).toBe(204);
    expect((await client.get('/api/a/west/state')).status).toBe(200);
  });
});
