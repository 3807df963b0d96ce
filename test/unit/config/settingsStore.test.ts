import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { pageYaml } from '../../../src/config/documentation.ts';
import { settingsList } from '../../../src/config/editing/settingsList.ts';
import { type Change, planChange, type Written, writePlan } from '../../../src/config/editing/settingsStore.ts';
import { loadSettings, readSettings, type Sources } from '../../../src/config/load.ts';
import { LEAVES, valueAt } from '../../../src/config/schema.ts';
import { readYaml } from '../../../src/config/yaml/readYaml.ts';
import { runs } from '../../support/chance.ts';
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
const rowsOf = (sources: Sources) => Object.fromEntries(settingsList(readSettings(sources)).map((row) => [row.path, row]));
/** The page's file without its comments. */
const writtenIn = (cwd: string): string => readFileSync(join(cwd, 'data/settings.yaml'), 'utf8').replace(/^ *#.*\n|^\n/gm, '');

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

it('a device does not take the name of an account, whose topics would be withdrawn', () => {
  const account = 'client_id: abc\n';
  const cwd = folder({ 'config/local.yaml': REQUIRED, 'data/accounts.d/parents.yaml': account, 'data/accounts.d/bridge.yaml': account });
  const named = (name: string) => ({ devices: [{ installation: 1, gateway: 2, device: 0, name, features: ['heating.*'] }] });
  const place = 'data/accounts.d/parents.yaml';
  expect(refusedBy(sourcesIn(cwd), named('parents'))).toEqual([{ path: 'devices', rule: 'twice', place }]);
  expect(refusedBy(sourcesIn(cwd), named('cellar'))).toEqual([]);
});

describe('the layer of the page', () => {
  it('lies above the file and below the environment, and what the file says otherwise is shown', () => {
    const cwd = folder({
      'data/settings.yaml': 'poll: { seconds: 70, jitter: 0.2 }\nmqtt: { base: a, username: page }\n',
      'config/local.yaml': `${REQUIRED}poll: { seconds: 80 }\nmqtt: { base: b }\n`,
    });
    const settings = loadSettings(sourcesIn(cwd, { HEATING2MQTT_MQTT_BASE: 'c' }));
    expect(settings.poll).toMatchObject({ seconds: 70, jitter: 0.2, gone_after_h: 24 });
    expect(settings.mqtt).toMatchObject({ base: 'c', username: 'page' });
    const rows = rowsOf(sourcesIn(cwd, { HEATING2MQTT_MQTT_BASE: 'c' }));
    expect(rows['poll.jitter']?.origin).toEqual({ kind: 'page', where: 'data/settings.yaml, line 1' });
    expect(rows['poll.jitter']).not.toHaveProperty('inFile');
    expect(rows['poll.seconds']).toMatchObject({
      ...{ value: 70, fixed: false, origin: { kind: 'page', where: 'data/settings.yaml, line 1' } },
      inFile: { value: 80, where: 'config/local.yaml, line 3' },
    });
    expect(rows['platform.client_id']).toMatchObject({ fixed: false, origin: { kind: 'file', where: 'config/local.yaml, line 1' } });
    expect(rows['mqtt.base']).toMatchObject({ value: 'c', fixed: true, origin: { kind: 'environment', where: 'HEATING2MQTT_MQTT_BASE' } });
    expect(rows['poll.gone_after_h']).toMatchObject({ value: 24, default: 24, fixed: false, origin: { kind: 'default', where: '' } });
  });
  it('is checked as a file is, with its own places', () => {
    const cwd = folder({ 'data/settings.yaml': `${V2}poll:\n  seconds: soon\n  jiter: 1\nmqtt:\n  version: 4\n` });
    expect(mistakes(() => loadSettings(sourcesIn(cwd)))).toEqual([
      'data/settings.yaml, line 3: poll.seconds: "soon" is not a number; allowed: auto, or 1 to 86400',
      expect.stringMatching(/^data\/settings\.yaml, line 4: poll\.jiter: there is no such setting; nearest: poll\.jitter/),
      expect.stringMatching(/^data\/settings\.yaml, line 6: mqtt\.version: "4" is not a valid value/),
    ]);
  });
  it('cannot say where data_dir is, in which it lies', () => {
    const cwd = folder({ 'data/settings.yaml': `${V2}data_dir: /elsewhere\n` });
    expect(mistakes(() => loadSettings(sourcesIn(cwd)))).toEqual([
      'data/settings.yaml, line 2: data_dir cannot be set in a file inside data_dir; allowed: the environment, or a settings file elsewhere',
    ]);
  });
  it('is not read twice where --config names it', () => {
    const cwd = folder({ 'data/settings.yaml': `${V2}data_dir: data\n` });
    expect(loadSettings({ cwd, env: { HOME: cwd }, file: 'data/settings.yaml' }).platform.client_id).toBe('abc');
  });
});

describe('a change', () => {
  it('is written to settings.yaml in data_dir, each setting with its meaning, for this user alone, with the text before beside it', () => {
    const cwd = folder({ 'config/example.yaml': '' });
    const file = join(cwd, 'data/settings.yaml');
    write(sourcesIn(cwd), { 'mqtt.username': 'me', 'platform.profile': 'v2', 'platform.client_id': 'abc', 'mqtt.password': 'secret' });
    const text = readFileSync(file, 'utf8');
    expect(text).toContain(
      '\n  # Id of the client that you registered with the platform. [HEATING2MQTT_PLATFORM_CLIENT_ID]\n  client_id: abc\n',
    );
    expect(statSync(file).mode & 0o777).toBe(0o600);
    write(sourcesIn(cwd), { 'poll.seconds': '90', 'commands.confirm_s': '5, 10' });
    expect(readFileSync(`${file}.before`, 'utf8')).toBe(text);
    expect(loadSettings(sourcesIn(cwd))).toMatchObject({
      ...{ poll: { seconds: 90 }, mqtt: { username: 'me', password: 'secret' } },
      commands: { confirm_s: [5, 10] },
    });
    expect(existsSync(join(cwd, 'config/local.yaml'))).toBe(false);
  });
  it('leaves a settings file as it is, and needs no entry where the file says the same', () => {
    const text = `# mine\n${REQUIRED}poll: { seconds: 80, jitter: 0.2 }\n`;
    const cwd = folder({ 'config/local.yaml': text });
    write(sourcesIn(cwd), { 'poll.seconds': 90, 'poll.jitter': 0.2, 'log.level': 'warn' });
    expect(writtenIn(cwd)).toBe('poll:\n  seconds: 90\nlog:\n  level: warn\n');
    write(sourcesIn(cwd), { 'poll.seconds': 80 });
    expect(writtenIn(cwd)).toBe('log:\n  level: warn\n');
    write(sourcesIn(cwd), { 'log.level': null });
    expect(loadSettings(sourcesIn(cwd))).toMatchObject({ poll: { seconds: 80 }, log: { level: 'info' } });
    expect(readFileSync(join(cwd, 'config/local.yaml'), 'utf8')).toBe(text);
  });
  it('keeps values that were written by hand, and is refused where not all of the file is known', () => {
    const cwd = folder({ 'data/settings.yaml': `${V2}poll: { seconds: 70 } # mine\n` });
    write(sourcesIn(cwd), { 'poll.jitter': 0.2 });
    expect(writtenIn(cwd)).toBe('platform:\n  profile: v2\n  client_id: abc\npoll:\n  seconds: 70\n  jitter: 0.2\n');
    for (const text of ['poll: {', 'pol: { seconds: 70 }', 'poll: 70']) {
      const broken = sourcesIn(folder({ 'data/settings.yaml': text }));
      expect(() => planChange(broken, changes({ 'poll.seconds': 90 }))).toThrow('Change it by hand: poll.seconds.');
    }
  });
  it('can mend a value that is wrong', () => {
    const cwd = folder({ 'data/settings.yaml': `${V2}poll: { seconds: soon }\n` });
    write(sourcesIn(cwd), { 'poll.seconds': 90 });
    expect(loadSettings(sourcesIn(cwd)).poll.seconds).toBe(90);
  });
  it('is made in the file that --config names too, which may say where data_dir is', () => {
    const cwd = folder({ 'data/settings.yaml': `${V2}data_dir: data\n` });
    write({ cwd, env: { HOME: cwd }, file: 'data/settings.yaml' }, { 'poll.seconds': 90 });
    expect(loadSettings({ cwd, env: { HOME: cwd }, file: 'data/settings.yaml' }).poll.seconds).toBe(90);
  });
});

const SCALAR = fc.oneof(
  fc.string({ minLength: 1, unit: 'grapheme' }).filter((text) => text.isWellFormed()),
  fc.integer(),
  fc.boolean(),
  fc.constantFrom('null', '~', '# no comment', '- a', 'a: b', "it's", '"q"', '{', '007', ' blank ', '*', '&a', '!x', '@', '\n', 'a\u00a0'),
);
const KEY = fc.stringMatching(/^[a-z_]{1,8}$/);
const VALUE: fc.Arbitrary<Written> = fc.oneof(
  { weight: 4, arbitrary: SCALAR },
  fc.array(SCALAR, { maxLength: 3 }),
  fc.array(fc.dictionary(KEY, SCALAR, { minKeys: 1, maxKeys: 3 }), { minLength: 1, maxLength: 3 }),
  fc.dictionary(KEY, fc.oneof(SCALAR, fc.array(SCALAR)), { minKeys: 1, maxKeys: 3 }),
);
const asText = (value: Written): unknown => {
  if (Array.isArray(value)) return value.map(asText);
  if (typeof value === 'object' && value !== null) return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, asText(one)]));
  return String(value);
};

