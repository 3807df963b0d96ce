import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { startEmbeddedBroker } from '../../../src/mqtt/embeddedBroker.ts';
import { startSimulator } from '../../../src/simulator/simulator.ts';
import { listen } from '../../support/network/mqttRecorder.ts';
import { barrier, terminalFor } from '../../support/schedules/writing.ts';
import { callsIn } from '../../support/system/database.ts';
import { startProcess } from '../../support/system/process.ts';
import { stillHome, storeTokens, tempDir, testSettings } from '../../support/system/testSystem.ts';

/** Sets how many bytes a file of the process may have: beyond it writing fails as on a full disk, in the midst of a line too. */
const limitFiles = (pid: number, bytes: number | 'unlimited'): void => {
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`]);
};

const canLimit = ((): boolean => {
  try {
    execFileSync('prlimit', ['--version']);
    return process.platform === 'linux';
  } catch {
    return false;
  }
})();

const CURVE = 'heating2mqtt/home/heating/circuits/0/heating/curve';
const VALUE = 'heating2mqtt/home/heating/sensors/temperature/outside/value';

test.runIf(canLimit)(
  'a disk that is full is told once; the bridge goes on, and writes again when there is room',
  async () => {
    const broker = await startEmbeddedBroker(0);
    onTestFinished(() => broker.close());
    const simulator = await startSimulator({ home: stillHome, rotateRefreshTokens: true });
    onTestFinished(() => simulator.close());
    const dir = tempDir();
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    await storeTokens(dir, simulator);
    const recorder = await listen(broker.url);
    onTestFinished(() => recorder.close());
    const settings = testSettings(simulator, broker.url, dir, { features: ['*'] }, { poll: { seconds: 1 } });
    const bridge = startProcess({ ...settings, log: { level: 'info', format: 'json' } });
    onTestFinished(() => void bridge.end('SIGKILL'));
    await recorder.until(({ topic, retain }) => topic === 'heating2mqtt/bridge/health' && !retain);
    const warned = (): readonly string[] =>
      bridge
        .log()
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .flatMap((line) => (/warn|error/.test(JSON.parse(line).level) ? [String(JSON.parse(line).msg)] : []))
        // A slow machine tries the broker twice.
        .filter((sentence) => !sentence.startsWith('broker not reached'));
    const set = async (value: number): Promise<void> => {
      simulator.control({ command: 'set', feature: 'heating.sensors.temperature.outside', property: 'value', value });
      await recorder.untilTopic(VALUE, String(value));
    };
    const write = async (slope: number): Promise<unknown> => {
      const from = recorder.heard.length;
      await recorder.publish(`${CURVE}/call/setCurve`, JSON.stringify({ slope, shift: 1 }));
      return (await terminalFor(recorder, `${CURVE}/call/setCurve`, from)).status;
    };
    expect(warned()).toEqual([]);

    limitFiles(bridge.child.pid ?? 0, 10);
    simulator.control({ command: 'expire_tokens' });
    for (const value of [1.5, 2.5, 3.5]) await set(value);
    expect(await write(1.9)).toBe('applied');
    await barrier({ recorder });
    expect([...warned()].sort()).toEqual([
      expect.stringMatching(/^the database could not be written/),
      'tokens not stored, they are kept in memory',
    ]);

    limitFiles(bridge.child.pid ?? 0, 'unlimited');
    for (const value of [4.5, 5.5]) await set(value);
    expect(await write(2.1)).toBe('applied');
    await recorder.publish('heating2mqtt/bridge/poll/set', 'home');
    await barrier({ recorder });
    expect(await bridge.end('SIGTERM')).toBe(0);
    expect(warned()).toHaveLength(2);
    expect(bridge.log().match(/ again"/g)).toHaveLength(2);
    expect(callsIn(dir)).toBe(simulator.calls().filter(({ path }) => path.includes('/features')).length);

    const from = recorder.heard.length;
    // The refresh token that came while the disk was full is the only one that is good for anything.
    simulator.control({ command: 'expire_tokens' });
    const again = startProcess(settings);
    onTestFinished(() => void again.end('SIGKILL'));
    await recorder.until(({ topic, retain }) => topic === 'heating2mqtt/bridge/health' && !retain, from);
    await set(6.5);
    expect(recorder.heard.filter(({ topic, payload }) => topic.endsWith('/auth') && payload.includes('login_needed'))).toEqual([]);
    expect(again.log()).not.toContain('set aside');
  },
  60_000,
);

/** A small disk of its own, where this user may make one; undefined where not. */
const mountDisk = (size: string): string | undefined => {
  const dir = tempDir();
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', size, 'tmpfs', dir]);
  if (status !== 0) return undefined;
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

describe.each([
  ['whose files cannot grow', 'limit', canLimit],
  ['that is a disk of its own', 'mount', process.platform === 'linux' && process.getuid?.() === 0],
] as const)('a start on a disk that is full, %s', (_, kind, can) => {
  test.runIf(can).each(['with', 'without'])(
    '%s files of an earlier run: the bridge goes on with what it can read, says so, and writes when there is room',
    async (kept) => {
      const broker = await startEmbeddedBroker(0);
      onTestFinished(() => broker.close());
      const simulator = await startSimulator({ home: stillHome });
      onTestFinished(() => simulator.close());
      const dir = kind === 'mount' ? mountDisk('size=2000k,mode=700') : tempDir();
      if (dir === undefined) throw new Error('root could not mount a disk');
      onTestFinished(() => void (kind === 'limit' && rmSync(dir, { recursive: true, force: true })));
      await storeTokens(dir, simulator);
      const recorder = await listen(broker.url);
      onTestFinished(() => recorder.close());
      const settings = {
        ...testSettings(simulator, broker.url, dir, { features: ['*'] }),
        log: { level: 'info', format: 'json' },
      } as const;
      const health = (from: number) => recorder.until(({ topic, retain }) => topic === 'heating2mqtt/bridge/health' && !retain, from);
      if (kept === 'with') {
        const before = startProcess(settings);
        onTestFinished(() => void before.end('SIGKILL'));
        await health(0);
        await recorder.untilTopic(VALUE);
        expect(await before.end('SIGTERM')).toBe(0);
      }
      const reads = simulator.calls().length;

      writeFileSync(join(dir, 'settings.yaml'), JSON.stringify(settings));
      const makeRoom = kind === 'mount' ? fill(dir) : undefined;
      const from = recorder.heard.length;
      const bridge = startProcess(settings, kind === 'limit' ? { fileBytes: 10 } : {});
      onTestFinished(() => void bridge.end('SIGKILL'));
      await health(from);
      await recorder.untilTopic(VALUE);
      await recorder.publish(`${CURVE}/call/setCurve`, '{"slope":1.9,"shift":1}');
      expect((await terminalFor(recorder, `${CURVE}/call/setCurve`, from)).status).toBe('applied');
      const messages = (): readonly { readonly level: string; readonly msg: string }[] =>
        bridge
          .log()
          .split('\n')
          .filter((line) => line.startsWith('{'))
          .map((line) => JSON.parse(line));
      const warned = messages().flatMap(({ level, msg }) => (/warn|error/.test(level) ? [msg] : []));
      expect(warned).toEqual([expect.stringMatching(/^the database could not be written/)]);
      // What was kept is believed: the login, and that nothing has to be read yet.
      const gets = simulator
        .calls()
        .slice(reads)
        .filter(({ method, path }) => method === 'GET' && path.endsWith('/features'));
      // One before the write, as a remembered record is never fresh, and one that confirms it.
      if (kept === 'with') expect(gets.length).toBeLessThanOrEqual(2);

      if (makeRoom) makeRoom();
      else limitFiles(bridge.child.pid ?? 0, 'unlimited');
      await recorder.publish(`${CURVE}/call/setCurve`, '{"slope":2.1,"shift":1}');
      await barrier({ recorder });
      await vi.waitFor(() => expect(messages().filter(({ msg }) => msg.endsWith(' can be written again'))).toHaveLength(1), 40_000);
      expect(await bridge.end('SIGTERM')).toBe(0);
    },
    60_000,
  );
});

test.runIf(process.platform === 'linux' && process.getuid?.() === 0)(
  'a start on a disk that takes no file more, not even the lock, ends with exit code 1: it may pass',
  async () => {
    const broker = await startEmbeddedBroker(0);
    onTestFinished(() => broker.close());
    const simulator = await startSimulator({ home: stillHome });
    onTestFinished(() => simulator.close());
    const dir = mountDisk('nr_inodes=4');
    if (dir === undefined) throw new Error('root could not mount a disk');
    for (const name of ['settings.yaml', 'b', 'c']) writeFileSync(join(dir, name), '');
    const bridge = startProcess(testSettings(simulator, broker.url, dir));
    onTestFinished(() => void bridge.end('SIGKILL'));
    await once(bridge.child, 'exit');
    expect(bridge.child.exitCode).toBe(1);
    expect(bridge.log()).toContain(`data_dir ${dir} cannot be used now: the disk is full`);
  },
);

test.skipIf(canLimit)('a disk that is full: needs Linux with prlimit of util-linux, to make one', ({ skip }) => skip('needs prlimit'));
