import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { checkAll } from '../../../src/cli/check/check.ts';
import { setupServices } from '../../../src/cli/setup/setupServices.ts';
import { exampleYaml, shortYaml } from '../../../src/config/documentation.ts';
import type { Settings } from '../../../src/config/settings.ts';
import { serverSentenceDe } from '../../../src/language/setup/serverDe.ts';
import { startEmbeddedBroker } from '../../../src/mqtt/embeddedBroker.ts';
import { readTokens, writeTokens } from '../../../src/platform/auth/tokenFile.ts';
import { systemClock } from '../../../src/shared/clock.ts';
import { startSimulator } from '../../../src/simulator/simulator.ts';
import { openStorage } from '../../../src/storage/storage.ts';
import { emptyFolder, runCommand } from '../../support/cli/inProcess.ts';
import { checked, startAdvanceable } from '../../support/system/checked.ts';
import { polled } from '../../support/system/outcome.ts';
import { recordingLog, storeTokens, type TestSystem, testSettings } from '../../support/system/testSystem.ts';
import { untilSo } from '../../support/system/untilSo.ts';

const MINUTE_MS = 60_000;

const bothWays = async ({ settings }: TestSystem) => [await checked(settings), await checked(settings, true)];

const servicesOf = (dataDir: string, accounts: ReturnType<Parameters<typeof setupServices>[4]>) =>
  setupServices(
    dataDir,
    systemClock,
    recordingLog([]),
    () => false,
    () => accounts,
  );

const DEVICE = { name: 'home', installation: '1', gateway: '2', device: '0', features: ['*'] };

test('a page that cannot be served as the settings ask is a fault: an address without a good password, a taken port', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  onTestFinished(() => void taken.close());
  const port = Number(Object(taken.address()).port);
  const pageFault = async (web: object): Promise<string> => {
    const platform = { client_id: 'a', base_url: 'http://127.0.0.1:1', auth_url: 'http://127.0.0.1:1' };
    const { failed } = await checked({ data_dir: emptyFolder(), platform, mqtt: { url: 'mqtt://127.0.0.1:1' }, devices: [DEVICE], web });
    return failed.replace(/^FAIL (?!page:).*\n?/gm, '');
  };
  expect(await pageFault({ port, listen: '127.0.0.1' })).toContain(`FAIL page: port ${port} is used by another program,`);
  expect(await pageFault({ port, listen: '0.0.0.0', password: 'short' })).toContain('needs a web.password of 8 characters or more');
  expect(await pageFault({ port: 1, listen: '192.0.2.1', password: 'long enough' })).toContain('192.0.2.1');
});

test('a data_dir that is a file is named as such', async () => {
  const cwd = emptyFolder();
  writeFileSync(join(cwd, 'file'), '');
  const env = { HEATING2MQTT_PLATFORM_CLIENT_ID: 'abc', HEATING2MQTT_MQTT_URL: 'mqtt://127.0.0.1:1', HEATING2MQTT_DATA_DIR: 'file' };
  const { code, err } = await runCommand(['check'], { cwd, env });
  expect([code, err]).toEqual([2, expect.stringMatching(/data_dir \S+file cannot be used: it, or a folder above it, is a file/)]);
  expect(err).not.toContain('accounts.d');
});

