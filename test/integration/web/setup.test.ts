import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadSettings } from '../../../src/config/load.ts';
import { listen } from '../../support/network/mqttRecorder.ts';
import { logInAt } from '../../support/system/logInAt.ts';
import { untilSo } from '../../support/system/untilSo.ts';
import { CLIENT, logInByPage, PAGE_PASSWORD as PASSWORD, type SetupWorld, setupWorld } from '../../support/web/setupWorld.ts';

const entered = async (...options: Parameters<typeof setupWorld>): Promise<SetupWorld> => {
  const world = await setupWorld(...options);
  await world.enter();
  return world;
};

const filesIn = ({ cwd }: SetupWorld): boolean => existsSync(join(cwd, 'data/settings.yaml'));

test('from nothing to the first topic: code, broker, client, login, devices, finish', async () => {
  const world = await setupWorld();
  const { get, post, broker, simulator, cwd, sources, host } = world;
  expect((await get('api/session')).body).toEqual({ mode: 'code', login: 'needed', ingress: false });
  expect((await get('api/setup')).status).toBe(401);
  await world.enter();
  expect((await get('api/session')).body).toEqual({ mode: 'setup', login: 'done', ingress: false });
  expect((await get('api/setup')).body).toMatchObject({ needsPassword: true, missing: ['platform.client_id'] });

  const broker1 = { changes: { 'mqtt.url': broker.url } };
  expect((await post('api/broker/test', broker1)).body).toEqual({ ok: true, message: expect.stringContaining('speaks MQTT') });
  expect(await post('api/setup', broker1)).toMatchObject({ status: 200 });
  await logInByPage(world);
  expect(await post('api/setup', { changes: { ...CLIENT, 'web.password': PASSWORD } })).toMatchObject({ status: 200 });
  expect((await get('api/platform/login')).body).toMatchObject({ loggedIn: true, as: expect.any(String), last: { status: 'applied' } });

  const callsBefore = simulator.calls().filter(({ path }) => path.includes('/equipment/')).length;
  const { devices } = (await post('api/devices/find')).body as { devices: { installation: string; gateway: string; device: string }[] };
  expect(simulator.calls().filter(({ path }) => path.includes('/equipment/')).length - callsBefore).toBe(1);
  expect(devices.map(({ device }) => device)).toEqual(expect.arrayContaining([...simulator.devices]));
  const { installation, gateway, device } = devices.find((one) => one.device === simulator.devices[0]) ?? {};
  expect(await post('api/setup', { changes: { devices: [{ name: 'house', installation, gateway, device }] } })).toMatchObject({
    status: 200,
  });

  const lines = (await post('api/check')).body['lines'] as { name: string; ok: boolean; message: string }[];
  expect(lines.map(({ name, ok }) => [name, ok])).toEqual(['settings', 'broker', 'login', 'platform'].map((name) => [name, true]));

  const recorder = await listen(broker.url);
  expect((await get('api/setup')).body).toMatchObject({ needsPassword: false, missing: [] });
  expect(await post('api/setup/finish')).toMatchObject({ status: 202 });
  await recorder.until(({ topic }) => topic.startsWith('heating2mqtt/house/heating/'));
  await recorder.close();
  await untilSo(() => host.web()?.entry() === 'password');
  // The session of the set-up goes on, and without it the password is needed.
  expect((await get('api/session')).body).toMatchObject({ mode: 'run', login: 'done' });
  world.leave();
  expect((await get('api/session')).body).toMatchObject({ mode: 'run', login: 'needed' });
  expect(await post('api/login', { password: PASSWORD })).toMatchObject({ status: 204 });

  const text = readFileSync(join(cwd, 'data/settings.yaml'), 'utf8');
  expect(text).toMatch(/# Id of the client .*\n {2}client_id: heating2mqtt-demo\n/);
  expect(text).not.toContain(PASSWORD);
  expect(statSync(join(cwd, 'data/settings.yaml')).mode & 0o777).toBe(0o600);
  expect(loadSettings(sources).choices).toMatchObject([{ name: 'house' }]);
});

test('without an address the set-up is for the live service: a client id is all that is missing, and no profile is written', async () => {
  const unset = ['PROFILE', 'BASE_URL', 'AUTH_URL'].map((name) => [`HEATING2MQTT_PLATFORM_${name}`, '']);
  const world = await entered(Object.fromEntries(unset));
  expect((await world.get('api/setup')).body).toMatchObject({ missing: ['platform.client_id'] });
  await world.post('api/setup', { changes: { ...CLIENT, 'mqtt.url': world.broker.url } });
  const { missing, text } = (await world.get('api/setup')).body;
  expect(missing).toEqual([]);
  expect(text).toContain('client_id: heating2mqtt-demo');
  expect(text).not.toContain('profile:');
});

describe('the one-time code', () => {
  test('is taken from nobody by wrong tries, of which a client has five in a minute', async () => {
    const { post, code, leave, logged } = await setupWorld();
    const first = code();
    expect(first).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{5}$/);
    for (let i = 0; i < 5; i += 1)
      expect(await post('api/code', { code: '0000-0000-00000' })).toMatchObject({ status: 401, body: { error: 'wrong_code' } });
    expect(await post('api/code', { code: first })).toMatchObject({ status: 429 });
    expect(code()).toBe(first);
    expect(logged.filter(({ facts }) => 'code' in facts)).toHaveLength(1);
    leave();
  });
  test('is shown by no log while the port is taken', async () => {
    const first = await setupWorld();
    const { logged, code } = await setupWorld({ HEATING2MQTT_WEB_PORT: new URL(first.page).port });
    expect(logged.map(({ sentence }) => sentence)).toContainEqual(expect.stringContaining('is used by another program'));
    expect(code()).toBe('');
  });

  test('is taken as people type it, and not a second time', async () => {
    const { post, get, code, leave } = await setupWorld();
    const typed = code().toLowerCase().replaceAll('-', ' ');
    expect(await post('api/code', { code: typed })).toMatchObject({ status: 204 });
    expect((await get('api/setup')).status).toBe(200);
    leave();
    expect(await post('api/code', { code: typed })).toMatchObject({ status: 401 });
    expect((await get('api/setup')).status).toBe(401);
  });
  test('stands before all that there is', async () => {
    const { get, post } = await setupWorld();
    const asked = ['api/setup', 'api/settings', 'api/platform/login'];
    for (const path of asked) expect(await get(path)).toMatchObject({ status: 401, body: { error: 'login_needed' } });
    for (const path of [...asked, 'api/broker/test', 'api/devices/find', 'api/check', 'api/setup/finish'])
      expect(await post(path), path).toMatchObject({ status: 401 });
  });
});

