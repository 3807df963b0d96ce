import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { defaultDataDir } from '../../../src/config/dataDir.ts';
import { readSettings } from '../../../src/config/load.ts';
import { tempDir } from '../../support/system/testSystem.ts';

const FOLDER = join(import.meta.dirname, '../../../examples/systemd');
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

/** Tenths, as `systemd-analyze security` takes them. */
const MOST_EXPOSURE = 15;

/** Both units, each with the name of what is started of it, and the name of its folders. */
const UNITS = [
  ['heating2mqtt.service', 'heating2mqtt.service', 'heating2mqtt'],
  ['heating2mqtt@.service', 'heating2mqtt@lake.service', 'heating2mqtt/%i'],
] as const;

const textOf = (file: string): string => readFileSync(join(FOLDER, file), 'utf8');

/** The values of a key, in order. */
const valuesOf = (text: string, key: string): readonly string[] =>
  [...text.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value);

const analyze = (...args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync('systemd-analyze', ['--no-pager', ...args], { encoding: 'utf8' });
  return { status, text: stdout + stderr };
};

describe.each(UNITS)('%s', (file, instance, folder) => {
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

  test.runIf(hasSystemd)('is accepted by systemd without a complaint', () => {
    const dir = tempDir();
    const program = join(dir, 'heating2mqtt');
    writeFileSync(program, '#!/bin/sh\n');
    chmodSync(program, 0o755);
    // The program is not installed here.
    writeFileSync(join(dir, instance), text.replace('ExecStart=heating2mqtt ', `ExecStart=${program} `));
    expect(analyze('verify', join(dir, instance))).toEqual({ status: 0, text: '' });
  });

  test.runIf(hasSystemd)(`exposes at most ${MOST_EXPOSURE / 10}`, () => {
    const dir = tempDir();
    cpSync(join(FOLDER, file), join(dir, instance));
    const { status, text: report } = analyze('security', '--offline=true', `--threshold=${MOST_EXPOSURE}`, join(dir, instance));
    expect({ status, report: report.split('\n').find((line) => line.includes('Overall')) }).toEqual({
      status: 0,
      report: expect.stringMatching(/: \d\.\d OK/),
    });
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
