import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { tempDir } from '../support/system/testSystem.ts';

const DIR = tempDir();
const RELEASE = join(DIR, 'release');
const NODES = join(DIR, 'nodes');
const TOO_OLD = [8, 16, 20];
const NEW_ENOUGH = [22, 24, 26];
/** Long enough for a slow registry. */
const MOST_MS = 300_000;

/** The packages that hold Node for this machine; there is one for each version. */
const NODE_PACKAGE = `node-${process.platform}-${process.arch}`;
const hasOldNodes = process.platform === 'linux' && process.arch === 'x64';

const npm = (args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}) =>
  spawnSync('npm', args, { cwd, encoding: 'utf8', env: { ...process.env, ...env } });

const nodeOf = (major: number): string => join(NODES, 'node_modules', `node${major}`, 'bin', 'node');

const packageOf = (folder: string) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

const { version: VERSION, engines } = packageOf('.');
const NEEDED = engines.node.replace('>=', '').replaceAll('.', '\\.');

beforeAll(() => cpSync('dist', RELEASE, { recursive: true }));

describe('the package', () => {
  test('has what a publication with provenance asks for, and nothing to install', () => {
    const released = packageOf('dist');
    expect(released).toMatchObject({
      name: 'heating2mqtt',
      version: VERSION,
      license: 'MIT',
      homepage: 'https://github.com/heating2mqtt/heating2mqtt#readme',
      repository: { type: 'git', url: 'git+https://github.com/heating2mqtt/heating2mqtt.git' },
      bugs: { url: 'https://github.com/heating2mqtt/heating2mqtt/issues' },
      keywords: expect.arrayContaining(['mqtt', 'home-assistant', 'heating']),
    });
    for (const key of ['private', 'scripts', 'dependencies', 'devDependencies', 'optionalDependencies'])
      expect(released).not.toHaveProperty(key);
  });

  test(
    'can be published as it is, with all its files and no others',
    () => {
      // By force: this version may have been published already, which is no matter here.
      const { status, stdout, stderr } = npm(['publish', '--dry-run', '--force', '--json'], RELEASE);
      expect({ status, stderr }).toMatchObject({ status: 0 });
      expect(stderr).not.toMatch(/npm warn publish/i);
      // npm 10 prints the package itself, npm 11 below its name.
      const printed = JSON.parse(stdout);
      const published: { files: readonly { path: string }[] } = printed.files ? printed : printed.heating2mqtt;
      expect(published.files.map(({ path }) => path).toSorted()).toEqual(readdirSync('dist').toSorted());
    },
    MOST_MS,
  );
});

describe.runIf(hasOldNodes)('from the tarball', () => {
  let tarball = '';

  beforeAll(() => {
    expect(npm(['pack', '--json', '--pack-destination', DIR], RELEASE)).toMatchObject({ status: 0 });
    tarball = join(DIR, `heating2mqtt-${VERSION}.tgz`);
    mkdirSync(NODES);
    writeFileSync(join(NODES, 'package.json'), '{}');
    const aliases = [...TOO_OLD, ...NEW_ENOUGH].map((major) => `node${major}@npm:${NODE_PACKAGE}@${major}`);
    const install = ['install', '--no-save', '--no-bin-links', '--no-audit', '--no-fund'];
    expect(npm([...install, ...aliases], NODES)).toMatchObject({ status: 0 });
  }, MOST_MS);

  const run = (major: number) =>
    spawnSync(nodeOf(major), [join(RELEASE, 'heating2mqtt.js'), '--version'], { cwd: '/', encoding: 'utf8', env: { HOME: DIR } });

  test.each(TOO_OLD)('the bin tells people with Node %i what it needs', (major) => {
    const { status, stdout, stderr } = run(major);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(new RegExp(`^heating2mqtt needs Node\\.js ${NEEDED} or newer, but this is Node\\.js ${major}\\.[\\d.]+ \\(/`));
    expect(stderr).toContain('https://nodejs.org/');
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  test.each(NEW_ENOUGH)('the bin runs with Node %i', (major) => {
    expect(run(major)).toMatchObject({ status: 0, stdout: `${VERSION}\n`, stderr: '' });
  });

  test.each([20, ...NEW_ENOUGH])(
    'npx runs it with Node %i, or the sentence is what people see',
    (major) => {
      const home = join(DIR, `home${major}`);
      mkdirSync(home);
      const PATH = [join(NODES, 'node_modules', `node${major}`, 'bin'), process.env['PATH']].join(delimiter);
      const env = { PATH, HOME: home, npm_config_cache: join(home, 'cache') };
      const words = ['exec', '--yes', '--offline', `--package=${tarball}`, '--', 'heating2mqtt', '--version'];
      const { status, stdout, stderr } = npm(words, home, env);
      if (major === 20) {
        expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
        expect(stderr).toContain('heating2mqtt needs Node.js');
      } else expect({ status, stdout }).toMatchObject({ status: 0, stdout: `${VERSION}\n` });
    },
    MOST_MS,
  );
});
