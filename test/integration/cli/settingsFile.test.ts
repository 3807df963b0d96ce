import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { type Ended, emptyFolder, runCommand } from '../../support/cli/inProcess.ts';
import { sameClock } from '../../support/time/sameClock.ts';

const MAIN = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));
const isPosix = process.platform !== 'win32';
/** Longer than any start, and shorter than a pipe waits. */
const AT_MOST_MS = 30_000;

/** In a process of its own, as a file that is read without an end would hold up this one too. */
const runApart = async (cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> => {
  const child = spawn(process.execPath, [MAIN, ...args], { cwd, timeout: AT_MOST_MS, env: { ...sameClock(), HOME: cwd, ...env } });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode ?? -1, out, err };
};

const runHere: typeof runApart = (cwd, args, env = {}) => runCommand(args, { cwd, env });

const folder = (): string => {
  const dir = emptyFolder();
  writeFileSync(join(dir, 'large'), '');
  truncateSync(join(dir, 'large'), 3 * 1024 ** 3);
  mkdirSync(join(dir, 'folder'));
  if (isPosix) execFileSync('mkfifo', [join(dir, 'pipe')]);
  return dir;
};

const ODD = [
  ['/dev/zero', 'it is a device, not a file', runApart],
  ['pipe', 'it is a pipe, not a file', runApart],
  ['folder', 'it is a folder, not a file', runHere],
  ['large', 'it is larger than the maximum of 1 MB', runHere],
] as const;

const SETTINGS = {
  platform: { base_url: 'https://api.test', auth_url: 'https://iam.test', client_id: 'abc' },
  devices: [{ installation: 1, gateway: '2', device: '0', features: ['a.b'] }],
};

describe.runIf(isPosix)('what is no file', () => {
  test.each(ODD)('%s as settings ends with a sentence', async (name, why, run) => {
    const err = `One mistake in the settings:\n  ${name} cannot be read (${why})\n\`heating2mqtt settings\` shows every setting.\n`;
    expect(await run(folder(), ['run', '--config', name])).toEqual({ code: 2, out: '', err });
  });

  const pairs = [
    [ODD[0], ODD[1]],
    [ODD[2], ODD[3]],
  ] as const;
  test.each(pairs)('as a certificate or a password ends with a sentence: %j %j', async ([ca, whyNotCa, run], [password, whyNot]) => {
    const dir = folder();
    writeFileSync(join(dir, 'settings.yaml'), JSON.stringify({ ...SETTINGS, mqtt: { url: 'mqtts://127.0.0.1', username: 'u', ca } }));
    const file = join(dir, password);
    const { code, err } = await run(dir, ['run', '--config', 'settings.yaml'], { HEATING2MQTT_MQTT_PASSWORD_FILE: file });
    expect(code).toBe(2);
    expect(err).toContain(`mqtt.ca names a file that cannot be read: ${ca} (${whyNotCa}); allowed: a PEM file\n`);
    expect(err).toContain(`HEATING2MQTT_MQTT_PASSWORD_FILE: mqtt.password names a file that cannot be read: ${file} (${whyNot})`);
  });
});

test.runIf(isPosix)('settings and passwords behind links are read, as Docker and Kubernetes mount them', async () => {
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
  const { out, err } = await runHere(dir, ['check', '--config', 'mounted/settings.yaml'], {
    HEATING2MQTT_MQTT_PASSWORD_FILE: join(mounted, 'password'),
    HEATING2MQTT_DATA_DIR: join(dir, 'data'),
  });
  expect(out).toMatch(/settings.*1 device. Data folder: /);
  expect(out + err).not.toContain('One mistake');
});
