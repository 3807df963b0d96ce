import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { parse, stringify } from 'yaml';
import { type Accounts, makeAccounts } from '../../../src/accounts/accounts.ts';
import { accountsTopic } from '../../../src/accounts/accountsTopic.ts';
import { GatewayOwners } from '../../../src/accounts/gatewayOwners.ts';
import type { AccountSummary } from '../../../src/api/accounts.ts';
import { accountMistake, readAccounts } from '../../../src/config/accounts.ts';
import { loadSettings, readSettings } from '../../../src/config/load.ts';
import { systemClock } from '../../../src/shared/clock.ts';
import { SILENT } from '../../../src/shared/log.ts';
import { type AccountsWorld, accountsWorld, gatewayOf } from '../../support/accounts/accountsWorld.ts';
import { emptyFolder, runCommand } from '../../support/cli/inProcess.ts';
import { listen } from '../../support/network/mqttRecorder.ts';
import { startTestBroker } from '../../support/network/testBroker.ts';
import { recordingLog } from '../../support/system/testSystem.ts';
import { untilSo } from '../../support/system/untilSo.ts';

const END = '08:00';
type Logged = Parameters<typeof recordingLog>[0];

/** The further accounts of a world whose process does not run, started. */
const accountsOf = async ({ cwd }: AccountsWorld, logged: Logged): Promise<Accounts> => {
  const sources = { file: 'settings.yaml', env: {}, cwd };
  const log = recordingLog(logged);
  const accounts = makeAccounts({ sources, owners: new GatewayOwners(), main: () => undefined, clock: systemClock, log });
  onTestFinished(() => accounts.stop());
  await accounts.reconcile();
  return accounts;
};

const online = (base: string): string => `${base}/bridge/state`;

test('the main account has its topics as without others, each further account its own below its name, and each write one answer', async () => {
  const world = await accountsWorld({ rows: ['parents'], files: ['flat'] });
  const { recorder, list, write, answers } = world;
  for (const name of ['', 'parents', 'flat']) await recorder.until(({ topic }) => topic === `${world.week(name)}/record`);
  await untilSo(() => list().filter(({ state, login }) => state === 'running' && login === 'ok').length === 3);
  expect(list().map(({ name }) => name)).toEqual(['', 'parents', 'flat']);
  for (const name of ['', 'parents', 'flat']) await write(name, `w-${name}`, END);
  for (const name of ['', 'parents', 'flat']) await untilSo(() => answers(`w-${name}`).length === 2);
  for (const name of ['', 'parents', 'flat']) {
    expect(answers(`w-${name}`)).toEqual(['accepted', 'applied']);
    const posts = world.platforms
      .get(name)
      ?.calls()
      .filter(({ method, path }) => method === 'POST' && path.includes('/features'));
    expect(posts).toHaveLength(1);
  }
  const schedules = async (...account: string[]) => {
    const { out } = await runCommand(['schedule', 'show', '--json', '--config', 'settings.yaml', ...account], { cwd: world.cwd });
    return JSON.parse(out).map(({ device }: { device: string }) => device.slice(0, gatewayOf(0).length));
  };
  for (const [index, account] of [[], ['--account', 'parents']].entries())
    expect(new Set(await schedules(...account))).toEqual(new Set([gatewayOf(index)]));
  await world.running.stop();
  for (const base of ['heating2mqtt', 'heating2mqtt/parents', 'heating2mqtt/flat']) expect(recorder.last(online(base))).toBe('offline');
});

test('accounts come, change and go with their files, at SIGHUP, and the others go on', async () => {
  const world = await accountsWorld({ rows: ['parents'], files: ['flat'] });
  const { recorder, dataDir, list } = world;
  for (const name of ['', 'parents', 'flat']) await recorder.until(({ topic }) => topic === `${world.week(name)}/record`);
  const from = recorder.heard.length;
  rmSync(join(dataDir, 'accounts.d', 'flat.yaml'));
  writeFileSync(join(dataDir, 'accounts.d', 'wrong.yaml'), 'poll: { seconds: 0 }');
  world.running.hangUp();
  await untilSo(() => list().some(({ name, state }) => name === 'wrong' && state === 'wrong_settings'));
  expect(list().find(({ name }) => name === 'wrong')?.problem).toMatch(/wrong\.yaml, line 1: poll\.seconds: 0 is below the minimum of 1/);
  await untilSo(() => recorder.last(`${world.week('flat')}/record`) === undefined);
  expect(recorder.last(online('heating2mqtt/flat'))).toBeUndefined();
  const restarted = ['heating2mqtt', 'heating2mqtt/parents'].map(online);
  expect(recorder.heard.slice(from).filter(({ topic }) => restarted.includes(topic))).toEqual([]);
  writeFileSync(join(dataDir, 'accounts.d', 'flat.yaml'), stringify(world.entry('flat')));
  world.running.hangUp();
  await untilSo(() => recorder.last(`${world.week('flat')}/record`) !== undefined);
});

