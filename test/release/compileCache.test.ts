import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, existsSync, lstatSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { tempDir } from '../support/system/testSystem.ts';
import { sameClock } from '../support/time/sameClock.ts';

const RELEASE = tempDir();
const BIN = join(RELEASE, 'dist', 'heating2mqtt.js');
/** The user id of `nobody`. */
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const isPosix = process.platform !== 'win32' && process.platform !== 'darwin';

beforeAll(() => {
  cpSync('dist', join(RELEASE, 'dist'), { recursive: true });
  chmodSync(RELEASE, 0o755);
});

const folder = (mode = 0o700): string => {
  const dir = tempDir();
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  chmodSync(dir, mode);
  return dir;
};

/** Runs the release, as another user if wanted; gives what Node tells of its compile cache. */
const run = (env: NodeJS.ProcessEnv, user?: number): string => {
  const as = user === undefined ? [] : ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups'];
  const [command = '', ...args] = [...as, process.execPath, BIN, '--version'];
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: '/',
    encoding: 'utf8',
    env: { ...sameClock(), NODE_DEBUG_NATIVE: 'COMPILE_CACHE', ...env },
  });
  const told = stdout + stderr;
  expect({ status, told }).toMatchObject({ status: 0, told: expect.stringMatching(/^\d+\.\d+\.\d+$/m) });
  return told;
};

const cacheIn = (home: string): string => join(home, '.cache', 'heating2mqtt', 'compile');
const filesIn = (dir: string): readonly string[] => (existsSync(dir) ? readdirSync(dir, { recursive: true, encoding: 'utf8' }) : []);
/** Node keeps each script in a file of its own, in a folder for its version. */
const SCRIPT = /^v\d+[^/]*\/[0-9a-f]+$/;

/** The compile cache is neither read nor written. */
const expectUnused = (told: string): void => {
  expect(told).not.toMatch(/reading cache from|writing cache for/i);
};

describe.runIf(isPosix)('compiled code is kept', () => {
  test('in a folder of the user that nobody else may enter, and never in the shared temporary folder', () => {
    const [home, shared] = [folder(), folder(0o1777)];
    run({ HOME: home, TMPDIR: shared });
    expect(lstatSync(cacheIn(home)).mode & 0o777).toBe(0o700);
    expect(filesIn(cacheIn(home))).toContainEqual(expect.stringMatching(SCRIPT));
    // The second start takes what the first has left.
    expect(run({ HOME: home, TMPDIR: shared })).toMatch(/cache for .*bridge\.js was accepted/);
    expect(filesIn(shared)).toEqual([]);
  });

  test.each([
    ['CACHE_DIRECTORY', (dir: string) => join(dir, 'compile')],
    ['XDG_CACHE_HOME', (dir: string) => join(dir, 'heating2mqtt', 'compile')],
  ])('where %s says', (name, place) => {
    const [home, dir] = [folder(), folder()];
    run({ HOME: home, [name]: dir });
    expect(filesIn(place(dir)).length).toBeGreaterThan(0);
    expect(filesIn(home)).toEqual([]);
  });
});

describe.runIf(isPosix)('no compiled code is kept', () => {
  test('where the folder can be written by others', () => {
    const home = folder();
    mkdirSync(cacheIn(home), { recursive: true });
    for (const mode of [0o777, 0o770, 0o1777]) {
      chmodSync(cacheIn(home), mode);
      expectUnused(run({ HOME: home }));
    }
    expect(filesIn(cacheIn(home))).toEqual([]);
  });

  test('where a folder above it can be written by others, who could put another one in its place', () => {
    const home = folder();
    mkdirSync(cacheIn(home), { recursive: true, mode: 0o700 });
    chmodSync(join(home, '.cache'), 0o777);
    expectUnused(run({ HOME: home }));
    expect(filesIn(cacheIn(home))).toEqual([]);
  });

  test('where the folder is a link', () => {
    const [home, other] = [folder(), folder()];
    mkdirSync(join(home, '.cache', 'heating2mqtt'), { recursive: true });
    symlinkSync(other, cacheIn(home));
    expectUnused(run({ HOME: home }));
    expect(filesIn(other)).toEqual([]);
  });

  test.each(['/tmp/no-such-home', '/proc/nowhere', '/dev/null', 'relative'])('where there is no home folder: HOME=%s', (home) => {
    expectUnused(run({ HOME: home, TMPDIR: folder(0o1777) }));
    expect(existsSync('/tmp/no-such-home')).toBe(false);
  });

  test.runIf(isRoot)('that another user has left: nobody prepares the folders, root starts', () => {
    const [home, shared] = [folder(0o755), folder(0o1777)];
    chownSync(home, NOBODY, NOBODY);
    const env = { HOME: home, TMPDIR: shared };
    run(env, NOBODY);
    const planted = filesIn(cacheIn(home));
    expect(planted).toContainEqual(expect.stringMatching(SCRIPT));
    expectUnused(run(env));
    expect(filesIn(cacheIn(home))).toEqual(planted);

    // Nor is anything made below a folder that another user can take away.
    rmSync(join(home, '.cache'), { recursive: true });
    expectUnused(run(env));
    expect(filesIn(home)).toEqual([]);
    expect(filesIn(shared)).toEqual([]);
  });

  test.runIf(isRoot)('in a folder of another user within a folder of root', () => {
    const home = folder(0o755);
    mkdirSync(cacheIn(home), { recursive: true, mode: 0o755 });
    chownSync(cacheIn(home), NOBODY, NOBODY);
    expectUnused(run({ HOME: home }));
    expect(filesIn(cacheIn(home))).toEqual([]);
  });
});
