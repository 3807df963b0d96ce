import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { neededProgram } from '../support/programs.ts';
import { tempDir } from '../support/system/testSystem.ts';

/** Tenths, as `systemd-analyze security` takes them. */
const MOST_EXPOSURE = 15;

const analyze = (...args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(neededProgram('systemd-analyze'), ['--no-pager', ...args], { encoding: 'utf8' });
  return { status, text: stdout + stderr };
};

/** Each unit, with the name of what is started of it. */
describe.each([
  ['heating2mqtt.service', 'heating2mqtt.service'],
  ['heating2mqtt@.service', 'heating2mqtt@lake.service'],
])('%s', (file, instance) => {
  const text = readFileSync(join('examples/systemd', file), 'utf8');

  test('is accepted by systemd without a complaint', () => {
    const dir = tempDir();
    const program = join(dir, 'heating2mqtt');
    writeFileSync(program, '#!/bin/sh\n');
    chmodSync(program, 0o755);
    // The program is not installed here.
    writeFileSync(join(dir, instance), text.replace('ExecStart=heating2mqtt ', `ExecStart=${program} `));
    expect(analyze('verify', join(dir, instance))).toEqual({ status: 0, text: '' });
  });

  test(`exposes at most ${MOST_EXPOSURE / 10}`, () => {
    const dir = tempDir();
    writeFileSync(join(dir, instance), text);
    const { status, text: report } = analyze('security', '--offline=true', `--threshold=${MOST_EXPOSURE}`, join(dir, instance));
    const overall = report.split('\n').find((line) => line.includes('Overall'));
    expect({ status, overall }).toEqual({ status: 0, overall: expect.stringMatching(/: \d\.\d OK/) });
  });
});

test("AppArmor compiles the app's profile", () => {
  const profile = readFileSync('app/apparmor.txt', 'utf8');
  const compile = (input: string) => execFileSync(neededProgram('apparmor_parser'), ['-Q', '-K'], { input, stdio: 'pipe' });
  expect(() => compile(profile)).not.toThrow();
  expect(() => compile(profile.replace('network inet stream,', 'network inet steam,'))).toThrow();
});
