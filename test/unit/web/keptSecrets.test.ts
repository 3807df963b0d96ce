import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { settingsList } from '../../../src/config/editing/settingsList.ts';
import { readSettings } from '../../../src/config/load.ts';
import { accountsElsewhere, secretsElsewhere, withAccounts } from '../../../src/web/setup/keptSecrets.ts';
import { expectTable } from '../../support/golden.ts';
import { tempDir } from '../../support/system/testSystem.ts';

const cwd = tempDir();
const BEFORE = { MQTT_URL: 'mqtt://home.lan', MQTT_USERNAME: 'me', MQTT_PASSWORD: 'x', PLATFORM_PROFILE: 'v2' };
const loaded = (env: Readonly<Record<string, string>>) =>
  readSettings({ cwd, env: Object.fromEntries(Object.entries(env).map(([key, value]) => [`HEATING2MQTT_${key}`, value])) }).loaded;

test('a change that would send a secret elsewhere is told', () =>
  expectTable('secretsElsewhere', 8, (_: string, env: object, changes: Parameters<typeof secretsElsewhere>[2], hasTokens: boolean) =>
    secretsElsewhere({ loaded: loaded(BEFORE), settings: {} }, loaded({ ...BEFORE, ...env }), changes, hasTokens).map(
      ({ path, rule }) => `${path} ${rule}`,
    ),
  ));

test('without a stored password, or in a first set-up, any host will do', () => {
  const { MQTT_PASSWORD: _, ...before } = BEFORE;
  const after = loaded({ ...before, MQTT_URL: 'mqtt://other.lan' });
  expect(secretsElsewhere({ loaded: loaded(before), settings: {} }, after, {}, true)).toEqual([]);
  expect(secretsElsewhere({ loaded: loaded(BEFORE), settings: undefined }, after, {}, true)).toEqual([]);
});

describe('accounts beside the main one', () => {
  const row = { name: 'parents', client_id: 'abc', mqtt: { username: 'u', password: 'p' } };
  const main = { platform: { profile: 'v2', client_id: 'x' }, mqtt: { url: 'mqtt://home.lan' }, accounts: [row] };
  const sources = { cwd, env: { HEATING2MQTT_DATA_DIR: cwd } };
  const of = (settings: object) => {
    const all = { ...sources, pageText: stringify(settings) };
    return withAccounts(all, readSettings(all));
  };
  const rules = (after: object, hasTokens = true) => accountsElsewhere(of(main), of(after), () => hasTokens).map(({ rule }) => rule);
  const evil = 'https://evil.example';
  const ofRow = (more: object) => ({ ...main, accounts: [{ ...row, ...more }] });
  const read = { allow_private: true, addresses: 'http://192.168.1.1/x.ics' };

  test.each<[what: string, after: object, rules: readonly string[]]>([
    ['nothing changes', main, []],
    ['another server for all', { ...main, platform: { ...main.platform, auth_url: evil } }, ['tokens']],
    ['another server for one', ofRow({ platform: { base_url: evil } }), ['tokens']],
    [
      'one that was removed comes back',
      { ...main, accounts: [row, { name: 'flat', client_id: 'abc', platform: { auth_url: evil } }] },
      ['tokens'],
    ],
    ['another broker, whose password of one is kept', { ...main, mqtt: { url: 'mqtt://evil.example' } }, ['again']],
    [
      'another broker with another password',
      { ...ofRow({ mqtt: { username: 'u', password: 'new' } }), mqtt: { url: 'mqtt://evil.example' } },
      [],
    ],
    ['private addresses', ofRow({ calendar: read }), ['fixed']],
  ])('%s', (_, after, wanted) => expect(rules(after)).toEqual(wanted));

  test('who has no login may have another server', () => {
    expect(rules({ ...main, platform: { ...main.platform, auth_url: evil } }, false)).toEqual([]);
  });

  test('the page gets nothing of a row but its name and client id', () => {
    const shown = settingsList(
      readSettings({ ...sources, pageText: stringify(ofRow({ calendar: { addresses: 'https://a.example/secret.ics' } })) }),
    );
    expect(shown.find(({ path }) => path === 'accounts')?.value).toEqual([{ name: 'parents', client_id: 'abc' }]);
  });
});
