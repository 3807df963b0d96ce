import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaultDataDir } from '../../../src/config/dataDir.ts';
import { loadSettings } from '../../../src/config/load.ts';
import { SettingsError } from '../../../src/config/validation/mistake.ts';
import { readYaml } from '../../../src/config/yaml/readYaml.ts';
import { expectTable } from '../../support/golden.ts';
import { folder, load, mistakes, REQUIRED } from './loading.ts';

const HOME = { HOME: '/home/me' };

describe('where settings come from', () => {
  it('takes default < file < environment', () => {
    expect(load(REQUIRED).poll.seconds).toBe('auto');
    expect(load(`${REQUIRED}poll: { seconds: 90 }`).poll.seconds).toBe(90);
    expect(load(`${REQUIRED}poll: { seconds: 90 }`, { HEATING2MQTT_POLL_SECONDS: '120.5' }).poll.seconds).toBe(120.5);
  });
  it('takes file < environment < secret file', () => {
    const yaml = `${REQUIRED}mqtt: { username: me, password: of-file }`;
    expect(load(yaml).mqtt.password).toBe('of-file');
    expect(load(yaml, { HEATING2MQTT_MQTT_PASSWORD: 'of-env' }).mqtt.password).toBe('of-env');
    expect(load(yaml, { HEATING2MQTT_MQTT_PASSWORD_FILE: 'secret' }, { secret: ' of secret\r\n' }).mqtt.password).toBe(' of secret');
  });
  it('takes a secret file as text in UTF-8, with or without a byte order mark', () => {
    const secret = (bytes: Uint8Array) => () =>
      load(REQUIRED, { HEATING2MQTT_MQTT_USERNAME: 'me', HEATING2MQTT_MQTT_PASSWORD_FILE: 'secret' }, { secret: bytes }).mqtt.password;
    expect(secret(Buffer.from('\ufeffpäss\r\n'))()).toBe('päss');
    for (const encoding of ['latin1', 'utf16le'] as const)
      expect(mistakes(secret(Buffer.from('\ufeffpäss', encoding)))).toEqual([
        'HEATING2MQTT_MQTT_PASSWORD_FILE: mqtt.password names a file that cannot be read (it is not UTF-8 text); allowed: the path of a file',
      ]);
  });
  it('names the folder of the start where that is given as the file', () => {
    const cwd = folder();
    expect(mistakes(() => loadSettings({ file: '.', env: HOME, cwd }))).toEqual([`${cwd} cannot be read (it is a folder, not a file)`]);
    // As in a container, whose working folder is that of the system.
    expect(mistakes(() => loadSettings({ file: cwd, env: HOME, cwd: '/' }))).toEqual([
      `${cwd} cannot be read (it is a folder, not a file)`,
    ]);
  });
  it('finds keys that stand twice among tens of thousands within seconds', () => {
    const keys = Array.from({ length: 30_000 }, (_, index) => `key${index}: 1\n`).join('');
    const { faults } = readYaml(keys + keys);
    expect([faults.length, faults.at(-1)?.what]).toEqual([30_000, '"key29999" is already in line 30000; merge the two']);
  });
  it('separates seasons and rules of a calendar in a text only where an entry begins', () => {
    const seasons = ['home heating.dhw.schedule: summer a, winter b, from 05-01 to 09-30', 'home x.schedule: summer a, winter b, above 16'];
    const rules = ['Away -> holiday; on a.*, b.*', 'Guests → program comfort'];
    const { schedules, calendar } = load(`${REQUIRED}\nschedules: { profiles: { a: daily none, b: daily none } }`, {
      HEATING2MQTT_SCHEDULES_SEASONS: seasons.join(', '),
      HEATING2MQTT_CALENDAR_RULES: rules.join(', '),
    });
    expect([schedules.seasons, calendar.rules]).toEqual([seasons, rules]);
  });
  it('takes the environment alone where there is no file', () => {
    const settings = loadSettings({
      env: {
        ...HOME,
        HEATING2MQTT_PLATFORM_BASE_URL: 'http://127.0.0.1:1/',
        HEATING2MQTT_PLATFORM_AUTH_URL: 'http://127.0.0.1:2',
        HEATING2MQTT_PLATFORM_CLIENT_ID: '007',
        HEATING2MQTT_PLATFORM_QUOTA_PER_DAY: '3000',
        HEATING2MQTT_DEVICES: '[{"installation":123456,"gateway":9571381699991111234,"device":0,"features":["heating.*"]}]',
        HEATING2MQTT_COMMANDS_CONFIRM_S: '0.5, 1',
        HEATING2MQTT_COMMANDS_ALLOW: '[]',
        HEATING2MQTT_COMMANDS_DENY: '*/a*,b/*',
        HEATING2MQTT_DATA_DIR: '/data',
      },
      cwd: folder(),
    });
    expect(settings.platform).toMatchObject({ base_url: 'http://127.0.0.1:1', client_id: '007', quota: { per_day: 3000 } });
    expect(settings.devices).toEqual([
      { installation: '123456', gateway: '9571381699991111234', device: '0', features: ['heating.*'], exclude: [] },
    ]);
    expect(settings.commands).toMatchObject({ confirm_s: [0.5, 1], allow: [], deny: ['*/a*', 'b/*'] });
    expect(settings.data_dir).toBe('/data');
  });
  it('names config/local.yaml in mistakes, and where it looked when there is no file', () => {
    const cwd = folder({ 'config/local.yaml': `${REQUIRED}log: { level: loud }` });
    const act = (where: string) => () => loadSettings({ env: HOME, cwd: where });
    expect(mistakes(act(cwd))).toEqual([
      'config/local.yaml, line 3: log.level: "loud" is not a valid value; allowed: debug, info, warn, error',
    ]);
    expect(act(folder())).toThrow('No settings file was found (looked for config/local.yaml and /etc/heating2mqtt.yaml).');
  });
  it('needs no device where none is asked for', () => {
    const yaml = REQUIRED.replace(/devices:.*/, '');
    const cwd = folder({ 'settings.yaml': yaml });
    expect(loadSettings({ file: 'settings.yaml', env: HOME, cwd, needDevices: false }).devices).toEqual([]);
  });
  it('is one error for all mistakes, with the exit code of wrong usage and the keys as paths', () => {
    const act = () => load(`${REQUIRED}poll: { seconds: x }\nlog: { level: y }`, { HEATING2MQTT_MQTT_BASE: '#' });
    expect(act).toThrow(SettingsError);
    expect(act).toThrow(/^3 mistakes in the settings:\n {2}HEATING2MQTT_MQTT_BASE: mqtt\.base: /);
    expect(act).toThrow(
      expect.objectContaining({
        code: 'settings',
        issues: [{ path: 'mqtt.base' }, { path: 'poll.seconds' }, { path: 'log.level' }].map((issue) => expect.objectContaining(issue)),
      }),
    );
  });
});