describe('what is wrong is said at its field, and not taken', () => {
  const twice = ['0', '1'].map((device) => ({ name: 'a', device }));
  const WRONG: readonly (readonly [changes: object, path: string, message: string])[] = [
    [{ 'mqtt.url': 'broker.local' }, 'mqtt.url', 'nearest: mqtt://broker.local'],
    [{ 'mqtt.password': 'x' }, 'mqtt.password', 'mqtt.username'],
    [{ 'web.password': 'short' }, 'web.password', 'fewer than 8'],
    [{ devices: twice }, 'devices[1].name', 'is already the name of'],
    [{ 'platform.base_url': 'https://other.test' }, 'platform.base_url', 'cannot change'],
    [{ 'mqtt.ulr': 'x' }, 'mqtt.ulr', 'no such setting'],
  ];
  test('a setting that is mistaken, fixed by the environment, or unknown, and what is no change at all', async () => {
    const { post, get } = await entered();
    const before = (await get('api/setup')).body;
    for (const [changes, path, message] of WRONG) {
      const { status, body } = await post('api/setup', { changes });
      expect([status, body['mistakes']]).toEqual([422, [expect.objectContaining({ path, message: expect.stringContaining(message) })]]);
      expect((await get('api/setup')).body).toEqual(before);
    }
    expect(await post('api/setup', [1])).toMatchObject({ status: 422, body: { error: 'invalid' } });
    expect(await post('api/settings', { changes: 'all' })).toMatchObject({ status: 422, body: { error: 'invalid' } });
  });
  test('an end before its time, and without a password where others reach the page', async () => {
    const world = await entered();
    const { post } = world;
    expect((await post('api/setup/finish')).body['mistakes']).toEqual([expect.objectContaining({ path: 'web.password' })]);
    await post('api/setup', { changes: { 'web.password': PASSWORD } });
    expect((await post('api/setup/finish')).body['mistakes']).toEqual([expect.objectContaining({ path: 'platform.client_id' })]);
    expect(filesIn(world)).toBe(false);
  });
});

test('the test of the broker says what is wrong: nothing listens, an unknown host, no MQTT, no address', async () => {
  const { post, page } = await entered();
  const tried = async (url: string) => post('api/broker/test', { changes: { 'mqtt.url': url } });
  for (const [url, code] of [
    ['mqtt://127.0.0.1:1', 'ECONNREFUSED'],
    ['mqtt://no-such-host.invalid', /ENOTFOUND|EAI_AGAIN/],
    [page.replace('http', 'mqtt'), 'dropped'],
  ] as const)
    expect((await tried(url)).body).toMatchObject({ ok: false, message: expect.any(String), code: expect.stringMatching(code) });
  expect(await tried('x')).toMatchObject({ status: 422 });
});

