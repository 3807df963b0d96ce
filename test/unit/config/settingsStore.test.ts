import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { settingsList } from '../../../src/config/editing/settingsList.ts';
import { planChange, targetOf, writePlan } from '../../../src/config/editing/settingsStore.ts';
import type { Change, Written } from '../../../src/config/editing/yamlEdit.ts';
import { loadSettings, readSettings, type Sources } from '../../../src/config/load.ts';
import { folder, mistakes, REQUIRED } from './loading.ts';

const V2 = 'platform: { profile: v2, client_id: abc }\n';

const sourcesIn = (cwd: string, env: Sources['env'] = {}): Sources => ({ cwd, env: { HEATING2MQTT_DATA_DIR: join(cwd, 'data'), ...env } });
const changes = (values: Readonly<Record<string, Written>>): readonly Change[] =>
  Object.entries(values).map(([path, value]) => ({ path: path.split('.'), value }));

const write = (sources: Sources, values: Readonly<Record<string, Written>>): void => {
  const plan = planChange(sources, changes(values));
  if (plan.mistakes.length > 0) throw new Error(JSON.stringify(plan.mistakes));
  writePlan(plan);
};
const refusedBy = (sources: Sources, values: Readonly<Record<string, Written>>) => {
  const plan = planChange(sources, changes(values));
  return plan.mistakes.map(({ path, rule, place }) => ({ path: path.join('.'), rule, place }));
};
const rowsOf = (sources: Sources) => {
  const read = readSettings(sources);
  const rows = settingsList(read, targetOf(read, sources.cwd));
  return Object.fromEntries(rows.map((row) => [row.path, row]));
};

describe('one name of a setting that has names', () => {
  it('changes alone: what others changed meanwhile stays', () => {
    const cwd = folder({ 'config/local.yaml': `${REQUIRED}schedules: { profiles: { summer: daily none, winter: daily 6-22 normal } }\n` });
    const sources = sourcesIn(cwd);
    write(sources, { 'schedules.profiles.summer': 'daily 8-9 normal', 'schedules.profiles.guests': 'daily 7-23 comfort' });
    write(sources, { 'schedules.profiles.winter': null });
    expect(loadSettings(sources).schedules.profiles).toEqual([
      ['summer', 'daily 8-9 normal'],
      ['guests', 'daily 7-23 comfort'],
    ]);
    write(sources, { 'schedules.profiles.summer': null, 'schedules.profiles.guests': null });
    expect(loadSettings(sources).schedules.profiles).toEqual([]);
  });
  it('is refused at its own place', () => {
    const cwd = folder({ 'config/local.yaml': REQUIRED });
    expect(refusedBy(sourcesIn(cwd), { 'schedules.profiles.summer': 'no week' })).toEqual([
      expect.objectContaining({ path: 'schedules.profiles.summer' }),
    ]);
    expect(refusedBy(sourcesIn(cwd), { 'poll.seconds.summer': 1 })).toEqual([expect.objectContaining({ rule: 'unknown' })]);
  });
});

describe('the layer of the page', () => {
  it('lies below file and environment, and above the defaults', () => {
    const cwd = folder({
      'data/settings.yaml': 'poll: { seconds: 70, jitter: 0.2 }\nmqtt: { base: a, username: page }\n',
      'config/local.yaml': `${REQUIRED}poll: { seconds: 80 }\nmqtt: { base: b }\n`,
    });
    const settings = loadSettings(sourcesIn(cwd, { HEATING2MQTT_MQTT_BASE: 'c' }));
    expect(settings.poll).toMatchObject({ seconds: 80, jitter: 0.2, gone_after_h: 24 });
    expect(settings.mqtt).toMatchObject({ base: 'c', username: 'page' });
    const rows = rowsOf(sourcesIn(cwd, { HEATING2MQTT_MQTT_BASE: 'c' }));
    expect(rows['poll.jitter']?.origin).toEqual({ kind: 'page', where: 'data/settings.yaml:1' });
    expect(rows['poll.seconds']?.origin).toEqual({ kind: 'file', where: 'config/local.yaml:3' });
    expect(rows['mqtt.base']).toMatchObject({ value: 'c', fixed: true, origin: { kind: 'environment', where: 'HEATING2MQTT_MQTT_BASE' } });
    expect(rows['poll.gone_after_h']).toMatchObject({ value: 24, default: 24, fixed: false, origin: { kind: 'default', where: '' } });
  });
  it('is checked as a file is, with its own places', () => {
    const cwd = folder({ 'data/settings.yaml': `${V2}poll:\n  seconds: soon\n  jiter: 1\nmqtt:\n  version: 4\n` });
    expect(mistakes(() => loadSettings(sourcesIn(cwd)))).toEqual([
      'data/settings.yaml:3 poll.seconds: "soon" is not a number; allowed: auto, or 1 to 86400',
      expect.stringMatching(/^data\/settings\.yaml:4 poll\.jiter: there is no such setting; nearest: poll\.jitter/),
      expect.stringMatching(/^data\/settings\.yaml:6 mqtt\.version: "4" is not a choice/),
    ]);
  });
  it('cannot say where data_dir is, in which it lies', () => {
    const cwd = folder({ 'data/settings.yaml': `${V2}data_dir: /elsewhere\n` });
    expect(mistakes(() => loadSettings(sourcesIn(cwd)))).toEqual([
      'data/settings.yaml:2 data_dir: stands in data_dir itself; allowed: the environment, or a settings file elsewhere',
    ]);
  });
  it('is not read twice where --config names it', () => {
    const cwd = folder({ 'data/settings.yaml': `${V2}data_dir: data\n` });
    expect(loadSettings({ cwd, env: { HOME: cwd }, file: 'data/settings.yaml' }).platform.client_id).toBe('abc');
  });
});

