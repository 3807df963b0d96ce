import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    programs: readonly Program[];
  }
}

type Needed = { readonly package: string; readonly files?: readonly string[]; isThere?(): boolean };

/** What some suites need beside Node and npm: the Debian package of each program, and its other names. */
const PROGRAMS = {
  mosquitto: { package: 'mosquitto' },
  mosquitto_passwd: { package: 'mosquitto' },
  mosquitto_pub: { package: 'mosquitto-clients' },
  mosquitto_sub: { package: 'mosquitto-clients' },
  openssl: { package: 'openssl' },
  'nats-server': { package: 'nats-server' },
  'rabbitmq-server': { package: 'rabbitmq-server', files: ['../lib/rabbitmq/bin/rabbitmq-server', 'rabbitmq-server'] },
  faketime: { package: 'faketime' },
  chromium: { package: 'chromium-headless-shell', files: ['chromium-headless-shell', 'chromium', 'chromium-browser'] },
  buildah: { package: 'buildah' },
  mmdebstrap: { package: 'mmdebstrap' },
  prlimit: { package: 'util-linux' },
  unshare: { package: 'util-linux' },
  nsenter: { package: 'util-linux' },
  'systemd-analyze': { package: 'systemd' },
  apparmor_parser: { package: 'apparmor' },
  venv: { package: 'python3-venv', isThere: () => spawnSync('python3', ['-c', 'import ensurepip, venv']).status === 0 },
} as const satisfies Readonly<Record<string, Needed>>;

export type Program = keyof typeof PROGRAMS;

/** Where servers and tools of the system lie, which not every user's PATH names. */
const FOLDERS = ['/usr/local/sbin', '/usr/sbin', '/sbin', '/opt/homebrew/bin', '/opt/homebrew/sbin'];

/** The file of a program, or undefined where it is not installed. */
export const programPath = (name: Program): string | undefined => {
  const { files = [name] }: Needed = PROGRAMS[name];
  const folders = [...(process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== ''), ...FOLDERS];
  return files.flatMap((file) => folders.map((folder) => join(folder, file))).find((path) => existsSync(path));
};

const isInstalled = (name: Program): boolean => {
  const { isThere }: Needed = PROGRAMS[name];
  return isThere?.() ?? programPath(name) !== undefined;
};

/** One sentence that names the Debian package of each missing program; undefined where all of them are installed. */
export const missingPrograms = (names: readonly Program[]): string | undefined => {
  const packages = new Set(names.filter((name) => !isInstalled(name)).map((name) => PROGRAMS[name].package));
  if (packages.size === 0) return undefined;
  return `This needs programs that are not installed here: apt-get install --no-install-recommends ${[...packages].join(' ')}`;
};

/** The file of a program. Throws the sentence where it is not installed. */
export const neededProgram = (name: Program): string => {
  const path = programPath(name);
  if (path === undefined) throw new Error(missingPrograms([name]));
  return path;
};

/** `globalSetup` of a suite, which names its programs in `provide: { programs: […] }`: without them it ends with 1 before its first test. */
export const setup = ({ config: { provide } }: TestProject): void => {
  const missing = missingPrograms(provide.programs ?? []);
  if (missing === undefined) return;
  // An error thrown here would be shown among messages of vitest about files that it has not looked for.
  console.error(missing);
  process.exit(1);
};
