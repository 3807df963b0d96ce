import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
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

test.each(UNITS)(
  '%s starts again after failures but not with wrong settings, and has its folders where systemd keeps them',
  (file, folder) => {
    const wanted = {
      Type: ['exec'],
      ExecStart: ['heating2mqtt run'],
      ExecReload: ['kill -HUP $MAINPID'],
      Restart: ['on-failure'],
      RestartSec: ['10'],
      StartLimitIntervalSec: ['0'],
      RestartPreventExitStatus: ['2'],
      // Node.js compiles code while it runs.
      MemoryDenyWriteExecute: undefined,
      ...{ ConfigurationDirectory: [folder], StateDirectory: [folder], CacheDirectory: [folder] },
      WorkingDirectory: [`%E/${folder}`],
      EnvironmentFile: [`-%E/${folder}/environment`],
    };
    const lines = [...textOf(file).matchAll(/^(\w+)=(.*)$/gm)];
    const found = Object.groupBy(lines, ([, key = '']) => key);
    const valuesOf = (key: string) => found[key]?.map(([, , value]) => value);
    expect(Object.fromEntries(Object.keys(wanted).map((key) => [key, valuesOf(key)]))).toEqual(wanted);
  },
);

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
