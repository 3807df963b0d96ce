import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { defaultDataDir } from '../../../src/config/dataDir.ts';
import { readSettings } from '../../../src/config/load.ts';
import { tempDir } from '../../support/system/testSystem.ts';

const FOLDER = join(import.meta.dirname, '../../../examples/systemd');

/** Both units, each with the name of its folders; systemd judges them in test/release/linux.test.ts. */
const UNITS = [
  ['heating2mqtt.service', 'heating2mqtt'],
  ['heating2mqtt@.service', 'heating2mqtt/%i'],
] as const;

const textOf = (file: string): string => readFileSync(join(FOLDER, file), 'utf8');

/** The values of a key, in order. */
const valuesOf = (text: string, key: string): readonly string[] =>
  [...text.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value);

describe.each(UNITS)('%s', (file, folder) => {
  const text = textOf(file);

  test('starts again after a failure for as long as it takes, but not with wrong settings', () => {
    const wanted = {
      Type: 'exec',
      ExecStart: 'heating2mqtt run',
      Restart: 'on-failure',
      RestartSec: '10',
      StartLimitIntervalSec: '0',
      RestartPreventExitStatus: '2',
    };
    for (const [key, value] of Object.entries(wanted)) expect([key, valuesOf(text, key)]).toEqual([key, [value]]);
    expect(valuesOf(text, 'MemoryDenyWriteExecute')).toEqual([]);
  });

  test('has its settings, login and compiled code where systemd keeps such things', () => {
    for (const key of ['ConfigurationDirectory', 'StateDirectory', 'CacheDirectory']) expect(valuesOf(text, key)).toEqual([folder]);
    expect(valuesOf(text, 'WorkingDirectory')).toEqual([`%E/${folder}`]);
    expect(valuesOf(text, 'EnvironmentFile')).toEqual([`-%E/${folder}/environment`]);
  });
});

test('under such a unit the state is in its folder, and the settings are found in the other', () => {
  const [state, config] = [tempDir(), tempDir()];
  const env = { STATE_DIRECTORY: state, CONFIGURATION_DIRECTORY: config };
  expect(defaultDataDir(env, 'linux', undefined)).toBe(state);
  cpSync(join(import.meta.dirname, '../../../config/example.yaml'), join(config, 'config', 'local.yaml'), { recursive: true });
  const { file, dataDir } = readSettings({ env, cwd: config });
  expect({ name: file?.name, dataDir }).toEqual({ name: 'config/local.yaml', dataDir: state });
});

test('the units differ in nothing but their folders', () => {
  const [one, many] = UNITS.map(([file]) => textOf(file).replace(/^(?:#.*|Description=.*)?\n/gm, ''));
  expect(many?.replaceAll('heating2mqtt/%i', 'heating2mqtt')).toBe(one);
});