describe('beside a running bridge', () => {
  test('that is well: it says so, makes no call, and ends with 0', async () => {
    const { system } = await startAdvanceable();
    const calls = system.simulator.calls().length;
    for (const { code, failed, text } of await bothWays(system)) {
      expect([code, failed]).toEqual([0, '']);
      expect(text).toMatch(/last read \d+ s ago/);
      expect(text).toContain('Logged in.');
    }
    expect(system.simulator.calls()).toHaveLength(calls);
  });

  test('whose calls are used up: the page shows that as a note, neither as well nor as a fault', async () => {
    const { system } = await startAdvanceable();
    system.simulator.control({ command: 'fault', kind: 'rate_limited', limitReset: 7_200_000, match: { path: '/features' } });
    await polled(system);
    await untilSo(() => system.app.status().waits === true);
    const services = servicesOf(system.settings.data_dir, []);
    const lines = await services.check(system.settings);
    expect(lines.filter(({ ok }) => !ok)).toEqual([]);
    expect(lines.filter(({ note }) => note)).toEqual([expect.objectContaining({ code: 'bridge_reads' })]);
  });

  test('and further accounts of which one has no login, one does not run and one has a mistake: on the page each has a code, by which it is said in German', async () => {
    const { settings, simulator } = (await startAdvanceable()).system;
    const [nobody, idle] = [emptyFolder(), emptyFolder()];
    await storeTokens(idle, simulator);
    const mistake = { place: 'accounts.d/broker.yaml, line 1', path: ['poll', 'seconds'], rule: 'min', what: 'is too small' } as const;
    const accounts = [
      ...Object.entries({ nobody, idle }).map(([name, data_dir]) => ({ name, settings: { ...settings, data_dir } })),
      { name: 'broker', mistakes: [mistake] },
    ];
    const services = servicesOf(settings.data_dir, accounts);
    expect(await services.check({ ...settings, platform: { ...settings.platform, client_id: '' } })).toMatchObject([
      { name: 'nobody', isAccount: true, ok: false, code: 'login_login_needed' },
      { name: 'idle', isAccount: true, ok: true, note: true, code: 'no_bridge' },
      { name: 'idle', isAccount: true, ok: true, note: true, code: 'same_client' },
      {
        ...{ name: 'broker', isAccount: true, ok: false, code: 'wrong_settings' },
        facts: { 'accounts.d/broker.yaml, line 1: poll.seconds': 'min' },
      },
    ]);
  });

  test('and further accounts with the client of an earlier one: a note says whose it is, in German too', async () => {
    const { settings } = (await startAdvanceable()).system;
    const named = (name: string, client_id: string) => ({
      name,
      settings: { ...settings, account: name, data_dir: emptyFolder(), platform: { ...settings.platform, client_id } },
    });
    const own = settings.platform.client_id;
    const accounts = [named('a', own), named('b', 'another'), named('c', 'another')];
    const services = servicesOf(settings.data_dir, accounts);
    const lines = await services.check(settings);
    const same = lines.flatMap(({ name, note, code = '', facts = {} }) => (code === 'same_client' ? [{ name, note, facts }] : []));
    expect(same).toEqual([
      { name: 'a', note: true, facts: { account: '' } },
      { name: 'c', note: true, facts: { account: 'b' } },
    ]);
    expect(same.map(({ facts }) => serverSentenceDe(['same_client'], facts))).toEqual([
      expect.stringMatching(/^Dieselbe Client-ID hat auch das Hauptkonto; /),
      expect.stringMatching(/^Dieselbe Client-ID hat auch das Konto „b“; /),
    ]);
  });

  test('that the platform lets in no more: it says why', async () => {
    const { system } = await startAdvanceable();
    system.simulator.control({
      command: 'fault',
      status: 403,
      body: { errorType: 'FORBIDDEN', message: 'No.' },
      match: { path: '/features' },
    });
    const from = system.recorder.heard.length;
    await system.recorder.publish('heating2mqtt/bridge/poll/set', 'home');
    await system.recorder.until(({ topic, payload }) => topic.endsWith('/auth') && payload.includes('failing'), from);
    for (const { text } of await bothWays(system)) expect(text).toContain('platform.scope');
    expect((await checked(system.settings)).code).toBe(1);
  });

  test.each([
    ['internal_error', 'The platform failed', 0],
    ['gateway_offline', 'your heating is offline; no read has worked for 5 minutes: The gateway is offline', 1],
    ['not_found', 'does not know this', 1],
  ])('that has had no good read for minutes (%s): it says why', async (kind, why, exit) => {
    const { system, pass } = await startAdvanceable();
    system.simulator.control({ command: 'fault', kind, match: { path: '/features' } });
    await polled(system);
    await expect.poll(() => system.logged.some(({ sentence }) => sentence.startsWith('reading failed'))).toBe(true);
    // One that failed just now may be the last of its kind.
    expect((await checked(system.settings)).code).toBe(0);
    await pass(5 * MINUTE_MS);
    for (const { text } of await bothWays(system)) {
      expect(text).toMatch(/no read has worked for 5 minutes/);
      expect(text).toContain(why);
    }
    expect((await checked(system.settings)).code).toBe(exit);
  });

  test('that has never had a good read, as the list of devices cannot be read: it says why, and ends with 1', async () => {
    const { system } = await startAdvanceable({
      overrides: { platform: { profile: 'v2' }, choices: [] },
      prepare: (simulator) => void simulator.control({ command: 'fault', kind: 'not_paid', match: { path: '/equipment/' } }),
    });
    await expect.poll(() => system.logged.some(({ sentence }) => sentence.startsWith('the list of devices could not be read'))).toBe(true);
    const { code, failed } = await checked({ ...system.settings, devices: undefined, choices: undefined });
    expect(code).toBe(1);
    expect(failed).toContain('refuses this for your account');
  });

  test('that was started again and has nothing to read yet: it ends with 0', async () => {
    const { system } = await startAdvanceable({ overrides: { poll: { seconds: 3600 } } });
    await system.restart();
    await system.recorder.untilTopic('heating2mqtt/bridge/state', 'online');
    await expect.poll(() => system.app.status().broker).toBe(true);
    const { code, failed, text } = await checked(system.settings);
    expect([code, failed]).toEqual([0, '']);
    expect(text).toContain('no read is due');
  });
});

