import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test, vi } from 'vitest';
import { parse, stringify } from 'yaml';
import type { AccountSummary } from '../../../src/api/accounts.ts';
import { accountsWorld } from '../../support/accounts/accountsWorld.ts';
import { emptyFolder, runCommand, startCommand } from '../../support/cli/inProcess.ts';
import { freePort } from '../../support/network/freePort.ts';
import type { Heard } from '../../support/network/mqttRecorder.ts';
import { logInAt } from '../../support/system/logInAt.ts';
import { webClient } from '../../support/web/webClient.ts';

const until = (isSo: () => Promise<boolean>) => vi.waitUntil(isSo, { timeout: 20_000, interval: 50 });

const isServed = (port: number): Promise<boolean> =>
  webClient(port)
    .get('/health')
    .then(
      ({ status }) => status === 200,
      () => false,
    );

/** What is asked at the page there. */
const pageAt = (port: number) => {
  const client = webClient(port);
  const get = (path: string) => client.get(`/${path}`);
  return {
    ...{ port, client, get },
    post: (path: string, body: object) => client.post(`/api/accounts/${path}`, body),
    restore: (raw: Buffer) =>
      client.ask('/api/backup/restore', { raw, headers: { 'content-type': 'application/gzip', origin: `http://127.0.0.1:${port}` } }),
    list: async () => (await get('api/accounts')).json()['accounts'] as readonly AccountSummary[],
  };
};

/** A process with a page, whose further accounts have the platform of `parents` where they do not say another. */
const pageWorld = async (options: Partial<Parameters<typeof accountsWorld>[0]> = {}) => {
  const port = await freePort();
  const world = await accountsWorld({ rows: [], later: ['parents'], webPort: port, ...options });
  const page = pageAt(port);
  const { post } = page;
  await until(() => isServed(port));
  /** Logs in by the page, with the address pasted. */
  const logIn = async (name: string): Promise<unknown> => {
    const begun = (await post('login', { name })).json();
    return (await post('login/finish', { name, address: await logInAt(String(begun['address'])) })).json();
  };
  return { ...world, ...page, logIn };
};

const CLIENT = { name: 'parents', client_id: 'heating2mqtt-demo' };

test('an account is added, logged in, seen and removed on the page, and the first one notices nothing', async () => {
  const world = await pageWorld();
  const { get, post, list, logIn, recorder, dataDir } = world;
  await recorder.until(({ topic }) => topic === `${world.week('')}/record`);
  const from = recorder.heard.length;
  // What the process says of the platform holds for new accounts; the first one runs on with its own.
  writeFileSync(join(world.cwd, 'settings.yaml'), world.settingsWith([], 'parents'));
  expect((await get('api/session')).json()).not.toHaveProperty('accounts');
  expect((await get('api/a/parents/state')).status).toBe(404);
  expect((await post('add', CLIENT)).status).toBe(204);
  expect((await get('api/session')).json()).toMatchObject({ accounts: 'beside' });
  await until(async () => (await list()).some(({ name, login }) => name === 'parents' && login === 'needed'));
  const command = '`heating2mqtt login --account parents`';
  for (const leaf of ['auth', 'problems'])
    await recorder.until(({ topic, payload }) => topic === `heating2mqtt/parents/bridge/${leaf}` && payload.includes(command));
  expect((await list()).find(({ name }) => name === 'parents')).toMatchObject({ problem: expect.stringContaining(command) });
  expect(await logIn('parents')).toMatchObject({ status: 'applied' });
  await recorder.until(({ topic }) => topic === `${world.week('parents')}/record`);
  const { text } = await get('api/a/parents/state');
  expect(text).toContain(`${world.week('parents')}`);
  await until(async () => (await list()).every(({ login }) => login === 'ok'));
  // A login that ends soon is renewed before its end.
  const consentEnd = () => JSON.parse(recorder.last('heating2mqtt/parents/bridge/auth') ?? '').consent_expires_at;
  const before = consentEnd();
  expect(await logIn('parents')).toMatchObject({ status: 'applied' });
  await until(async () => consentEnd() > before);
  expect((await post('remove', { name: 'parents' })).status).toBe(204);
  const left = new Map(recorder.heard.map(({ topic, payload }) => [topic, payload]));
  expect([...left].filter(([topic, payload]) => topic.startsWith('heating2mqtt/parents/') && payload !== '')).toEqual([]);
  expect((await get('api/a/parents/state')).status).toBe(404);
  expect([
    existsSync(join(dataDir, 'accounts.d', 'parents.yaml')),
    existsSync(join(dataDir, 'accounts', 'parents', 'tokens.json')),
  ]).toEqual([false, true]);
  expect(recorder.heard.slice(from).filter(({ topic }) => topic === 'heating2mqtt/bridge/state')).toEqual([]);
});