test('rows with a wrong or taken name are left out, each with one line in log, check and bridge/accounts, and the others run', async () => {
  const world = await accountsWorld({ rows: ['parents'], files: ['flat'] });
  await world.running.stop();
  const wrong = [{ name: 'bridge' }, { name: 'parents', client_id: 'another' }, { name: 'No Name' }, 'text', { client_id: 'a' }];
  const settings = parse(world.settingsWith(['parents']));
  const file = join(world.cwd, 'settings.yaml');
  writeFileSync(file, stringify({ ...settings, accounts: [...settings.accounts, ...wrong] }));
  writeFileSync(join(world.dataDir, 'accounts.d', 'parents.yaml'), 'client_id: another');
  const from = world.recorder.heard.length;
  const running = world.start();
  for (const name of ['', 'parents', 'flat'])
    await world.recorder.until(({ topic, payload }) => topic === `${world.week(name)}/record` && payload !== '', from);
  await untilSo(() => world.list().filter(({ state }) => state === 'running').length === 3);
  const left = [
    ['accounts[1]', /^settings\.yaml, line \d+: name: "bridge" is reserved for the bridge's own topics; allowed: another name$/],
    ['accounts[2]', /^settings\.yaml, line \d+: name: "parents" is already the name of another account$/],
    ['accounts[3]', /^settings\.yaml, line \d+: name: "No Name" is not an account name; allowed: at most 40 characters of a to z/],
    ['accounts[4]', /^settings\.yaml, line \d+: the value is not an account; allowed: /],
    ['accounts[5]', /^settings\.yaml, line \d+: name is missing; allowed: - /],
    ['accounts.d/parents.yaml', /parents\.yaml(, line 1)?: name: "parents" is already the name of another account$/],
  ] as const;
  const leftOut = () => world.list().filter(({ state }) => state === 'wrong_settings');
  await untilSo(() => leftOut().length === left.length);
  expect(leftOut()).toEqual(left.map(([name, problem]) => expect.objectContaining({ name, problem: expect.stringMatching(problem) })));
  const { code, out } = await runCommand(['check', '--config', 'settings.yaml'], { cwd: world.cwd });
  expect(code).toBe(1);
  for (const [name] of left) expect(out.split(`account ${name}`)).toHaveLength(2);
  await running.stop();
  const logged: Logged = [];
  const accounts = await accountsOf(world, logged);
  expect(accounts.list()).toHaveLength(2 + left.length);
  const lines = logged.filter(({ sentence }) => sentence.includes('not started'));
  expect(lines.map(({ facts }) => facts)).toEqual(left.map(([account]) => expect.objectContaining({ account })));
});

test.each([
  ['are no YAML any more', (world: AccountsWorld) => writeFileSync(join(world.cwd, 'settings.yaml'), 'accounts: [')],
  ['hold a mistake', (world: AccountsWorld) => writeFileSync(join(world.cwd, 'settings.yaml'), `${world.settingsWith([])}history: 5`)],
  [
    'are sound, and accounts.d is a link to a share that is away',
    ({ dataDir }: AccountsWorld) => {
      rmSync(join(dataDir, 'accounts.d'), { recursive: true });
      symlinkSync('nothing', join(dataDir, 'accounts.d'));
    },
  ],
  [
    'are sound, and accounts.d is no folder',
    ({ dataDir }: AccountsWorld) => {
      rmSync(join(dataDir, 'accounts.d'), { recursive: true });
      writeFileSync(join(dataDir, 'accounts.d'), '');
    },
  ],
])('all accounts stay as they are where the settings %s at SIGHUP', async (_, spoil) => {
  const world = await accountsWorld({ main: false, rows: ['parents'], files: ['flat'] });
  await world.running.stop();
  const logged: Logged = [];
  const accounts = await accountsOf(world, logged);
  const [parents, flat] = [accounts.view('parents'), accounts.view('flat')];
  expect([parents, flat]).not.toContain(undefined);
  spoil(world);
  await accounts.reconcile({ stoppedToo: true });
  expect(logged.flatMap(({ level, sentence }) => (level === 'error' ? sentence : []))).toEqual([
    'the list of accounts cannot be read; all accounts stay unchanged',
  ]);
  expect(accounts.view('parents')).toBe(parents);
  expect(accounts.view('flat')).toBe(flat);
});

test('a row whose name is mistyped at SIGHUP goes on, as its topics are not withdrawn for that; one whose file is gone does not', async () => {
  const world = await accountsWorld({ main: false, rows: ['parents'], files: ['flat'] });
  for (const name of ['parents', 'flat']) await world.recorder.until(({ topic }) => topic === `${world.week(name)}/record`);
  const file = join(world.cwd, 'settings.yaml');
  const settings = readFileSync(file, 'utf8');
  writeFileSync(file, settings.replace('name: parents', 'name: Parents'));
  rmSync(join(world.dataDir, 'accounts.d', 'flat.yaml'));
  world.running.hangUp();
  const shown = (): string =>
    world
      .list()
      .map(({ name, state }) => `${name} ${state}`)
      .join();
  await untilSo(() => shown() === 'parents running,accounts[0] wrong_settings');
  expect(world.recorder.last(online('heating2mqtt/parents'))).toBe('online');
  await untilSo(() => world.recorder.last(online('heating2mqtt/flat')) === undefined);
  writeFileSync(file, settings);
  world.running.hangUp();
  await untilSo(() => shown() === 'parents running');
  const states = world.recorder.heard.filter(({ topic }) => topic === online('heating2mqtt/parents'));
  expect(states.map(({ payload }) => payload)).toEqual(['online']);
});

test('a broker with another address gets the list of the accounts, too, after a new start of the main account or SIGHUP', async () => {
  const world = await accountsWorld({ main: false, rows: ['a'] });
  await untilSo(() => world.list()[0]?.state === 'running');
  const other = await startTestBroker();
  onTestFinished(() => other.close());
  const recorder = await listen(other.url);
  onTestFinished(() => recorder.close());
  const file = join(world.cwd, 'settings.yaml');
  writeFileSync(file, readFileSync(file, 'utf8').replace(/url: mqtt:.*/, `url: ${other.url}`));
  world.running.hangUp();
  await recorder.until(({ topic, payload }) => topic === 'heating2mqtt/bridge/accounts' && payload.includes('"running"'));
  expect(world.list()).toEqual([]);
});

test('bridge/accounts tells at once what it hears of an account', async () => {
  const broker = await startTestBroker();
  onTestFinished(() => broker.close());
  const recorder = await listen(broker.url);
  onTestFinished(() => recorder.close());
  const cwd = emptyFolder();
  const env = { HEATING2MQTT_MQTT_URL: broker.url, HEATING2MQTT_PLATFORM_CLIENT_ID: 'a', HEATING2MQTT_DATA_DIR: cwd };
  let login: AccountSummary['login'] = 'ok';
  const list = (): readonly AccountSummary[] => [{ name: 'a', state: 'running', broker: true, login }];
  const shown = accountsTopic(loadSettings({ env, cwd }), list, systemClock, SILENT);
  onTestFinished(() => shown.stop());
  const isTold = (): boolean => recorder.last('heating2mqtt/bridge/accounts')?.includes(`"login":"${login}"`) === true;
  await untilSo(isTold);
  login = 'needed';
  shown.changed();
  await vi.waitUntil(isTold, { timeout: 5000 });
});

test('bridge/accounts tells at once that a login has ended, also of the main account', async () => {
  const world = await accountsWorld({ rows: ['a'] });
  await untilSo(() => world.list().length === 2 && world.list().every(({ login, state }) => login === 'ok' && state === 'running'));
  for (const [name, at] of [
    ['', 0],
    ['a', 1],
  ] as const) {
    await world.recorder.until(({ topic }) => topic === `${world.week(name)}/record`);
    for (const command of ['expire_tokens', 'revoke_refresh_tokens']) world.platforms.get(name)?.control({ command });
    await world.write(name, 'w', '08:00');
    // Long before the next check.
    await vi.waitUntil(() => world.list()[at]?.login === 'needed', { timeout: 20_000 });
  }
});

test('without a main account there are the others alone', async () => {
  const world = await accountsWorld({ main: false, rows: ['a', 'b'] });
  for (const name of ['a', 'b']) await world.recorder.until(({ topic }) => topic === `${world.week(name)}/record`);
  await untilSo(() => world.list().length === 2);
  expect(world.recorder.heard.filter(({ topic }) => /^heating2mqtt\/bridge\/(?!accounts)/.test(topic))).toEqual([]);
});

test('a gateway that two accounts see belongs to the first of them, and the other says so', async () => {
  const world = await accountsWorld({ rows: ['a', 'b'], main: false, sameGateway: true });
  await world.recorder.until(({ topic }) => topic === `${world.week('a')}/record`);
  await untilSo(() => world.list().find(({ name }) => name === 'b')?.problem !== undefined);
  expect(world.list().find(({ name }) => name === 'b')?.problem).toBe('The gateway 7571381699991000 is published by a.');
  expect(world.recorder.last(`${world.week('b')}/record`)).toBeUndefined();
  // The first one is gone: the other has it.
  writeFileSync(join(world.cwd, 'settings.yaml'), world.settingsWith(['b']));
  world.running.hangUp();
  await world.recorder.until(({ topic }) => topic === `${world.week('b')}/record`);
});

test('a gateway that passes to another account and comes back has its document each time', async () => {
  const world = await accountsWorld({ rows: ['a', 'b'], main: false, sameGateway: true });
  const { recorder, running } = world;
  let from = 0;
  const offeredBy = (name: string) =>
    recorder.until(
      ({ topic, payload }) => topic.endsWith('_7571381699991000_0/config') && payload.includes(`"heating2mqtt/${name}/`),
      from,
    );
  await offeredBy('a');
  for (const [first, second] of [
    ['b', 'a'],
    ['a', 'b'],
  ] as const) {
    from = recorder.heard.length;
    writeFileSync(join(world.cwd, 'settings.yaml'), world.settingsWith([first, second]));
    running.hangUp();
    await offeredBy(first);
  }
});

test('which entries of accounts.d are accounts', async () => {
  const cwd = emptyFolder();
  const folder = join(cwd, 'data', 'accounts.d');
  mkdirSync(folder, { recursive: true });
  const settings = { platform: { client_id: 'main' }, mqtt: { url: 'mqtt://127.0.0.1:1' }, data_dir: 'data' };
  writeFileSync(join(cwd, 'settings.yaml'), stringify(settings));
  const contents = {
    '.#a.yaml': 'client_id: a',
    '.yaml': 'client_id: a',
    '7571381699991000-0.yaml': 'client_id: a',
    'a.yaml': 'client_id: a',
    'empty.yaml': '',
    'list.yaml': '- client_id: a',
    'platform.yaml': 'client_id: a\nplatform: v2',
    'broken.yaml': 'client_id: [',
    'other.yml': 'client_id: a',
    'large.yaml': `client_id: a\n#${' '.repeat(3_000_000)}`,
  };
  for (const [name, text] of Object.entries(contents)) writeFileSync(join(folder, name), text);
  mkdirSync(join(folder, 'folder.yaml'));
  symlinkSync('loop.yaml', join(folder, 'loop.yaml'));
  // As to a share that is away: an account that is removed would lose its topics.
  symlinkSync('nothing', join(folder, 'away.yaml'));
  const sources = { file: 'settings.yaml', env: { HEATING2MQTT_PLATFORM_CLIENT_ID: 'main' }, cwd };
  const all = readAccounts(sources, readSettings(sources));
  const withoutClient = all.find(({ name }) => name === 'empty');
  // Nothing is said of a start without a settings file, as of the main account.
  expect(withoutClient && 'mistakes' in withoutClient && accountMistake(withoutClient.mistakes)).toMatch(/and put its id here\.$/);
  const found = all.map((one) => [
    one.name,
    'settings' in one ? one.settings.platform.client_id : one.mistakes.map(({ rule }) => rule).join(),
  ]);
  expect(Object.fromEntries(found)).toEqual({
    'accounts.d/7571381699991000-0.yaml': 'reserved',
    'accounts.d/other.yml': 'name',
    a: 'a',
    empty: 'required',
    list: 'no_keys',
    platform: 'type',
    broken: 'syntax',
    ...{ large: 'unreadable_file', folder: 'unreadable_file', loop: 'unreadable_file', away: 'unreadable_file' },
  });
});

test('where there is no main account, a command names the others', async () => {
  const cwd = emptyFolder();
  const entry = { name: 'a', client_id: 'a' };
  writeFileSync(join(cwd, 'settings.yaml'), stringify({ mqtt: { url: 'mqtt://127.0.0.1:1' }, data_dir: 'data', accounts: [entry] }));
  const { code, err } = await runCommand(['faults', '--config', 'settings.yaml'], { cwd });
  expect(code).not.toBe(0);
  expect(err).toContain('--account is missing; the settings have no main account; allowed: a');
});

test('a main account that lacks a setting is told beside others, too: the process does not run without it', async () => {
  const cwd = emptyFolder();
  const platform = { client_id: 'main', profile: 'v1' };
  const accounts = [{ name: 'a', client_id: 'a' }];
  writeFileSync(join(cwd, 'settings.yaml'), stringify({ platform, mqtt: { url: 'mqtt://127.0.0.1:1' }, data_dir: 'data', accounts }));
  for (const command of ['run', 'check', 'faults']) {
    const { code, err } = await runCommand([command, '--config', 'settings.yaml'], { cwd });
    expect([command, code !== 0, err]).toEqual([command, true, expect.stringContaining('platform.base_url is missing')]);
  }
});