const setUp = async () => {
  const broker = await startEmbeddedBroker(0);
  onTestFinished(() => broker.close());
  const simulator = await startSimulator();
  onTestFinished(() => simulator.close());
  const dir = emptyFolder();
  await storeTokens(dir, simulator);
  const settings = (platform: Partial<Settings['platform']> = {}, device: Partial<Settings['devices'][number]> = {}) =>
    testSettings(simulator, broker.url, dir, device, { platform });
  return { simulator, dir, settings };
};

test.each<[what: string, platform: Partial<Settings['platform']>]>([
  ['one feature', {}],
  ['the list of devices', { profile: 'v2' }],
])('a login that the platform has ended is the fault, not the platform, and it says what to do: with a read of %s', async (_, platform) => {
  const { simulator, settings } = await setUp();
  simulator.control({ command: 'expire_tokens' });
  simulator.control({ command: 'revoke_refresh_tokens' });
  const { devices, ...others } = settings(platform);
  const { code, failed, text } = await checked(platform.profile ? others : { ...others, devices });
  expect([code, failed]).toEqual([1, expect.stringMatching(/^FAIL login: .*`heating2mqtt login`/)]);
  expect(text).not.toMatch(/^ok +login/m);
});

test('an address of the platform with TLS where none is spoken is told as that', async () => {
  const { simulator, settings } = await setUp();
  const { code, failed } = await checked(settings({ base_url: simulator.url.replace('http:', 'https:') }));
  expect([code, failed]).toEqual([1, expect.stringMatching(/^FAIL platform: https:\S+ cannot be reached: it does not speak TLS there/)]);
});

test('a damaged database that it sets aside is told, with the file', async () => {
  const { dir, settings } = await setUp();
  writeFileSync(join(dir, 'heating2mqtt.db'), 'no database '.repeat(1000));
  const { code, text } = await checked(settings());
  expect([code, text]).toEqual([
    0,
    expect.stringMatching(/^note database: .*its file was renamed.*\(file: \S+heating2mqtt\.db\.damaged-\d+\)$/m),
  ]);
});

test('a database that cannot be written, as on a full disk, is a fault', async () => {
  const { dir, settings } = await setUp();
  openStorage(dir, recordingLog([])).close();
  using other = new DatabaseSync(join(dir, 'heating2mqtt.db'));
  other.exec('BEGIN IMMEDIATE');
  const { code, failed } = await checked(settings());
  expect([code, failed]).toEqual([1, expect.stringMatching(/^FAIL database: the database could not be written: free disk space, .*$/)]);
});

