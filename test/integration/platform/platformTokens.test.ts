import { readFile } from 'node:fs/promises';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { identityService } from '../../../src/platform/auth/identityService.ts';
import { tokenFile, tokenPath, writeTokens } from '../../../src/platform/auth/tokenFile.ts';
import { tokenKeeper } from '../../../src/platform/auth/tokenKeeper.ts';
import type { StoredTokens } from '../../../src/platform/auth/tokens.ts';
import { platformClient } from '../../../src/platform/client.ts';
import { V1_PATHS } from '../../../src/platform/paths.ts';
import { systemClock } from '../../../src/shared/clock.ts';
import { type Simulator, startSimulator } from '../../../src/simulator/simulator.ts';
import { emptyFolder } from '../../support/cli/inProcess.ts';
import { recordingLog } from '../../support/system/testSystem.ts';

const LOG = recordingLog([]);
const TOKEN_PATH = '/idp/v2/token';

/** The client and its keeper as the bridge joins them, with tokens on disk, against a simulated platform. */
const bridge = async (changes: Partial<StoredTokens> = {}, timeoutMs = 5000) => {
  const platform = await startSimulator();
  onTestFinished(() => platform.close());
  const folder = emptyFolder();
  const { access_token, refresh_token } = platform.issueTokens();
  const store = tokenFile(folder);
  const now = Date.now();
  writeTokens(folder, {
    access_token,
    ...(refresh_token && { refresh_token }),
    expires_at: now + 3_600_000,
    scope: 'IoT User offline_access',
    consent_at: now,
    ...changes,
  });
  const identity = identityService(
    {
      profile: 'v1',
      auth_url: platform.url,
      client_id: 'heating2mqtt-demo',
      redirect_uri: 'http://localhost:4200/',
      scope: 'IoT User offline_access',
      timeout_s: timeoutMs / 1000,
    },
    systemClock,
  );
  let skippedMs = 0;
  const clock = { ...systemClock, elapsedMs: () => systemClock.elapsedMs() + skippedMs };
  const skip = (ms: number): void => {
    skippedMs += ms;
  };
  const keeper = tokenKeeper({ consentDays: 180, store, renewer: identity, clock, log: LOG });
  const client = platformClient({
    baseUrl: platform.url,
    paths: V1_PATHS,
    timeoutMs,
    tokens: keeper,
    log: LOG,
    onCall: () => undefined,
  });
  onTestFinished(async () => {
    await keeper.close();
    await identity.close();
    await client.close();
  });
  const [device = ''] = platform.devices;
  const target = { installation: String(platform.installation), gateway: platform.gateway, device };
  return {
    platform,
    folder,
    keeper,
    client,
    skip,
    identity,
    store,
    schedule: { ...target, feature: 'heating.circuits.0.heating.schedule' },
  };
};

const renewals = (platform: Simulator): number => platform.calls().filter(({ path }) => path === TOKEN_PATH).length;