test('an account whose platform refuses further calls says until when, and the other has no problem', async () => {
  const { list, platforms, recorder, write, week } = await pageWorld({ rows: ['flat'], later: [] });
  for (const name of ['', 'flat']) await recorder.until(({ topic }) => topic === `${week(name)}/record`);
  platforms.get('flat')?.control({ command: 'fault', kind: 'rate_limited', limitReset: 600_000 });
  await write('flat', 'w', '08:00');
  await until(async () => (await list()).some(({ problemCode }) => problemCode !== undefined));
  expect(await list()).toEqual([
    expect.not.objectContaining({ problem: expect.anything() }),
    expect.objectContaining({ name: 'flat', problemCode: 'rate_limited', problem: expect.stringMatching(/until \d{4}-.*:00.000Z/) }),
  ]);
});

test('an account whose gateway another one has reads nothing, and nothing fails once it is logged in', async () => {
  const { cwd, post, list, logIn, settingsWith } = await pageWorld({ sameGateway: true });
  writeFileSync(join(cwd, 'settings.yaml'), settingsWith([], 'parents'));
  expect((await post('add', CLIENT)).status).toBe(204);
  const check = () => runCommand(['check', '--config', 'settings.yaml', '--account', 'parents'], { cwd });
  expect(await check()).toMatchObject({ code: 1 });
  expect(await logIn('parents')).toMatchObject({ status: 'applied' });
  await until(async () => (await list()).some((one) => 'problemCode' in one && one.problemCode === 'gateway'));
  const { code, out } = await check();
  expect([code, out]).toEqual([0, expect.stringContaining('ok   running bridge: last read')]);
});

test('what cannot be done has a code of its own, by which the page says it in German', async () => {
  const { post, dataDir, cwd, settingsWith } = await pageWorld({ rows: ['flat'] });
  const codeOf = async (path: string, body: object) => {
    const reply = await post(path, body);
    return [reply.status, reply.json()['error']];
  };
  expect(await codeOf('add', { name: 'No Name', client_id: 'a' })).toEqual([422, 'account_name']);
  expect(await codeOf('add', { name: 'flat', client_id: 'a' })).toEqual([422, 'account_exists']);
  expect(await codeOf('add', { name: 'west', client_id: '' })).toEqual([422, 'account_settings']);
  expect(existsSync(join(dataDir, 'accounts.d', 'west.yaml'))).toBe(false);
  const devices = [{ installation: 1, gateway: 2, device: 0, name: 'home', features: ['heating.*'] }];
  writeFileSync(join(cwd, 'settings.yaml'), `${settingsWith(['flat'])}${stringify({ devices })}`);
  expect(await codeOf('add', { name: 'home', client_id: 'a' })).toEqual([422, 'account_settings']);
  expect(existsSync(join(dataDir, 'accounts.d', 'home.yaml'))).toBe(false);
  writeFileSync(join(dataDir, 'accounts.d', 'north.yaml'), stringify({ client_id: 'a' }));
  expect(await codeOf('add', { name: 'north', client_id: 'a' })).toEqual([422, 'account_file']);
  expect(await codeOf('remove', { name: 'flat' })).toEqual([422, 'account_fixed']);
  expect(await codeOf('remove', { name: 'west' })).toEqual([422, 'account_unknown']);
});

test('an account stays, with its file, where the settings hold a mistake by which it would run on', async () => {
  const { post, list, dataDir, cwd, settingsWith } = await pageWorld({ files: ['parents'], later: [] });
  await until(async () => (await list()).length === 2);
  writeFileSync(join(cwd, 'settings.yaml'), `${settingsWith([])}history: 5`);
  expect((await post('remove', { name: 'parents' })).status).toBeGreaterThan(400);
  expect(existsSync(join(dataDir, 'accounts.d', 'parents.yaml'))).toBe(true);
});

