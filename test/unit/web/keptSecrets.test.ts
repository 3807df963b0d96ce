import { expect, test } from 'vitest';
import { readSettings } from '../../../src/config/load.ts';
import { secretsElsewhere } from '../../../src/web/setup/keptSecrets.ts';
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
