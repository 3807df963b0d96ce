import { mkdir, readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { login } from '../../../src/cli/login.ts';
import { type SimulatorOptions, startSimulator } from '../../../src/simulator/simulator.ts';
import { emptyFolder } from '../../support/cli/inProcess.ts';
import { freePort } from '../../support/network/freePort.ts';
import { logInAt } from '../../support/system/logInAt.ts';

// Where this machine has no IPv6 there is no second address to be taken.
const HOSTS = Object.values(networkInterfaces()).some((addresses) => addresses?.some(({ address }) => address === '::1'))
  ? ['127.0.0.1', '::1']
  : ['127.0.0.1'];

type Given = {
  readonly paste?: boolean;
  readonly scope?: string;
  readonly clientId?: string;
  readonly redirectUri?: string;
  readonly waitMs?: number;
  readonly dataDir?: string;
  readonly account?: string;
};

const home = async (options: SimulatorOptions = {}, address?: string) => {
  const redirectUri = address ?? `http://localhost:${await freePort()}/`;
  const platform = await startSimulator({ redirectUris: [redirectUri], ...options });
  onTestFinished(() => platform.close());
  return { platform, redirectUri };
};
const elsewhere = () => home({}, 'https://login.example.org/back');

/** A running `heating2mqtt login`: what it says, the address it shows, and how it ends. */
const begin = async (given: Given = {}, place?: Awaited<ReturnType<typeof home>>) => {
  const { platform, redirectUri } = place ?? (await home());
  const folder = emptyFolder();
  const said: string[] = [];
  const shown = Promise.withResolvers<string>();
  const opened: string[] = [];
  const stdin = new PassThrough();
  const say = (text: string): void => {
    said.push(text);
    const address = /^http\S+\/authorize\S+$/m.exec(text)?.[0];
    if (address) shown.resolve(address);
  };
  const settings = {
    platform: {
      profile: 'v1' as const,
      base_url: platform.url,
      auth_url: platform.url,
      client_id: given.clientId ?? 'heating2mqtt-demo',
      redirect_uri: given.redirectUri ?? redirectUri,
      scope: given.scope ?? 'IoT User offline_access',
      timeout_s: 5,
    },
    data_dir: given.dataDir ?? join(folder, 'data'),
    ...(given.account === undefined ? {} : { account: given.account }),
  };
  const exit = login(
    settings,
    { paste: given.paste ?? false, ...(given.waitMs !== undefined && { waitMs: given.waitMs }) },
    { out: say, err: say, stdin, openBrowser: (url) => opened.push(url) },
  );
  const tokens = async () => JSON.parse(await readFile(join(settings.data_dir, 'tokens.json'), 'utf8'));
  return { platform, redirectUri, folder, exit, address: shown.promise, opened, stdin, tokens, told: () => said.join('\n') };
};

describe('a login in the browser', () => {
  it('stores the tokens for this user only, and says who is logged in', async () => {
    const running = await begin();
    const address = await running.address;
    expect(running.opened).toEqual([address]);
    expect(Object.fromEntries(new URL(address).searchParams)).toMatchObject({
      client_id: 'heating2mqtt-demo',
      redirect_uri: running.redirectUri,
      response_type: 'code',
      code_challenge_method: 'S256',
      scope: 'IoT User offline_access',
    });
    expect(address).toContain('scope=IoT%20User%20offline_access');
    const page = await fetch(await logInAt(address));
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toContain('text/html');
    expect(await page.text()).toContain('Logged in');
    expect(await running.exit).toBe(0);
    const tokens = await running.tokens();
    expect(tokens).toMatchObject({ version: 1, scope: 'IoT User offline_access', login_id: expect.any(String) });
    expect((await stat(join(running.folder, 'data', 'tokens.json'))).mode & 0o777).toBe(0o600);
    expect(running.told()).toContain(`Logged in as ${tokens.login_id}.`);
    expect(running.told()).not.toContain(tokens.access_token);
    expect(running.told()).not.toContain(tokens.refresh_token);
  });

  it('goes on waiting when something else knocks: no code, another state, a favicon, a POST', async () => {
    const running = await begin();
    const address = await running.address;
    for (const knock of ['', '?code=stolen', '?code=stolen&state=other', 'favicon.ico', '?error=access_denied&state=other']) {
      expect((await fetch(running.redirectUri + knock)).status).toBe(400);
    }
    expect((await fetch(running.redirectUri, { method: 'POST', body: 'x' })).status).toBe(400);
    await fetch(await logInAt(address));
    expect(await running.exit).toBe(0);
  });

  it('answers a browser that comes back twice, though a code works once', async () => {
    const running = await begin();
    const location = await logInAt(await running.address);
    // So late that both are there before the login has ended, and with it the port.
    running.platform.control({ command: 'fault', delayMs: 1000, times: 1, match: { path: '/token' } });
    expect((await Promise.all([fetch(location), fetch(location)])).map(({ status }) => status)).toEqual([200, 200]);
    expect(await running.exit).toBe(0);
  });

  it('is told when it is denied, in the browser too', async () => {
    const running = await begin();
    const page = await fetch(await logInAt(await running.address, 'deny'));
    expect(page.status).toBe(400);
    expect(await page.text()).toContain('The login was denied');
    expect(await running.exit).toBe(1);
    expect(running.told()).toContain('The login was denied');
    await expect(running.tokens()).rejects.toThrow('ENOENT');
  });

  it('is told when the code was too old', async () => {
    let now = Date.now();
    const running = await begin({}, await home({ now: () => now }));
    const location = await logInAt(await running.address);
    now += 21_000;
    await fetch(location);
    expect(await running.exit).toBe(1);
    expect(running.told()).toContain('older than 20 seconds');
  });

  it('without a refresh token succeeds, and says when it ends and how to get one', async () => {
    const running = await begin({ scope: 'IoT User' });
    await fetch(await logInAt(await running.address));
    expect(await running.exit).toBe(0);
    expect(running.told()).toMatch(
      /no refresh token.*ends at \d\d:\d\d.*Add offline_access to platform\.scope \(`IoT User offline_access`\)/,
    );
    expect(await running.tokens()).not.toHaveProperty('refresh_token');
  });

  it('keeps the tokens when it cannot be read who that is', async () => {
    const running = await begin();
    running.platform.control({ command: 'fault', kind: 'html502', match: { path: '/users/' } });
    await fetch(await logInAt(await running.address));
    expect(await running.exit).toBe(0);
    expect(running.told()).toMatch(/Logged in\.\nThe name of the account could not be read: The platform failed/);
    expect(await running.tokens()).toHaveProperty('access_token');
  });

  test.each([
    [
      'another redirect URI',
      { redirectUri: 'http://localhost:4999' },
      /does not accept the redirect URI http:\/\/localhost:4999\. Write platform\.redirect_uri exactly/,
    ],
    ['an unknown client', { clientId: 'nobody' }, /does not know the client nobody.*up to an hour/],
    ['an unknown scope', { scope: 'IoT Usr' }, /platform\.scope/],
  ])('is not even begun with %s', async (_, given, sentence) => {
    const running = await begin(given);
    expect(await running.exit).toBe(1);
    expect(running.told()).toMatch(sentence);
    expect(running.opened).toEqual([]);
  });

  test.each(HOSTS)('says which port is taken on %s, and what to do', async (host) => {
    const place = await home();
    const other = createServer();
    await new Promise<void>((resolve) => other.listen({ port: Number(new URL(place.redirectUri).port), host, ipv6Only: true }, resolve));
    onTestFinished(() => void other.close());
    const running = await begin({}, place);
    expect(await running.exit).toBe(1);
    expect(running.told()).toMatch(/port \d+ on 127\.0\.0\.1 and ::1.*another program uses it.*--paste/);
  });

  it('says when the browser cannot come back to this machine', async () => {
    const running = await begin({}, await elsewhere());
    expect(await running.exit).toBe(1);
    expect(running.told()).toContain('--paste');
  });

  it('says when the identity service cannot be reached', async () => {
    const place = await home();
    await place.platform.close();
    const running = await begin({}, place);
    expect(await running.exit).toBe(1);
    expect(running.told()).toContain('cannot be reached');
  });

  it('does not wait for ever', async () => {
    const running = await begin({ waitMs: 50 });
    expect(await running.exit).toBe(1);
    expect(running.told()).toContain('Run `heating2mqtt login` again.');
    const further = await begin({ waitMs: 50, account: 'parents' });
    expect(await further.exit).toBe(1);
    expect(further.told()).toContain('Run `heating2mqtt login --account parents` again.');
  });

  it('says so when the tokens cannot be stored', async () => {
    const running = await begin();
    await mkdir(join(running.folder, 'data', 'tokens.json.part'));
    await fetch(await logInAt(await running.address));
    expect(await running.exit).toBe(1);
    expect(running.told()).toContain('cannot be stored');
  });
  it('says so before anything else where the place of data_dir is taken', async () => {
    const running = await begin({ dataDir: import.meta.filename });
    expect(await running.exit).toBe(1);
    expect(running.told()).toMatch(/^The tokens cannot be stored in .*: there is a file with this name\. Free disk space/);
  });
});

describe('a login with --paste', () => {
  it('takes the address the browser was sent to, after mistakes too', async () => {
    const running = await begin({ paste: true });
    const location = await logInAt(await running.address);
    const code = new URL(location).searchParams.get('code');
    running.stdin.write(`\n${code}\n${running.redirectUri}?code=${code}&state=other\n  ${location}  \n`);
    expect(await running.exit).toBe(0);
    expect(running.told()).toContain('it also contains the `state`');
    expect(running.told()).toContain('is not the end of this login');
    expect(running.told()).toContain('Logged in as');
    expect(running.opened).toEqual([]);
    expect(await running.tokens()).toHaveProperty('refresh_token');
  });

  it('ends when nothing is pasted', async () => {
    const running = await begin({ paste: true });
    await running.address;
    running.stdin.end();
    expect(await running.exit).toBe(1);
    expect(running.told()).toContain('No address was pasted');
  });

  it('works for a redirect URI that is not on this machine', async () => {
    const running = await begin({ paste: true }, await elsewhere());
    running.stdin.write(`${await logInAt(await running.address)}\n`);
    expect(await running.exit).toBe(0);
  });
});