describe('where a change is written', () => {
  it('to the file in use, with its comments, its mode, and the text before beside it', () => {
    const text = `# mine\n${REQUIRED}mqtt:\n  url: mqtt://a # the cellar\n`;
    const cwd = folder({ 'config/local.yaml': text });
    chmodSync(join(cwd, 'config/local.yaml'), 0o640);
    write(sourcesIn(cwd), { 'mqtt.url': 'mqtt://b' });
    expect(readFileSync(join(cwd, 'config/local.yaml'), 'utf8')).toBe(text.replace('mqtt://a', 'mqtt://b'));
    expect(readFileSync(join(cwd, 'config/local.yaml.before'), 'utf8')).toBe(text);
    const modeNow = (): number => statSync(join(cwd, 'config/local.yaml')).mode & 0o777;
    expect(modeNow()).toBe(0o640);
    // A secret is for this user alone.
    write(sourcesIn(cwd), { 'mqtt.username': 'me', 'mqtt.password': 'secret' });
    expect(modeNow()).toBe(0o600);
  });
  it('without any file to config/local.yaml where its folder can be written, each setting with its meaning, for this user alone', () => {
    const cwd = folder();
    mkdirSync(join(cwd, 'config'));
    write(sourcesIn(cwd), { 'platform.profile': 'v2', 'platform.client_id': 'abc', 'mqtt.username': 'me', 'mqtt.password': 'secret' });
    const text = readFileSync(join(cwd, 'config/local.yaml'), 'utf8');
    expect(text).toContain(
      '\n  # Id of the client that you registered with the platform. [HEATING2MQTT_PLATFORM_CLIENT_ID]\n  client_id: abc\n',
    );
    expect(statSync(join(cwd, 'config/local.yaml')).mode & 0o777).toBe(0o600);
    expect(loadSettings(sourcesIn(cwd)).mqtt.password).toBe('secret');
  });
  it('else to settings.yaml in data_dir, which later changes go on to use', () => {
    const cwd = folder();
    write(sourcesIn(cwd), { 'platform.profile': 'v2', 'platform.client_id': 'abc' });
    mkdirSync(join(cwd, 'config'));
    write(sourcesIn(cwd), { 'poll.seconds': 90 });
    expect(existsSync(join(cwd, 'config/local.yaml'))).toBe(false);
    expect(loadSettings(sourcesIn(cwd)).poll.seconds).toBe(90);
    expect(statSync(join(cwd, 'data/settings.yaml')).mode & 0o777).toBe(0o600);
  });
  it('into the file behind a link, and the link stays', () => {
    const cwd = folder({ 'real/settings.yaml': V2, 'config/example.yaml': '' });
    symlinkSync('../real/settings.yaml', join(cwd, 'config/local.yaml'));
    write(sourcesIn(cwd), { 'poll.seconds': 90 });
    expect(readFileSync(join(cwd, 'real/settings.yaml'), 'utf8')).toBe(`${V2}poll:\n  seconds: 90\n`);
  });
  it('removes from the layer below what is removed from the file', () => {
    const cwd = folder({ 'data/settings.yaml': 'poll: { seconds: 70 }\n', 'config/local.yaml': `${V2}poll: { seconds: 80 }\n` });
    write(sourcesIn(cwd), { 'poll.seconds': null });
    expect(loadSettings(sourcesIn(cwd)).poll.seconds).toBe('auto');
  });
});

describe('a change is refused, and nothing is written', () => {
  const cwd = () => folder({ 'config/local.yaml': `${V2}mqtt: { base: a }\n` });
  it.each([
    ['a wrong value', { 'poll.seconds': 'soon' }, [{ path: 'poll.seconds', rule: 'type', place: 'config/local.yaml:4' }]],
    ['a contradiction', { 'mqtt.base': 'homeassistant' }, [{ path: 'mqtt.base', rule: 'contradiction', place: 'config/local.yaml:2' }]],
    ['what a variable sets', { 'log.level': 'warn' }, [{ path: 'log.level', rule: 'fixed', place: 'HEATING2MQTT_LOG_LEVEL' }]],
    ['the data folder', { data_dir: '/elsewhere' }, [{ path: 'data_dir', rule: 'fixed', place: 'HEATING2MQTT_DATA_DIR' }]],
    ['an unknown setting', { 'poll.pace': 1 }, [{ path: 'poll.pace', rule: 'unknown', place: '' }]],
  ])('%s', (_, values, expected) => {
    const at = cwd();
    expect(refusedBy(sourcesIn(at, { HEATING2MQTT_LOG_LEVEL: 'info' }), values)).toEqual(expected);
    expect(readFileSync(join(at, 'config/local.yaml'), 'utf8')).toBe(`${V2}mqtt: { base: a }\n`);
  });
  it('what is left out of the required settings', () => {
    expect(refusedBy(sourcesIn(folder()), { 'platform.profile': 'v2' })).toEqual([
      { path: 'platform.client_id', rule: 'required', place: expect.stringContaining('settings.yaml') },
    ]);
  });
});

it('secrets and passwords in addresses do not come back', () => {
  const cwd = folder({ 'config/local.yaml': `${V2}mqtt: { url: "mqtt://me:hidden@host", username: me }\n` });
  const rows = rowsOf(sourcesIn(cwd, { HEATING2MQTT_MQTT_PASSWORD: 'hidden' }));
  expect(rows['mqtt.password']).toMatchObject({ secret: true, isSet: true, fixed: true });
  expect(rows['mqtt.url']?.value).toBe('mqtt://host');
  expect(JSON.stringify(rows)).not.toContain('hidden');
});
