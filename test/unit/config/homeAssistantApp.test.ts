import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { settings } from '../../../src/cli/settings.ts';
import { defaultDataDir } from '../../../src/config/dataDir.ts';
import { settingsList } from '../../../src/config/editing/settingsList.ts';
import { fixedBy } from '../../../src/config/editing/settingsStore.ts';
import { isUnset, readSettings, type SettingsRead, settingsErrorOf } from '../../../src/config/load.ts';
import { LEAVES } from '../../../src/config/schema.ts';
import { folder } from './loading.ts';

const TOKEN = 'token-of-the-supervisor';
const OPTIONS = 'the configuration of the app (options.json)';

type Files = Readonly<Record<string, string>>;

/** The settings of an app with these options and files. */
const app = (options: object | undefined, env: Files = {}, files: Files = {}) => {
  const cwd = folder({ ...(options ? { 'data/options.json': JSON.stringify(options, null, 2) } : {}), 'data/seen': '', ...files });
  return { cwd, read: readSettings({ cwd, env: { SUPERVISOR_TOKEN: TOKEN, HEATING2MQTT_DATA_DIR: `${cwd}/data`, ...env } }) };
};

const V2 = 'platform: { profile: v2, client_id: abc }\n';

const origins = (read: SettingsRead, ...keys: readonly string[]) =>
  keys.map((key) => {
    const leaf = LEAVES.find((one) => one.key === key);
    return leaf ? read.originOf(leaf).kind : undefined;
  });

const mistakesOf = ({ mistakes }: SettingsRead) => mistakes.map(({ place, path, what }) => `${place} ${path.join('.')}: ${what}`);

