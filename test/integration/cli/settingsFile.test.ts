import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { tempDir } from '../../support/system/testSystem.ts';
import { sameClock } from '../../support/time/sameClock.ts';

const MAIN = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));
const isPosix = process.platform !== 'win32';
/** Longer than any start, and shorter than a pipe waits. */
const AT_MOST_MS = 30_000;

const run = (cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  spawnSync(process.execPath, [MAIN, ...args], {
    cwd,
    encoding: 'utf8',
    timeout: AT_MOST_MS,
    env: { ...sameClock(), HOME: cwd, ...env },
  });

const folder = (): string => {
  const dir = tempDir();
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  writeFileSync(join(dir, 'large'), '');
  truncateSync(join(dir, 'large'), 3 * 1024 ** 3);
  mkdirSync(join(dir, 'folder'));
  if (isPosix) execFileSync('mkfifo', [join(dir, 'pipe')]);
  return dir;
};

const ODD = [
  ['/dev/zero', 'it is a device, not a file'],
  ['pipe', 'it is a pipe, not a file'],
  ['folder', 'it is a folder, not a file'],
  ['large', 'it is larger than 1 MB, which no such file is'],
] as const;

const SETTINGS = {
  platform: { base_url: 'https://api.test', auth_url: 'https://iam.test', client_id: 'abc' },
  devices: [{ installation: 1, gateway: '2', device: '0', features: ['a.b'] }],
};

describe.runIf(isPosix)('what is no file', () => {
  test.each(ODD)('%s as settings ends with a sentence', (name, why) => {
    const { status, stderr, stdout } = run(folder(), ['run', '--config', name]);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toBe(
      `One mistake in the settings:\n  ${name}: cannot be read (${why})\n\`heating2mqtt settings\` shows every setting.\n`,
    );
  });

  test.each(ODD)('%s as a password or certificate ends with a sentence', (name, why) => {
    const dir = folder();
    writeFileSync(join(dir, 'settings.yaml'), JSON.stringify({ ...SETTINGS, mqtt: { url: 'mqtts://127.0.0.1', username: 'u', ca: name } }));
    const { status, stderr } = run(dir, ['run', '--config', 'settings.yaml'], { HEATING2MQTT_MQTT_PASSWORD_FILE: join(dir, name) });
    expect(status).toBe(2);
    expect(stderr).toContain(`mqtt.ca: names a file that cannot be read: ${name} (${why}); allowed: a PEM file\n`);
    if (!name.startsWith('/'))
      expect(stderr).toContain(
        `HEATING2MQTT_MQTT_PASSWORD_FILE mqtt.password: names a file that cannot be read: ${join(dir, name)} (${why})`,
      );
  });
});

test.runIf(isPosix)('settings and passwords behind links are read, as Docker and Kubernetes mount them', () => {
  const dir = folder();
  const mounted = join(dir, 'mounted');
  mkdirSync(join(mounted, '..2026'), { recursive: true });
  chmodSync(mounted, 0o1777);
  symlinkSync('..2026', join(mounted, '..data'));
  writeFileSync(
    join(mounted, '..2026', 'settings.yaml'),
    JSON.stringify({ ...SETTINGS, mqtt: { url: 'mqtt://127.0.0.1:1', username: 'u' } }),
  );
  writeFileSync(join(mounted, '..2026', 'password'), 'secret');
  for (const name of ['settings.yaml', 'password']) symlinkSync(`..data/${name}`, join(mounted, name));
  mkdirSync(join(dir, 'real'));
  symlinkSync('real', join(dir, 'data'));
  const { stdout, stderr } = run(dir, ['check', '--config', 'mounted/settings.yaml'], {
    HEATING2MQTT_MQTT_PASSWORD_FILE: join(mounted, 'password'),
    HEATING2MQTT_DATA_DIR: join(dir, 'data'),
  });
  expect(stdout).toMatch(/settings.*1 device, data in /);
  expect(stdout + stderr).not.toContain('One mistake');
});
