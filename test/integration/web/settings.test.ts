import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { planChange } from '../../../src/config/editing/settingsStore.ts';
import type { SetupHost } from '../../../src/web/setup/services.ts';
import { SettingsWriter } from '../../../src/web/setup/settingsRoutes.ts';
import { listen } from '../../support/network/mqttRecorder.ts';
import { logInAt } from '../../support/system/logInAt.ts';
import { recordingLog } from '../../support/system/testSystem.ts';
import { afterSetup, PAGE_PASSWORD, type SetupWorld } from '../../support/web/setupWorld.ts';
import { folder } from '../../unit/config/loading.ts';

const fileOf = ({ cwd }: SetupWorld): string => join(cwd, 'data/settings.yaml');
const textOf = (world: SetupWorld): string => readFileSync(fileOf(world), 'utf8');

type Row = { readonly path: string; readonly value: unknown; readonly origin: object; readonly fixed: boolean };
const rowOf = async ({ get }: SetupWorld, path: string): Promise<Row | undefined> =>
  ((await get('api/settings')).body['settings'] as readonly Row[]).find((row) => row.path === path);

test('a change is written with what was there before, and the bridge starts with it in place', async () => {
  const world = await afterSetup();
  const { post, broker, host } = world;
  const before = textOf(world);
  const recorder = await listen(broker.url);
  await recorder.untilTopic('heating2mqtt/bridge/state', 'online');
  expect(await post('api/settings', { changes: { 'poll.seconds': '90' } })).toMatchObject({ status: 200, body: { file: fileOf(world) } });
  await recorder.until(({ topic, payload }) => topic.startsWith('heating2mqtt/bridge/') && payload.includes('"poll_seconds":90'));
  await recorder.close();
  const [old, now] = [before, textOf(world)].map((text) => text.split('\n')) as [string[], string[]];
  const added = now.filter((line) => !old.includes(line) && !/^ *#/.test(line));
  expect(added).toEqual(['poll:', '  seconds: 90']);
  expect(old.filter((line) => !now.includes(line))).toEqual([]);
  expect(readFileSync(`${fileOf(world)}.before`, 'utf8')).toBe(before);
  expect(await rowOf(world, 'poll.seconds')).toMatchObject({ value: 90, fixed: false, origin: { kind: 'page' } });
  expect(host.web()?.entry()).toBe('password');
});

test('the stored password of the broker goes to no other host', async () => {
  const world = await afterSetup();
  const { post, broker } = world;
  const user = { 'mqtt.username': 'me', 'mqtt.password': 'secret' };
  expect((await post('api/settings', { changes: user })).status).toBe(200);
  const before = textOf(world);
  const other = { 'mqtt.url': broker.url.replace('127.0.0.1', 'localhost') };
  const refusal = { status: 422, body: { mistakes: [{ path: 'mqtt.password', rule: 'again' }] } };
  expect(await post('api/broker/test', { changes: other })).toMatchObject(refusal);
  expect(await post('api/settings', { changes: other })).toMatchObject(refusal);
  expect(textOf(world)).toBe(before);
  const again = { ...other, 'mqtt.password': 'secret' };
  expect(await post('api/broker/test', { changes: again })).toMatchObject({ status: 200, body: { ok: true } });
  expect((await post('api/settings', { changes: again })).status).toBe(200);
});

test('another password of the page: everyone logs in anew', async () => {
  const world = await afterSetup();
  const { post, get, leave } = world;
  expect(await post('api/settings', { changes: { 'web.password': 'another one' } })).toMatchObject({ status: 202 });
  await expect.poll(() => get('api/session').then(({ body }) => body['login'], String)).toBe('needed');
  leave();
  expect(await post('api/login', { password: PAGE_PASSWORD })).toMatchObject({ status: 401 });
  expect(await post('api/login', { password: 'another one' })).toMatchObject({ status: 204 });
  expect(textOf(world)).not.toContain('another one');
});

test('what the settings file says in vain is told with its place: of devices, profiles and secrets too, also in the answer to a change', async () => {
  const world = await afterSetup();
  const { post, cwd } = world;
  const own = `devices: [{ name: cellar, installation: '1', gateway: '2', device: '3' }]
web: { password: of the file }
poll: { seconds: 80 }
schedules:
  profiles: { winter: daily 06:00-22:00 normal }
`;
  mkdirSync(join(cwd, 'config'));
  writeFileSync(join(cwd, 'config/local.yaml'), own);
  const profile = (name: string, week: string | null) => post('api/settings', { changes: { [`schedules.profiles.${name}`]: week } });
  const devices = { path: 'devices', where: 'config/local.yaml, line 1' };
  const password = { path: 'web.password', where: 'config/local.yaml, line 2' };
  const profiles = { path: 'schedules.profiles', where: 'config/local.yaml, line 5' };
  const told = async (): Promise<readonly object[]> => {
    const { body } = await world.get('api/settings');
    return (body['settings'] as readonly (Row & { readonly inFile?: object })[]).flatMap(({ path, inFile }) =>
      inFile ? [{ path, ...inFile }] : [],
    );
  };
  const ofDevices = { ...devices, value: [{ name: 'cellar', installation: '1', gateway: '2', device: '3' }] };
  expect(await told()).toEqual([ofDevices, password]);
  // What is set as the file has it overrules nothing.
  expect(await post('api/settings', { changes: { 'poll.seconds': 80 } })).toMatchObject({
    status: 200,
    body: { file: fileOf(world), overruled: [devices, password] },
  });
  expect(await profile('summer', 'daily none')).toMatchObject({ status: 200, body: { overruled: [devices, profiles, password] } });
  expect(await told()).toEqual([ofDevices, { ...profiles, value: { winter: 'daily 06:00-22:00 normal' } }, password]);
  expect(await rowOf(world, 'schedules.profiles')).toMatchObject({
    value: { winter: 'daily 06:00-22:00 normal', summer: 'daily none' },
    origin: { kind: 'page' },
  });
  expect(await post('api/settings', { changes: { 'schedules.profiles': null } })).toMatchObject({
    body: { overruled: [devices, password] },
  });
  expect(await rowOf(world, 'schedules.profiles')).toMatchObject({
    value: { winter: 'daily 06:00-22:00 normal' },
    origin: { kind: 'file', where: profiles.where },
  });
  expect(readFileSync(join(cwd, 'config/local.yaml'), 'utf8')).toBe(own);
});

test('devices and profiles of the environment are shown with their place, and a change of them is refused with it', async () => {
  const [where, of] = ['HEATING2MQTT_SCHEDULES_PROFILES', 'schedules.profiles'];
  const world = await afterSetup({ [where]: '{ winter: daily none }' });
  expect(await rowOf(world, of)).toMatchObject({ value: { winter: 'daily none' }, fixed: true, origin: { kind: 'environment', where } });
  const path = `${of}.summer`;
  expect(await world.post('api/settings', { changes: { [path]: 'daily none' } })).toMatchObject({
    status: 422,
    body: { mistakes: [{ path, rule: 'fixed', where }] },
  });
});

test('what is refused changes nothing: wrong settings, what the environment sets, what would lock out whoever makes it', async () => {
  const world = await afterSetup({ HEATING2MQTT_POLL_SECONDS: '120' });
  const { post, host, logged } = world;
  const before = textOf(world);
  const refused = async (changes: object): Promise<readonly object[]> => {
    const { status, body } = await post('api/settings', { changes });
    expect([status, textOf(world)]).toEqual([422, before]);
    return body['mistakes'] as readonly object[];
  };
  const wrong = { 'history.days': 'soon', 'mqtt.base': 'homeassistant', 'log.level': 'loud' };
  expect(await refused(wrong)).toMatchObject([{ path: 'mqtt.base' }, { path: 'history.days' }, { path: 'log.level' }]);
  const where = 'HEATING2MQTT_POLL_SECONDS';
  expect(await rowOf(world, 'poll.seconds')).toMatchObject({ value: 120, fixed: true, origin: { kind: 'environment', where } });
  expect(await refused({ 'poll.seconds': 90 })).toMatchObject([{ path: 'poll.seconds', rule: 'fixed', where }]);
  const deep = JSON.parse(`${'['.repeat(4000)}${']'.repeat(4000)}`);
  for (const path of ['devices', 'schedules.profiles', 'nothing']) await refused({ [path]: deep });
  expect(await refused({ 'web.password': null })).toMatchObject([{ path: 'web.password', rule: 'required' }]);
  expect(host.web()?.entry()).toBe('password');
  expect(logged.filter(({ level }) => level === 'error')).toEqual([]);

  writeFileSync(fileOf(world), 'mqtt: {');
  const broken = { status: 422, body: { error: 'cannot_change', message: expect.stringContaining('by hand') } };
  expect(await post('api/broker/test', { changes: { 'mqtt.url': 'mqtt://localhost' } })).toMatchObject({
    ...broken,
    body: { error: 'cannot_change' },
  });
  expect(await post('api/settings', { changes: { 'log.level': 'warn' } })).toMatchObject(broken);
  expect(textOf(world)).toBe('mqtt: {');
});

describe('settings with which the bridge does not start', () => {
  const V2 = 'platform: { profile: v2, client_id: abc }\n';
  const CLIENT = [
    { path: ['platform', 'profile'], value: 'v2' },
    { path: ['platform', 'client_id'], value: 'abc' },
  ];
  const fails = (_: unknown, how?: { readonly takeBack?: () => void }) => {
    how?.takeBack?.();
    return Promise.reject(new Error('the disk is full.'));
  };
  const writer = (restart: SetupHost['restart'], text?: string) => {
    const cwd = folder(text === undefined ? {} : { 'data/settings.yaml': text });
    const file = join(cwd, 'data/settings.yaml');
    const sources = { cwd, env: { HEATING2MQTT_DATA_DIR: join(cwd, 'data') } };
    const logged: Parameters<typeof recordingLog>[0] = [];
    const made = new SettingsWriter(
      { sources, entry: () => 'none', restart, flush: () => undefined, loggedIn: () => undefined, needsLogin: () => false },
      recordingLog(logged),
    );
    const changes = text === undefined ? CLIENT : [{ path: ['poll', 'seconds'], value: 90 }];
    const apply = (answerFirst: boolean) => made.apply(planChange(sources, changes), { answerFirst });
    return { made, logged, file, apply, now: () => existsSync(file) && readFileSync(file, 'utf8') };
  };
  test.each([V2, undefined])('are taken back to %j, with the reason', async (text) => {
    const { apply, now } = writer(fails, text);
    const message = expect.stringContaining('the disk is full.');
    expect(await apply(false)).toMatchObject({ status: 422, json: { error: 'not_started', message } });
    expect(now()).toBe(text ?? false);
  });
  test('are taken back after the answer too, and the reason is kept for the page, which knows how long it is not sure', async () => {
    const { made, apply, now } = writer(fails, V2);
    expect(await apply(true)).toMatchObject({ status: 202 });
    expect([made.isBusy, made.problem]).toEqual([true, undefined]);
    await expect.poll(() => made.isBusy).toBe(false);
    await expect.poll(() => made.problem).toBe('the disk is full.');
    expect(now()).toBe(V2);
  });
  test('are kept, with a word in the log, where the ones before cannot be written back', async () => {
    // A folder with something in it takes the place of the file.
    const { made, logged, file, apply } = writer((...given) => {
      rmSync(file);
      mkdirSync(join(file, 'in the way'), { recursive: true });
      return fails(...given);
    }, V2);
    expect(await apply(true)).toMatchObject({ status: 202 });
    await expect.poll(() => made.problem).toBe('the disk is full.');
    expect(readFileSync(`${file}.before`, 'utf8')).toBe(V2);
    expect(logged.map(({ sentence }) => sentence)).toContain('the previous settings could not be restored: see the file .before');
  });
  test('are not written where the disk takes nothing', async () => {
    const { file, apply, now } = writer(() => Promise.resolve(), V2);
    mkdirSync(`${file}.part`);
    await expect(apply(false)).rejects.toMatchObject({ code: 'unwritable' });
    expect(now()).toBe(V2);
  });
  test.each([false, true])('are changed one at a time, also where the answer goes out first (%s)', async (answerFirst) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { apply } = writer(() => promise, V2);
    const first = apply(answerFirst);
    expect(await apply(answerFirst)).toMatchObject({ status: 409 });
    resolve();
    expect(await first).toMatchObject({ status: answerFirst ? 202 : 200 });
    await expect.poll(async () => (await apply(false)).status).toBe(200);
  });
});

test('a login that has ended is made anew on the page, and the bridge reads again at once', async () => {
  const world = await afterSetup();
  const { post, get, broker, simulator } = world;
  const recorder = await listen(broker.url);
  await recorder.until(({ topic }) => topic.startsWith('heating2mqtt/house/heating/'));
  simulator.control({ command: 'revoke_refresh_tokens' });
  simulator.control({ command: 'expire_tokens' });
  await post('api/write', { topic: 'heating2mqtt/bridge/poll/set', payload: 'now', id: '1' });
  const isAuth = (state: string) => (heard: { readonly topic: string; readonly payload: string }) =>
    heard.topic === 'heating2mqtt/bridge/auth' && heard.payload.includes(`"state":"${state}"`);
  const from = recorder.heard.length;
  await recorder.until(isAuth('login_needed'));
  const { body } = await post('api/platform/login');
  const back = await logInAt(String(body['address']));
  expect((await post('api/platform/login/finish', { address: back })).body).toMatchObject({ status: 'applied' });
  await recorder.until(isAuth('ok'), from);
  expect((await get('api/platform/login')).body).toMatchObject({ loggedIn: true, last: { status: 'applied' } });
  await recorder.close();
});