test('a login that cannot be renewed for now is the fault, and is not lost', async () => {
  const { simulator, dir, settings } = await setUp();
  simulator.control({ command: 'expire_tokens' });
  simulator.control({ command: 'fault', status: 503, match: { path: '/token' } });
  const { code, failed } = await checked(settings());
  expect([code, failed]).toEqual([1, expect.stringMatching(/^FAIL login: The token could not be renewed/)]);
  expect((await readTokens(dir))?.refresh_token).toBeDefined();
});

describe('settings', () => {
  test('that are right: it makes one call and ends with 0', async () => {
    const { simulator, settings } = await setUp();
    expect(await checked(settings())).toMatchObject({ code: 0, failed: '' });
    expect(simulator.calls()).toHaveLength(1);
  });

  test.each<[name: string, platform: Partial<Settings['platform']>, device: Partial<Settings['devices'][number]>]>([
    ['platform.client_id', { client_id: 'your-client-id' }, {}],
    ['platform.base_url', { base_url: 'https://api.example.com' }, {}],
    ['platform.auth_url', { auth_url: 'https://iam.example.com' }, {}],
    ['installation', {}, { installation: '123456' }],
  ])(
    'that are still those of the example (%s): it says so, with what to do, makes no call and ends with 1',
    async (name, platform, device) => {
      const { simulator, settings } = await setUp();
      const { code, failed } = await checked(settings(platform, device));
      expect(code).toBe(1);
      expect(failed).toContain(name);
      expect(failed).toMatch(/example/);
      expect(simulator.calls()).toEqual([]);
    },
  );

  test('of the example file are all told', async () => {
    const dir = emptyFolder();
    expect((await checked({ ...parse(shortYaml()), data_dir: dir })).failed).toContain('platform.client_id is still');
    const withAddresses = exampleYaml()
      .replace(/^( *)# ((?:base|auth)_url: )/gm, '$1$2')
      .replace('# devices:\n# ', 'devices:\n');
    const { failed } = await checked({ ...parse(withAddresses), data_dir: dir });
    for (const name of ['platform.base_url', 'platform.auth_url', 'platform.client_id', 'installation']) expect(failed).toContain(name);
  });

  test('with another client than that of the login: it says so, with both, makes no call and ends with 1, also beside the bridge', async () => {
    const { simulator, dir, settings } = await setUp();
    const tokens = await readTokens(dir);
    if (tokens) await writeTokens(dir, { ...tokens, client_id: 'the-one-before' });
    const { code, failed } = await checked(settings());
    expect(code).toBe(1);
    expect(failed).toContain('the-one-before');
    expect(failed).toContain('heating2mqtt-demo');
    expect(failed).toContain('heating2mqtt login` to log in with the new client');
    expect(simulator.calls()).toEqual([]);

    const { system } = await startAdvanceable();
    const { code: beside, failed: told } = await checked({
      ...system.settings,
      platform: { ...system.settings.platform, client_id: 'another' },
    });
    expect([beside, told]).toEqual([0, '']);
    const kept = await readTokens(system.settings.data_dir);
    if (kept) await writeTokens(system.settings.data_dir, { ...kept, client_id: 'heating2mqtt-demo' });
    expect(await checked(system.settings)).toMatchObject({ code: 0 });
    const platform = { ...system.settings.platform, client_id: 'another' };
    expect(await checked({ ...system.settings, platform })).toMatchObject({ code: 1, failed: expect.stringContaining('another') });
    const said: string[] = [];
    await checkAll({ ...system.settings, platform, account: 'parents' }, (_, what, sentence) => said.push(`${what}: ${sentence}`) > 0);
    expect(said.find((line) => line.includes('another'))).toContain('heating2mqtt login --account parents` to log in with the new client');
  });
});
