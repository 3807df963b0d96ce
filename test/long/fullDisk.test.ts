import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { barrier, terminalFor } from '../support/schedules/writing.ts';
import { callsIn } from '../support/system/database.ts';
import { CANARY, CANARY_TOPIC } from '../support/system/outcome.ts';
import type { BridgeProcess } from '../support/system/process.ts';
import { loggedBy, type ProcessSystem, processSystem } from '../support/system/processSystem.ts';
import { tempDir } from '../support/system/testSystem.ts';

/** Sets how many bytes a file of the process may have: beyond it writing fails as on a full disk, in the midst of a line too. */
const limitFiles = ({ child }: BridgeProcess, bytes: number | 'unlimited'): void => {
  execFileSync('prlimit', ['--pid', String(child.pid), `--fsize=${bytes}:unlimited`]);
};

const CURVE = 'heating2mqtt/home/heating/circuits/0/heating/curve';

const write = async ({ recorder }: ProcessSystem, slope: number): Promise<string> => {
  const from = recorder.heard.length;
  await recorder.publish(`${CURVE}/call/setCurve`, JSON.stringify({ slope, shift: 1 }));
  return (await terminalFor(recorder, `${CURVE}/call/setCurve`, from)).status;
};

/** What it warns of; a slow machine tries the broker twice. */
const warned = (bridge: BridgeProcess): readonly string[] =>
  loggedBy(bridge, 'warn', 'error')
    .map(({ msg }) => msg)
    .filter((sentence) => !sentence.startsWith('broker not reached'));

test('a disk that is full is told once; the bridge goes on, and writes again when there is room', { timeout: 60_000 }, async () => {
  const system = await processSystem({ simulator: { rotateRefreshTokens: true }, overrides: { poll: { seconds: 1 } } });
  const { simulator, recorder, dir } = system;
  const set = async (value: number): Promise<void> => {
    simulator.control({ command: 'set', feature: CANARY, property: 'value', value });
    await recorder.untilTopic(CANARY_TOPIC, String(value));
  };
  const bridge = await system.started({ settings: { log: { level: 'info', format: 'json' } } });
  expect(warned(bridge)).toEqual([]);

  limitFiles(bridge, 10);
  simulator.control({ command: 'expire_tokens' });
  for (const value of [1.5, 2.5, 3.5]) await set(value);
  expect(await write(system, 1.9)).toBe('applied');
  await barrier(system);
  expect([...warned(bridge)].sort()).toEqual([
    expect.stringMatching(/^the database could not be written/),
    'tokens not stored, they are kept in memory',
  ]);

  limitFiles(bridge, 'unlimited');
  for (const value of [4.5, 5.5]) await set(value);
  expect(await write(system, 2.1)).toBe('applied');
  await recorder.publish('heating2mqtt/bridge/poll/set', 'home');
  await barrier(system);
  expect(await bridge.end('SIGTERM')).toBe(0);
  expect(warned(bridge)).toHaveLength(2);
  expect(bridge.log().match(/ again"/g)).toHaveLength(2);
  expect(callsIn(dir)).toBe(system.reads() + system.posts().length);

  // The refresh token that came while the disk was full is the only one that is good for anything.
  simulator.control({ command: 'expire_tokens' });
  const again = await system.started();
  await set(6.5);
  expect(recorder.heard.filter(({ topic, payload }) => topic.endsWith('/auth') && payload.includes('login_needed'))).toEqual([]);
  expect(again.log()).not.toContain('set aside');
});

/** A small disk of its own. Only root may make one. */
const mountDisk = (size: string): string => {
  const dir = tempDir();
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', size, 'tmpfs', dir], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`no disk could be mounted, which root may do: ${stderr}`);
  onTestFinished(() => void spawnSync('umount', ['--lazy', dir]));
  return dir;
};

/** Fills the disk to its last byte; gives what makes room again. */
const fill = (dir: string): (() => void) => {
  const file = join(dir, 'filler');
  const fd = openSync(file, 'w');
  for (const size of [65_536, 4096, 1]) {
    try {
      for (;;) writeSync(fd, Buffer.alloc(size));
    } catch {
      // Not so many bytes any more.
    }
  }
  closeSync(fd);
  return () => rmSync(file);
};

describe.each(['whose files cannot grow', 'that is a disk of its own'])('a start on a disk that is full, %s', (kind) => {
  test.each(['with', 'without'])(
    '%s files of an earlier run: the bridge goes on with what it can read, says so, and writes when there is room',
    { timeout: 60_000 },
    async (kept) => {
      const mounted = kind === 'that is a disk of its own' ? mountDisk('size=2000k,mode=700') : undefined;
      const overrides = { log: { level: 'info', format: 'json' } } as const;
      const system = await processSystem({ ...(mounted === undefined ? {} : { dir: mounted }), overrides });
      const { recorder, dir } = system;
      if (kept === 'with') {
        const before = await system.started();
        await recorder.untilTopic(CANARY_TOPIC);
        expect(await before.end('SIGTERM')).toBe(0);
      }
      const reads = system.reads();
      writeFileSync(join(dir, 'settings.yaml'), JSON.stringify(system.settings));
      const makeRoom = mounted === undefined ? undefined : fill(dir);
      const bridge = await system.started({ isDiskFull: makeRoom === undefined });
      await recorder.untilTopic(CANARY_TOPIC);
      expect(await write(system, 1.9)).toBe('applied');
      expect(warned(bridge)).toEqual([expect.stringMatching(/^the database could not be written/)]);
      // What was kept is believed: the login, and that nothing has to be read yet.
      // One read before the write, as a remembered record is never fresh, and one that confirms it.
      if (kept === 'with') expect(system.reads() - reads).toBeLessThanOrEqual(2);

      if (makeRoom) makeRoom();
      else limitFiles(bridge, 'unlimited');
      await recorder.publish(`${CURVE}/call/setCurve`, '{"slope":2.1,"shift":1}');
      await barrier(system);
      await expect.poll(() => loggedBy(bridge, 'info').filter(({ msg }) => msg.endsWith(' can be written again'))).toHaveLength(1);
      expect(await bridge.end('SIGTERM')).toBe(0);
    },
  );
});

test('a start on a disk that takes no file more, not even the lock, ends with exit code 1: it may pass', async () => {
  const dir = mountDisk('nr_inodes=5');
  const system = await processSystem({ dir });
  for (const name of ['settings.yaml', 'b']) writeFileSync(join(dir, name), '');
  const bridge = system.start();
  await once(bridge.child, 'exit');
  expect(bridge.child.exitCode).toBe(1);
  expect(bridge.log()).toContain(`data_dir ${dir} cannot be used now: the disk is full`);
});