test('a login of one account ends while the platform of another hangs as a login of it begins', async () => {
  const { post, client, platforms } = await pageWorld({ files: ['a', 'b'], later: [], main: false });
  const begin = async (name: string) => (await post('login', { name })).json();
  await begin('a');
  const { search } = new URL(await logInAt(String((await begin('b'))['address'])));
  platforms.get('a')?.control({ command: 'fault', hang: true, match: { path: '/authorize' } });
  const hanging = begin('a');
  const reply = await client.get(`/login/callback${search}`);
  expect([reply.status, reply.headers.location]).toEqual([303, '../#/accounts']);
  await Promise.race([hanging, 'hangs']).then((first) => expect(first).toBe('hangs'));
});

test('a login of one account ends where the folder of another cannot be used', async () => {
  const { post, client, dataDir } = await pageWorld({ files: ['a', 'b'], later: [], main: false });
  const { search } = new URL(await logInAt(String((await post('login', { name: 'b' })).json()['address'])));
  const folder = join(dataDir, 'accounts', 'a');
  renameSync(folder, `${folder}.away`);
  writeFileSync(folder, '');
  const reply = await client.get(`/login/callback${search}`);
  expect([reply.status, reply.headers.location]).toEqual([303, '../#/accounts']);
});

test('the main account, too, is logged in from the table, or by a link, which counts once', async () => {
  const { post, list, logIn, recorder, client, port } = await pageWorld({ rows: ['flat'], withoutLogin: '' });
  await until(async () => (await list()).some(({ name, login }) => name === '' && login === 'needed'));
  expect(await logIn('')).toMatchObject({ status: 'applied' });
  await recorder.until(({ topic }) => topic.endsWith('/schedule/record') && !topic.includes('/flat/'));
  const link = `/${(await post('link', { name: '' })).json()['path']}`;
  const form = (fields: Record<string, string>) =>
    client.ask(link, {
      raw: new URLSearchParams(fields).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: `http://127.0.0.1:${port}` },
    });
  const address = /href="([^"]+)" target/.exec((await form({})).text)?.[1]?.replaceAll('&amp;', '&') ?? '';
  // Where the login leads back to the page itself.
  const { search } = new URL(await logInAt(address));
  expect((await client.get(`/login/callback${search}`)).text).toContain('the main account is logged in');
  expect((await client.get(link)).status).toBe(410);
});

test('without a main account the page has the table alone, and answers probes', async () => {
  const { client, get, list } = await pageWorld({ main: false, rows: ['a', 'b'], later: [] });
  await until(async () => (await list()).length === 2);
  expect((await get('api/session')).json()).toMatchObject({ mode: 'run', accounts: 'only' });
  expect((await get('health')).json()).toEqual({ status: 'ok' });
  await until(async () => (await list()).every(({ login }) => login === 'ok'));
  expect((await get('api/a/a/state')).status).toBe(200);
  const well = { ok: true, note: false, message: 'it is connected and logged in, and reads work' };
  const lines = async () => (await client.post('/api/check', {})).json()['lines'];
  await until(async () => !JSON.stringify(await lines()).includes('"ok":false'));
  expect(await lines()).toMatchObject(['a', 'b'].map((name) => ({ name, ...well })));
  const metrics = (await get('metrics')).text.split('\n');
  for (const name of ['a', 'b']) {
    expect(metrics).toContain(`heating2mqtt_account_state{account="${name}",state="running"} 1`);
    expect(metrics).toContain(`heating2mqtt_account_login{account="${name}",login="ok"} 1`);
    for (const metric of ['login_due', 'last_read'])
      expect(metrics.some((line) => line.startsWith(`heating2mqtt_account_${metric}_timestamp_seconds{account="${name}"} 1`))).toBe(true);
  }
});