describe('an identity service that fails', () => {
  test.each(['identity_error', 'html502', 'html200', 'rubbish', 'empty', 'no_data', 'cut_before', 'cut_middle', 'hang'])(
    'with %s does not cost the login',
    async (kind) => {
      const world = await bridge({ expires_at: Date.now() - 1 }, kind === 'hang' ? 500 : 5000);
      const { platform, client, keeper, schedule, store, skip } = world;
      const before = await store.read();
      const { id } = Object(platform.control({ command: 'fault', kind, match: { path: TOKEN_PATH } }));
      await expect(client.readFeatures(schedule)).rejects.toMatchObject({ code: 'identity_unavailable', arrived: 'no' });
      expect(keeper.state()).toMatchObject({ state: 'failing', message: expect.stringContaining('tries again') });
      expect(store.read()).toEqual(before);
      platform.control({ command: 'clear', id });
      // Asked again only after the first wait of 1 s.
      await expect(client.readFeatures(schedule)).rejects.toMatchObject({ code: 'identity_unavailable' });
      expect(renewals(platform)).toBe(1);
      skip(1000);
      expect(await client.readFeatures(schedule)).toHaveProperty('feature');
      expect(keeper.state().state).toBe('ok');
    },
  );

  test.each([
    ['a revoked refresh token', { command: 'revoke_refresh_tokens' }],
    ['invalid_client', { command: 'fault', kind: 'invalid_client', match: { path: TOKEN_PATH } }],
  ])('for good (%s) asks for a login, once', async (_, command) => {
    const { platform, folder, client, keeper, schedule, store } = await bridge({ expires_at: Date.now() - 1 });
    platform.control(command);
    for (let i = 0; i < 3; i += 1) {
      await expect(client.readFeatures(schedule)).rejects.toMatchObject({
        code: 'login_needed',
        message: expect.stringContaining('heating2mqtt login'),
      });
    }
    expect(renewals(platform)).toBe(1);
    expect(keeper.state().state).toBe('login_needed');
    expect(store.read()).toHaveProperty('refresh_token');
    // A login in another process is taken up without a restart.
    const { access_token } = platform.issueTokens();
    writeTokens(folder, { access_token, expires_at: Date.now() + 3_600_000, scope: 'IoT User', consent_at: Date.now() + 1 });
    expect(await client.readFeatures(schedule)).toHaveProperty('feature');
    expect(keeper.state()).toMatchObject({ state: 'ok', login_needed_at: expect.any(String) });
  });

  it('never gets the access token, nor is one in any state', async () => {
    const { platform, folder, client, keeper, schedule } = await bridge({ expires_at: Date.now() - 1 });
    await client.readFeatures(schedule);
    const { access_token, refresh_token } = JSON.parse(await readFile(tokenPath(folder), 'utf8'));
    const said = JSON.stringify(keeper.state());
    expect(said).not.toContain(access_token);
    expect(said).not.toContain(refresh_token);
    const sent = new URLSearchParams(platform.calls().find(({ path }) => path === TOKEN_PATH)?.body);
    expect(Object.fromEntries(sent)).toEqual({ grant_type: 'refresh_token', client_id: 'heating2mqtt-demo', refresh_token });
  });
});

describe('an answer to a renewal', () => {
  /** A token is renewed with an answer that has these members, as JSON texts. */
  const renewedWith = async (members: Readonly<Record<string, string | undefined>>) => {
    const world = await bridge();
    const { platform, client, schedule } = world;
    platform.control({ command: 'expire_tokens' });
    const given = platform.issueTokens('IoT User offline_access');
    const tokens = { access_token: JSON.stringify(given.access_token), refresh_token: JSON.stringify(given.refresh_token) };
    const texts = Object.entries({ ...tokens, token_type: '"Bearer"', expires_in: '3600', ...members });
    const body = `{${texts.flatMap(([name, text]) => (text === undefined ? [] : [`"${name}":${text}`])).join(',')}}`;
    platform.control({ command: 'fault', status: 200, contentType: 'application/json', body, times: 1, match: { path: TOKEN_PATH } });
    await client.readFeatures(schedule);
    return { ...world, given: given.refresh_token };
  };
  const sent = (platform: Simulator): readonly (string | null)[] =>
    platform.calls().flatMap(({ path, body }) => (path === TOKEN_PATH ? [new URLSearchParams(body).get('refresh_token')] : []));

  /** The next renewal, after a restart, sends this refresh token. */
  const goesOnWith = async (
    { platform, store, identity, keeper }: Awaited<ReturnType<typeof bridge>>,
    token: string | null | undefined,
  ) => {
    expect(keeper.state()).toMatchObject({ state: 'ok', message: 'Logged in.' });
    const restarted = tokenKeeper({ consentDays: 180, store, renewer: identity, clock: systemClock, log: LOG });
    const used = await restarted.accessToken();
    platform.control({ command: 'expire_tokens' });
    expect(await restarted.renew(used)).not.toBe(used);
    expect(sent(platform).at(-1)).toBe(token);
  };

  test.each(['8.6e12', '8.64e15', '1e308', '1e999', '-1', '0', '0.001', '"NaN"', '"8.6e12"', '""', 'null', 'true', '[]', '{}'])(
    'whose tokens last %s seconds is stored, and its refresh token is sent next',
    async (expires_in) => {
      const renewed = await renewedWith({ expires_in });
      await goesOnWith(renewed, renewed.given);
    },
  );

  test.each([undefined, '""', 'null', '7', '[]'])('whose refresh_token is %s keeps the one before', async (refresh_token) => {
    const renewed = await renewedWith({ refresh_token });
    const [before] = sent(renewed.platform);
    expect(before).not.toBe(renewed.given);
    await goesOnWith(renewed, before);
  });

  test.each([{ scope: '7' }, { id_token: '{}' }])('with %o is taken all the same', async (members) => {
    const renewed = await renewedWith(members);
    await goesOnWith(renewed, renewed.given);
  });
});