describe('mistakes in the environment', () => {
  it('are told with the variable, its setting and what is allowed', () =>
    expectTable('environmentMistakes', 14, (env: Readonly<Record<string, string>>) =>
      mistakes(() => load(REQUIRED, env, { empty: '\n' })),
    ));
});

describe('what becomes of the settings', () => {
  it('needs no more than a client with v2, whose addresses are known', () => {
    expect(load('platform: { profile: v2, client_id: abc }').platform).toMatchObject({
      base_url: 'https://api.viessmann-climatesolutions.com',
      auth_url: 'https://iam.viessmann-climatesolutions.com',
      scope: 'IoT User offline_access',
    });
  });
  it('is frozen to the bottom', () => {
    const settings = load(REQUIRED);
    expect(
      [settings, settings.platform.quota, settings.devices, settings.devices[0], settings.devices[0]?.features].every(Object.isFrozen),
    ).toBe(true);
  });
  it('keeps ids and passwords as they were written', () => {
    const { devices, mqtt, platform } = load(
      'platform: { base_url: "https://a.test", auth_url: "https://b.test", client_id: 1e5 }\n' +
        'mqtt: { username: true, password: 0123 }\n' +
        'devices: [{ name: 007, installation: 00123, gateway: 9571381699991111234, device: 0x1, features: heating.* }]',
    );
    expect(devices[0]).toEqual({
      name: '007',
      installation: '00123',
      gateway: '9571381699991111234',
      device: '0x1',
      features: ['heating.*'],
      exclude: [],
    });
    expect(mqtt).toMatchObject({ username: 'true', password: '0123' });
    expect(platform.client_id).toBe('1e5');
  });
  it('takes user and password out of the URL, and says nothing of a URL without them', () => {
    expect(load(`${REQUIRED}mqtt: { url: "mqtt://u%40x:p%3Aw@h:1884" }`).mqtt).toMatchObject({
      url: 'mqtt://h:1884',
      username: 'u@x',
      password: 'p:w',
    });
    expect(load(`${REQUIRED}mqtt: { url: "mqtt://u:100%@h" }`).mqtt).toMatchObject({ username: 'u', password: '100%' });
    expect(load(`${REQUIRED}mqtt: { url: "ws://h/mqtt" }`).mqtt).not.toHaveProperty('username');
  });
  it('resolves files from the folder of the start', () => {
    const cwd = folder({ 'settings.yaml': `${REQUIRED}mqtt: { url: "mqtts://h", ca: ca.pem }\ndata_dir: data`, 'ca.pem': 'x' });
    const { mqtt, data_dir } = loadSettings({ file: 'settings.yaml', env: {}, cwd });
    expect([mqtt.ca, data_dir]).toEqual([join(cwd, 'ca.pem'), join(cwd, 'data')]);
  });
  it('reads all of a device where it is read at once and names nothing', () => {
    const yaml = REQUIRED.replace('client_id: abc', 'client_id: abc, read: device').replace(/, features: \[.*?\]/, '');
    expect(load(yaml).devices[0]?.features).toEqual(['*']);
  });
  it('takes keys without a value for keys that are left out', () => {
    expect(load(`${REQUIRED}mqtt:\npoll: { seconds: ~ }\ncommands: { allow: null }`)).toEqual(load(REQUIRED));
  });
});

describe('data_dir by the convention of the platform', () => {
  it('is in the home of the user, or where the system says', () =>
    expectTable('dataDirs', 8, (platform: NodeJS.Platform, env: Readonly<Record<string, string>>, home: string | null) =>
      defaultDataDir(env, platform, home ?? undefined),
    ));
});
