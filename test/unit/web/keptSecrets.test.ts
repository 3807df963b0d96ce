import { expect, test } from 'vitest';
import { readSettings } from '../../../src/config/load.ts';
import { secretsElsewhere } from '../../../src/web/setup/keptSecrets.ts';
import { tempDir } from '../../support/system/testSystem.ts';

const cwd = tempDir();
const BEFORE = { MQTT_URL: 'mqtt://home.lan', MQTT_USERNAME: 'me', MQTT_PASSWORD: 'x', PLATFORM_PROFILE: 'v2' };
const loaded = (env: Readonly<Record<string, string>>) =>
  readSettings({ cwd, env: Object.fromEntries(Object.entries(env).map(([key, value]) => [`HEATING2MQTT_${key}`, value])) }).loaded;

test.each([
  ['another host', { MQTT_URL: 'mqtt://other.lan' }, {}, true, ['mqtt.password again']],
  ['another host, with a password', { MQTT_URL: 'mqtt://other.lan' }, { 'mqtt.password': 'y' }, true, []],
  ['another host, without a password from now on', { MQTT_URL: 'mqtt://other.lan' }, { 'mqtt.password': null }, true, []],
  ['another port and way', { MQTT_URL: 'mqtts://home.lan:8883' }, {}, true, []],
  ['another server for logins', { PLATFORM_AUTH_URL: 'https://evil.example' }, {}, true, ['platform.auth_url tokens']],
  ['another server for reads', { PLATFORM_BASE_URL: 'https://evil.example' }, {}, true, ['platform.base_url tokens']],
  ['another server before any login', { PLATFORM_AUTH_URL: 'https://evil.example' }, {}, false, []],
  ['nothing', {}, {}, true, []],
])('%s', (_, env, changes, hasTokens, expected) => {
  const found = secretsElsewhere({ loaded: loaded(BEFORE), settings: {} }, loaded({ ...BEFORE, ...env }), changes, hasTokens);
  expect(found.map(({ path, rule }) => `${path} ${rule}`)).toEqual(expected);
});

test('without a stored password, or in a first set-up, any host will do', () => {
  const { MQTT_PASSWORD: _, ...before } = BEFORE;
  const after = loaded({ ...before, MQTT_URL: 'mqtt://other.lan' });
  expect(secretsElsewhere({ loaded: loaded(before), settings: {} }, after, {}, true)).toEqual([]);
  expect(secretsElsewhere({ loaded: loaded(BEFORE), settings: undefined }, after, {}, true)).toEqual([]);
});
