import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startEmbeddedBroker } from '../../src/broker/embedded.ts';
import { startSimulator } from '../../src/simulator/simulator.ts';
import { listen } from '../support/ear.ts';
import { houseSettings, stillHome, storeTokens, tempDir } from '../support/house.ts';
import { startProcess } from '../support/process.ts';
import { fence, terminalFor } from '../support/writing.ts';

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
  'a disk that is full is told once for each file; the bridge goes on, and writes again when there is room',
  async () => {
    const broker = await startEmbeddedBroker(0);
    onTestFinished(() => broker.close());
    const simulator = await startSimulator({ home: stillHome, rotateRefreshTokens: true });
    onTestFinished(() => simulator.close());
    const dir = tempDir();
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    await storeTokens(dir, simulator);
    const ear = await listen(broker.url);
    onTestFinished(() => ear.close());
    const settings = houseSettings(simulator, broker.url, dir, { features: ['*'] }, { poll: { seconds: 1 } });
    const bridge = startProcess({ ...settings, log: { level: 'info', format: 'json' } });
    onTestFinished(() => void bridge.end('SIGKILL'));
    await ear.until(({ topic, retain }) => topic === 'heating2mqtt/bridge/health' && !retain);
    const warned = (): readonly string[] =>
      bridge
        .log()
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .flatMap((line) => (JSON.parse(line).level >= 40 ? [String(JSON.parse(line).msg)] : []));
    const set = async (value: number): Promise<void> => {
      simulator.control({ command: 'set', feature: 'heating.sensors.temperature.outside', property: 'value', value });
      await ear.untilTopic(VALUE, String(value));
    };
    const write = async (slope: number): Promise<unknown> => {
      const from = ear.heard.length;
      await ear.publish(`${CURVE}/call/setCurve`, JSON.stringify({ slope, shift: 1 }));
      return (await terminalFor(ear, `${CURVE}/call/setCurve`, from)).status;
    };
    expect(warned()).toEqual([]);

    limitFiles(bridge.child.pid ?? 0, 10);
    simulator.control({ command: 'expire_tokens' });
    for (const value of [1.5, 2.5, 3.5]) await set(value);
    expect(await write(1.9)).toBe('applied');
    await fence({ ear });
    expect([...warned()].sort()).toEqual([
      expect.stringMatching(/^the counters of calls could not be written/),
      expect.stringMatching(/^the journal of writes could not be written/),
      expect.stringMatching(/^the last state could not be written/),
      expect.stringMatching(/^the ledger of published topics could not be written/),
      'tokens not stored, they are kept in memory',
    ]);

    limitFiles(bridge.child.pid ?? 0, 'unlimited');
    for (const value of [4.5, 5.5]) await set(value);
    expect(await write(2.1)).toBe('applied');
    await ear.publish('heating2mqtt/bridge/poll/set', 'home');
    await fence({ ear });
    expect(await bridge.end('SIGTERM')).toBe(0);
    expect(warned()).toHaveLength(5);
    expect(bridge.log().match(/ again"/g)).toHaveLength(5);
    const counted = readFileSync(join(dir, 'quota.jsonl'), 'utf8').match(/"is":"call"/g) ?? [];
    expect(counted.length).toBe(simulator.calls().filter(({ path }) => path.includes('/features')).length);

    const from = ear.heard.length;
    // The refresh token that came while the disk was full is the only one that is good for anything.
    simulator.control({ command: 'expire_tokens' });
    const again = startProcess(settings);
    onTestFinished(() => void again.end('SIGKILL'));
    await ear.until(({ topic, retain }) => topic === 'heating2mqtt/bridge/health' && !retain, from);
    await set(6.5);
    expect(ear.heard.filter(({ topic, payload }) => topic.endsWith('/auth') && payload.includes('login_needed'))).toEqual([]);
    expect(again.log()).not.toContain('set aside');
  },
  60_000,
);

test.skipIf(canLimit)('a disk that is full: needs Linux with prlimit of util-linux, to make one', ({ skip }) => skip('needs prlimit'));