test('whatever the page writes is read again', () => {
  const leaves = fc.uniqueArray(fc.tuple(fc.constantFrom(...LEAVES), VALUE), { selector: ([{ key }]) => key, maxLength: 5 });
  fc.assert(
    fc.property(leaves, (set) => {
      const { tree, faults } = readYaml(pageYaml(new Map(set.map(([{ key }, value]) => [key, value]))));
      expect(faults).toEqual([]);
      for (const [{ path }, value] of set) expect(valueAt(tree, path)).toEqual(asText(value));
    }),
    { numRuns: runs(500) },
  );
});

describe('a change is refused, and nothing is written', () => {
  const cwd = () => folder({ 'config/local.yaml': `${V2}mqtt: { base: a }\n` });
  it.each([
    [
      'a wrong value',
      { 'poll.seconds': 'soon' },
      [{ path: 'poll.seconds', rule: 'type', place: expect.stringMatching(/^data\/settings\.yaml, line \d+$/) }],
    ],
    [
      'a contradiction',
      { 'mqtt.base': 'homeassistant' },
      [{ path: 'mqtt.base', rule: 'contradiction', place: expect.stringMatching(/^data\/settings\.yaml, line \d+$/) }],
    ],
    ['what a variable sets', { 'log.level': 'warn' }, [{ path: 'log.level', rule: 'fixed', place: 'HEATING2MQTT_LOG_LEVEL' }]],
    ['the data folder', { data_dir: '/elsewhere' }, [{ path: 'data_dir', rule: 'fixed', place: 'HEATING2MQTT_DATA_DIR' }]],
    ['an unknown setting', { 'poll.pace': 1 }, [{ path: 'poll.pace', rule: 'unknown', place: '' }]],
  ])('%s', (_, values, expected) => {
    const at = cwd();
    expect(refusedBy(sourcesIn(at, { HEATING2MQTT_LOG_LEVEL: 'info' }), values)).toEqual(expected);
    expect(existsSync(join(at, 'data'))).toBe(false);
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

it('is refused where the file cannot be read, which is not called a mistake in it', () => {
  const cwd = folder({ 'config/local.yaml': REQUIRED });
  mkdirSync(join(cwd, 'data/settings.yaml'), { recursive: true });
  expect(() => planChange(sourcesIn(cwd), changes({ 'poll.seconds': 70 }))).toThrow(
    `${cwd}/data/settings.yaml cannot be read (it is a folder, not a file), so nothing was changed.`,
  );
});

it('takes a change back where there is no room to write any more', () => {
  const before = `${REQUIRED}poll: { seconds: 80 }\n`;
  const cwd = folder({ 'data/settings.yaml': before });
  const file = join(cwd, 'data/settings.yaml');
  const takeBack = writePlan(planChange(sourcesIn(cwd), changes({ 'poll.seconds': 70 })));
  expect(writtenIn(cwd)).toContain('seconds: 70');
  // Something in the place of its part is refused, as by a full disk.
  mkdirSync(`${file}.part`);
  takeBack();
  expect(readFileSync(file, 'utf8')).toBe(before);
});
