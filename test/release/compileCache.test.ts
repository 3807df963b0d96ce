import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
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
  writeFileSync(PRELOADED, WITNESS);
});

const folder = (mode = 0o700): string => {
  const dir = tempDir();
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  chmodSync(dir, mode);
  return dir;
};

/** Has a process print whether it took compiled code that was kept, and when it keeps some. */
const WITNESS = `
const vm = require('node:vm');
vm.Script = class extends vm.Script {
  constructor(source, options) {
    super(source, options);
    console.error('compiled code was', options.cachedData === undefined ? 'made' : this.cachedDataRejected ? 'rejected' : 'accepted');
  }
  createCachedData() {
    console.error('compiled code is kept');
    return super.createCachedData();
  }
};`;
const PRELOADED = join(RELEASE, 'witness.cjs');

/** Runs the release, as another user if wanted; gives what it prints, also of the compiled code. */
const run = (env: NodeJS.ProcessEnv, user?: number): string => {
  const as = user === undefined ? [] : ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups'];
  const [command = '', ...args] = [...as, process.execPath, '--require', PRELOADED, BIN, '--version'];
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: '/', encoding: 'utf8', env: { ...sameClock(), ...env } });
  const told = stdout + stderr;
  expect({ status, told }).toMatchObject({ status: 0, told: expect.stringMatching(/^\d+\.\d+\.\d+$/m) });
  return told;
};

const cacheIn = (home: string): string => join(home, '.cache', 'heating2mqtt', 'compile');
const filesIn = (dir: string): readonly string[] => (existsSync(dir) ? readdirSync(dir, { recursive: true, encoding: 'utf8' }) : []);
/** Where the code of a command line without a command is kept. */
const KEPT = 'other';

/** Compiled code is neither read nor kept. */
const expectUnused = (told: string): void => {
  expect(told).toContain('compiled code was made');
  expect(told).not.toContain('kept');
};

describe.runIf(isPosix)('compiled code is kept', () => {
  test('in a folder of the user that nobody else may enter, and never in the shared temporary folder', () => {
    const [home, shared] = [folder(), folder(0o1777)];
    run({ HOME: home, TMPDIR: shared });
    expect(lstatSync(cacheIn(home)).mode & 0o777).toBe(0o700);
    expect(filesIn(cacheIn(home))).toEqual([KEPT]);
    // The second start takes what the first has left.
    const second = run({ HOME: home, TMPDIR: shared });
    expect(second).toContain('compiled code was accepted');
    expect(second).not.toContain('kept');
    expect(filesIn(shared)).toEqual([]);
  });

  test('and made anew where it is damaged, is not whole, or is of another bundle', () => {
    const home = folder();
    const file = join(cacheIn(home), KEPT);
    run({ HOME: home });
    const whole = readFileSync(file);
    const damaged = Buffer.from(whole).fill(0, 100_000, 104_096);
    const foreign = Buffer.concat([whole.subarray(0, -100), Buffer.alloc(100, 'x')]);
    for (const [content, found] of [
      [damaged, 'rejected'],
      [whole.subarray(0, 4096), 'made'],
      [Buffer.alloc(0), 'made'],
      [foreign, 'made'],
    ] as const) {
      writeFileSync(file, content);
      const told = run({ HOME: home });
      expect(told).toContain(`compiled code was ${found}`);
      expect(told).toContain('compiled code is kept');
      expect(run({ HOME: home })).toContain('compiled code was accepted');
    }
  });

  test('and kept again by a start that needs more of it, though it goes on', async () => {
    const home = folder();
    const file = join(cacheIn(home), 'simulate');
    const env = { ...sameClock(), HOME: home };
    spawnSync(process.execPath, [BIN, 'simulate', '--help'], { cwd: '/', env });
    const little = statSync(file).size;
    const simulator = spawn(process.execPath, ['--require', PRELOADED, BIN, 'simulate'], { cwd: '/', env });
    let told = '';
    for await (const text of simulator.stderr) {
      told += String(text);
      if (told.includes('compiled code is kept')) break;
    }
    simulator.kill('SIGTERM');
    await once(simulator, 'exit');
    expect(told).toContain('compiled code was accepted');
    expect(statSync(file).size).toBeGreaterThan(1.1 * little);
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
  type Case = readonly [what: string, spoil: (kept: string, home: string) => void];
  const spoiled: readonly Case[] = [
    ...[0o777, 0o770, 0o1777].map((mode): Case => [`can be written by others, ${mode.toString(8)}`, (kept) => chmodSync(kept, mode)]),
    ['is below one in which others could put another in its place', (_, home) => chmodSync(join(home, '.cache'), 0o777)],
    [
      'is a link',
      (kept) => {
        rmSync(kept, { recursive: true });
        symlinkSync(folder(), kept);
      },
    ],
    ...(isRoot ? [['is of another user', (kept) => chownSync(kept, NOBODY, NOBODY)] as Case] : []),
  ];
  test.each(spoiled)('where the folder %s', (_, spoil) => {
    const home = folder();
    mkdirSync(cacheIn(home), { recursive: true, mode: 0o700 });
    spoil(cacheIn(home), home);
    expectUnused(run({ HOME: home }));
    expect(filesIn(cacheIn(home))).toEqual([]);
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
    expect(planted).toEqual([KEPT]);
    expectUnused(run(env));
    expect(filesIn(cacheIn(home))).toEqual(planted);

    // Nor is anything made below a folder that another user can take away.
    rmSync(join(home, '.cache'), { recursive: true });
    expectUnused(run(env));
    expect(filesIn(home)).toEqual([]);
    expect(filesIn(shared)).toEqual([]);
  });
});