test.each([
  ['beside a main one', {}, ',other,parents'],
  ['alone', { main: false, rows: ['flat'] }, 'flat,other,parents'],
])('a backup has further accounts %s with login and database, and a restore brings them back', async (_, options, names) => {
  const { get, post, restore, recorder, dataDir, week, list } = await pageWorld({ files: ['parents'], later: [], ...options });
  const folder = join(dataDir, 'accounts', 'parents');
  const file = join(dataDir, 'accounts.d', 'parents.yaml');
  await recorder.until(({ topic }) => topic === `${week('parents')}/record`);
  const kept = [file, join(folder, 'tokens.json')].map((path) => readFileSync(path, 'utf8'));
  const backup = (await get('api/backup')).bytes;
  expect((await post('remove', { name: 'parents' })).status).toBe(204);
  rmSync(folder, { recursive: true });
  writeFileSync(join(dataDir, 'accounts.d', 'other.yaml'), 'poll: { seconds: 0 }');
  const from = recorder.heard.length;
  expect((await restore(backup)).status).toBe(202);
  await recorder.until(({ topic, payload }) => topic === `${week('parents')}/record` && payload !== '', from);
  expect([file, join(folder, 'tokens.json')].map((path) => readFileSync(path, 'utf8'))).toEqual(kept);
  expect(existsSync(join(dataDir, 'restore'))).toBe(false);
  // What the backup does not know stays as it is.
  await until(async () => (await list()).map(({ name }) => name).join() === names);
  expect((await get('api/settings')).json()).toMatchObject({ busy: false });
  expect((await get('api/settings')).json()).not.toHaveProperty('problem');
});

test('a backup of further accounts alone is restored on a new machine, whose settings are changed on the page then', async () => {
  const old = await pageWorld({ main: false, rows: [], files: ['parents'], later: [] });
  await old.recorder.until(({ topic }) => topic === `${old.week('parents')}/record`);
  const backup = (await old.get('api/backup')).bytes;
  await old.running.stop();
  const port = await freePort();
  const { get, client, restore, list } = pageAt(port);
  const url = parse(readFileSync(join(old.cwd, 'settings.yaml'), 'utf8')).mqtt.url;
  const web = { HEATING2MQTT_WEB_LISTEN: '127.0.0.1', HEATING2MQTT_WEB_PORT: String(port) };
  startCommand(['run'], { env: { ...web, HEATING2MQTT_DATA_DIR: emptyFolder(), HEATING2MQTT_MQTT_URL: url } });
  await until(() => isServed(port));
  expect((await get('api/session')).json()).toMatchObject({ mode: 'setup' });
  const from = old.recorder.heard.length;
  expect((await restore(backup)).status).toBe(202);
  const isOnline = ({ topic, payload }: Heard): boolean => topic === 'heating2mqtt/parents/bridge/state' && payload === 'online';
  await old.recorder.until(isOnline, from);
  await until(() =>
    get('api/session').then(
      (reply) => reply.json()['mode'] === 'run' && reply.json()['accounts'] === 'only',
      () => false,
    ),
  );
  const changed = old.recorder.heard.length;
  expect(await client.post('/api/settings', { changes: { language: 'de' } })).toMatchObject({ status: 200 });
  await old.recorder.until(isOnline, changed);
  expect(await client.post('/api/settings', { changes: { 'mqtt.base': '' } })).toMatchObject({ status: 422 });
  expect((await list()).map(({ name }) => name)).toEqual(['parents']);
});

test.runIf(process.platform !== 'win32')('an account that a full disk does not take can be added once there is room', async () => {
  const cwd = emptyFolder();
  const add = `
    const { makeAccounts } = await import('${pathToFileURL('src/accounts/accounts.ts')}');
    const sources = { env: { HEATING2MQTT_DATA_DIR: '${cwd}', HEATING2MQTT_MQTT_URL: 'mqtt://127.0.0.1:1' }, cwd: '${cwd}' };
    const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
    const accounts = makeAccounts({ sources, owners: {}, main: () => undefined, clock: {}, log });
    await accounts.add({ name: 'north', client_id: 'a' }).catch(({ code }) => console.log(code));`;
  // The limit of a POSIX shell stands for the end of the disk.
  const limited = ['-c', 'ulimit -S -f 0; exec "$@"', 'sh', process.execPath, '--input-type=module', '-e', add];
  expect(execFileSync('sh', limited, { encoding: 'utf8' }).trim()).toBe('EFBIG');
  expect(readdirSync(join(cwd, 'accounts.d'))).toEqual([]);
});