describe('an app of Home Assistant', () => {
  it('is known by its token, keeps its data in /data and listens for ingress', () => {
    expect(defaultDataDir({ SUPERVISOR_TOKEN: TOKEN, HOME: '/root' }, 'linux', '/root')).toBe('/data');
    expect(defaultDataDir({ SUPERVISOR_TOKEN: '', HOME: '/root' }, 'linux', '/root')).toBe('/root/.local/state/heating2mqtt');
    const { read } = app({ platform: { client_id: 'abc' } }, { HEATING2MQTT_PLATFORM_PROFILE: 'v2' });
    expect(read.settings?.web.ingress).toBe(8099);
    expect(origins(read, 'web.ingress', 'mqtt.url', 'mqtt.username', 'web.port')).toEqual(['app', 'app', 'app', 'default']);
    expect(readSettings({ cwd: folder(), env: { HOME: '/root' } }).loaded.web.ingress).toBeNull();
  });

  it('has no settings yet where its options lack something', () => {
    for (const options of [undefined, {}, { platform: {}, mqtt: {}, log: {} }, { mqtt: { base: 'house' } }]) {
      expect(isUnset(app(options).read)).toBe(true);
    }
  });

  it('names the tab where a mistake in its options is corrected', () => {
    expect(settingsErrorOf(app({ log: { level: 'loud' } }).read).message).toContain('on the tab Configuration of the app');
    expect(settingsErrorOf(app({}, { HEATING2MQTT_LOG_LEVEL: 'loud' }).read).message).not.toContain('Configuration of the app');
  });

  it('puts its options above the file and below the environment', () => {
    const options = { mqtt: { base: 'of-options', client_id: 'of-options' }, log: { level: 'warn' } };
    const { read } = app(
      options,
      { HEATING2MQTT_MQTT_CLIENT_ID: 'of-env' },
      {
        'config/local.yaml': `${V2}mqtt: { base: of-file, client_id: of-file, version: 5 }`,
        'data/settings.yaml': 'mqtt: { base: of-page }\nlog: { level: error }\npoll: { jitter: 0.2 }',
      },
    );
    expect(read.settings?.mqtt).toMatchObject({ base: 'of-options', client_id: 'of-env', version: '5' });
    expect(read.settings).toMatchObject({ log: { level: 'warn' }, poll: { jitter: 0.2 } });
    expect(origins(read, 'mqtt.base', 'mqtt.client_id', 'mqtt.version', 'log.level', 'poll.jitter')).toEqual([
      ...['options', 'environment', 'file', 'options', 'page'],
    ]);
  });

  it('says where an option is set, which the page then does not change', () => {
    const { read } = app({ mqtt: { base: 'house' } }, {}, { 'data/settings.yaml': V2 });
    const rows = settingsList(read);
    const row = (path: string) => rows.find((one) => one.path === path);
    expect(row('mqtt.base')).toMatchObject({ value: 'house', fixed: true, origin: { kind: 'options', where: OPTIONS } });
    expect(row('web.ingress')).toMatchObject({ value: 8099, fixed: true, origin: { kind: 'app', where: 'Home Assistant' } });
    expect(row('mqtt.url')).toMatchObject({ value: null, fixed: false, origin: { kind: 'app' } });
    expect(LEAVES.filter((leaf) => fixedBy(read, leaf) === OPTIONS).map(({ key }) => key)).toEqual(['mqtt.base']);
  });

  it('says in `heating2mqtt settings` what has set each setting, and no value', () => {
    const { cwd } = app({ mqtt: { base: 'house', username: 'me', password: 'hidden' } }, {}, { 'config/local.yaml': V2 });
    const lines: string[] = [];
    const env = { SUPERVISOR_TOKEN: TOKEN, HEATING2MQTT_DATA_DIR: `${cwd}/data` };
    settings('table', { cwd, env }, { isTTY: false, out: (text) => void lines.push(...text.split('\n')) });
    const under = (key: string) => lines[lines.findIndex((line) => line.startsWith(`${key} `)) + 2];
    expect(under('mqtt.base')).toBe(`    Set by ${OPTIONS}.`);
    expect(under('platform.client_id')).toBe('    Set by config/local.yaml, line 1.');
    expect(under('web.ingress')).toBe('    Set by Home Assistant.');
    expect(under('data_dir')).toBe('    Set by HEATING2MQTT_DATA_DIR.');
    expect(under('poll.seconds')).toMatch(/^poll\.jitter /);
    expect(lines.join('\n')).not.toMatch(/hidden|house/);
  });

  it('takes an emptied field for one that is left out', () => {
    const { read } = app({ mqtt: { url: '', username: '', base: '' } }, {}, { 'config/local.yaml': V2 });
    expect(read.mistakes).toEqual([]);
    expect(read.settings?.mqtt.base).toBe('heating2mqtt');
    expect(read.settings?.supervisor?.givesLogin).toBe(true);
  });

  it('names its options in mistakes', () => {
    const { read } = app({ mqtt: { base: '#' }, plattform: {} }, {}, { 'config/local.yaml': V2 });
    expect(mistakesOf(read)).toEqual([
      `${OPTIONS} plattform: there is no such setting`,
      expect.stringMatching(/^the configuration of the app \(options\.json\) mqtt\.base: /),
    ]);
    expect(app({}, {}, { 'config/local.yaml': V2, 'data/options.json': '{' }).read.mistakes).toMatchObject([
      { place: OPTIONS, rule: 'syntax' },
    ]);
  });

  it.each<[what: string, options: object, file: string, supervisor: object | undefined]>([
    ['nothing is said of a broker', {}, '', { givesLogin: true }],
    ['an own user is named', { mqtt: { username: 'me', password: 'secret' } }, '', { givesLogin: false }],
    ['an option names a broker', { mqtt: { url: 'mqtt://elsewhere' } }, '', undefined],
    ['a file names a broker', {}, 'mqtt: { url: mqtt://elsewhere }', undefined],
  ])('asks the Supervisor for the broker where %s', (_, options, file, supervisor) => {
    const { settings } = app(options, {}, { 'config/local.yaml': V2 + file }).read;
    expect(settings).toBeDefined();
    if (supervisor === undefined) expect(settings).not.toHaveProperty('supervisor');
    else expect(settings?.supervisor).toMatchObject(supervisor);
  });

  it('shows its token to nobody who prints its settings', () => {
    const { read } = app({}, {}, { 'config/local.yaml': V2 });
    expect(read.settings?.supervisor?.token()).toBe(TOKEN);
    expect(JSON.stringify(read) + inspect(read, { depth: null })).not.toContain(TOKEN);
  });
});