describe('the login from the page', () => {
  test('comes back to the page itself where that address is registered, and leaves no query in the address', async () => {
    const world = await entered({}, { redirectUris: ['http://127.0.0.1:4200/', 'http://localhost:4200/'] });
    const { get, post, page, logged } = world;
    const begun = await post('api/platform/login', { changes: CLIENT, page });
    expect(begun.body).toMatchObject({ oneTap: false, redirect: 'http://localhost:4200/', seconds: 600 });
    const back = new URL(await logInAt(String(begun.body['address'])));
    world.leave();
    for (const path of ['login/callback', 'login/callback/']) {
      const answer = await get(`${path}${back.search}`);
      expect(answer.status).toBe(303);
      expect(new URL(answer.headers.location ?? '', new URL(path, page)).href).toBe(`${page}#/settings/login`);
      expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
    }
    expect(logged.filter(({ sentence }) => sentence === 'logged in on the page')).toHaveLength(1);
    expect(JSON.stringify(logged)).not.toContain(back.searchParams.get('code'));
  });
  test('without a client id is refused with words for the page, not for the command line', async () => {
    const { post } = await entered();
    const { status, body } = await post('api/platform/login', { changes: { 'platform.client_id': null } });
    const [mistake] = body['mistakes'] as { path: string; message: string }[];
    expect([status, mistake?.path]).toEqual([422, 'platform.client_id']);
    expect(mistake?.message).toMatch(/^is missing\. Create a client at https:\S+, .* and put its id here\.$/);
  });
  test('knows its own callback, however the page is reached', async () => {
    const callback = 'https://home.example/heating/login/callback';
    const { post, get } = await entered({}, { redirectUris: [callback] });
    const page = 'https://home.example/heating/#/x';
    const changes = { ...CLIENT, 'platform.redirect_uri': callback };
    expect((await post('api/platform/login', { changes, page })).body).toMatchObject({ oneTap: true });
    expect((await get(`api/platform/login?page=${encodeURIComponent(page)}`)).body).toMatchObject({ callback });
  });
  test('a foreign callback changes nothing, whatever it sends', async () => {
    const world = await entered();
    const { get, post } = world;
    await post('api/platform/login', { changes: CLIENT });
    for (const query of ['', '?code=x', '?code=x&state=y', '?error=access_denied&state=', '?state=%00&code=%ff']) {
      expect((await get(`login/callback${query}`)).status).toBe(303);
    }
    const { body } = await get('api/platform/login');
    expect(body).toMatchObject({ loggedIn: false, secondsLeft: expect.any(Number) });
    expect(body).not.toHaveProperty('last');
  });
  test('is not begun with an unknown client, an address that is not registered, or no client', async () => {
    const { post } = await entered();
    for (const [changes, sentence] of [
      [{ 'platform.client_id': 'nobody' }, 'does not know the client nobody'],
      [{ ...CLIENT, 'platform.redirect_uri': 'http://localhost:1/' }, 'redirect URI'],
    ] as const) {
      const said = { status: 502, body: { message: expect.stringContaining(sentence) } };
      expect(await post('api/platform/login', { changes })).toMatchObject(said);
    }
    expect((await post('api/platform/login')).body['mistakes']).toEqual([expect.objectContaining({ path: 'platform.client_id' })]);
  });
});

test('devices before a login: a sentence, and no call', async () => {
  const { post, simulator } = await entered();
  const said = { status: 502, body: { message: expect.stringContaining('logged in') } };
  expect(await post('api/devices/find', { changes: CLIENT })).toMatchObject(said);
  expect(simulator.calls().filter(({ path }) => path.includes('/equipment/'))).toEqual([]);
});

test('secrets that were given do not come back, those in an address neither', async () => {
  const { get, post } = await entered();
  await post('api/setup', { changes: { 'mqtt.username': 'me', 'mqtt.password': 'hidden-one', 'web.password': 'hidden-two' } });
  const shown = JSON.stringify([(await get('api/setup')).body, (await get('api/settings')).body]);
  expect(shown).not.toMatch(/hidden|scrypt/);
  expect(shown).toContain('********');
  await post('api/setup', { changes: { 'mqtt.username': null, 'mqtt.password': null, 'mqtt.url': 'mqtt://me:hidden-three@broker.lan' } });
  const { text } = (await get('api/setup')).body;
  expect(text).toContain('mqtt://me:********@broker.lan');
  expect(text).not.toContain('hidden');
});

test('the set-up ends by its own route alone, which wants a password', async () => {
  const { post, get, host } = await entered();
  expect(await post('api/setup', { changes: { ...CLIENT, 'mqtt.url': 'mqtt://127.0.0.1:1' } })).toMatchObject({ status: 200 });
  expect((await get('api/setup')).body).toMatchObject({ needsPassword: true, missing: [] });
  expect(await post('api/settings', { changes: { 'log.level': 'debug' } })).toMatchObject({ status: 409, body: { error: 'setup' } });
  expect((await get('api/session')).body).toMatchObject({ mode: 'setup' });
  expect(host.web()?.entry()).toBe('code');
});
