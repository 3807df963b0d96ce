import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { type RateLimiter, rateLimiter } from '../../../src/bridge/reads/rateLimiter.ts';
import { check } from '../../../src/cli/check/check.ts';
import { listDevices } from '../../../src/cli/check/checkDevices.ts';
import { backAt } from '../../../src/platform/classify.ts';
import { MINUTE_MS, systemClock } from '../../../src/shared/clock.ts';
import { defaultHome } from '../../../src/simulator/home/home.ts';
import { startSimulator } from '../../../src/simulator/simulator.ts';
import { takeLock } from '../../../src/storage/lock.ts';
import { openStorage } from '../../../src/storage/storage.ts';
import { emptyFolder } from '../../support/cli/inProcess.ts';
import { recordingLog, storeTokens, testSettings } from '../../support/system/testSystem.ts';

const prepare = async (choices?: NonNullable<Parameters<typeof testSettings>[4]>['choices'], home = defaultHome) => {
  const simulator = await startSimulator({ home });
  onTestFinished(() => simulator.close());
  const dataDir = emptyFolder();
  await storeTokens(dataDir, simulator);
  const settings = testSettings(simulator, 'mqtt://127.0.0.1:9', dataDir, {}, choices ? { platform: { profile: 'v2' }, choices } : {});
  const said: string[] = [];
  const io = { env: {}, isTTY: false, out: (text: string) => void said.push(text), err: (text: string) => void said.push(text) };
  return { simulator, settings, said, io, list: () => listDevices(settings, io) };
};

test('prints the devices so that they can be pasted, those left out as comments, with one call', async () => {
  const { simulator, said, list } = await prepare([{ name: 'home', device: '0', features: ['*'], exclude: [] }]);
  expect(await list()).toBe(0);
  expect(parse(said.join('\n'))).toEqual({
    devices: [{ name: 'home', installation: '111222', gateway: '7571381699991111', device: '0', features: ['*'] }],
  });
  expect(said.join('\n')).toMatch(/^ {2}# - \{ name: "7571381699991111-RoomControl-1", /m);
  expect(simulator.calls()).toHaveLength(1);
});

test('an account without devices is told to be the wrong one', async () => {
  const { settings, simulator, io, said } = await prepare([]);
  simulator.control({ command: 'fault', kind: 'empty_list', match: { path: '/installations' } });
  expect(await check(settings, { devices: false }, io)).toBe(1);
  expect(said).toContainEqual(
    expect.stringMatching(/platform: 0 devices found; none is chosen: log in with the account that shows the heating in /),
  );
});

test('no name ends its line or controls the terminal', async () => {
  const model = `x\u001b[2J\r\n- { name: evil } \u202e\u009b${'y'.repeat(10_000)}`;
  const device = '\u009b1\u202e';
  const { said, list } = await prepare([], { ...defaultHome, devices: { [device]: { model, roles: ['a\u0085b'], features: {} } } });
  expect(await list()).toBe(0);
  expect(said.join('\n')).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
  expect(said.join('\n').length).toBeLessThan(1000);
  expect(parse(said.join('\n'))).toMatchObject({ devices: expect.arrayContaining([expect.objectContaining({ device })]) });
});

test('beside a running bridge it makes no call', async () => {
  const { simulator, settings, said, list } = await prepare([]);
  const lock = await takeLock(settings.data_dir, () => ({}));
  onTestFinished(() => lock?.release());
  expect(await list()).toBe(1);
  expect(said).toEqual(['The running bridge has not read the list of devices yet. Try again in a minute.']);
  expect(simulator.calls()).toEqual([]);
});

test('what is no list is not said to be an empty one, by either command', async () => {
  const { settings, said, io, list } = await prepare([]);
  const server = createServer((_, response) => response.setHeader('content-type', 'application/json').end('{"data":{}}'));
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  Object.assign(settings.platform, { base_url: `http://127.0.0.1:${Object(server.address()).port}` });
  const sentence = 'The list of installations is invalid. Check platform.base_url and platform.paths.';
  expect([await list(), said]).toEqual([1, [sentence]]);
  expect(await check(settings, { devices: false }, io)).toBe(1);
  expect(said).toContain(`FAIL platform: ${sentence}`);
});

test('with v1 it says where a list is to be had', async () => {
  const { list } = await prepare();
  await expect(list()).rejects.toThrow('v1 has no list of devices');
});

test('its calls are counted, and none is made while the platform refuses them', async () => {
  const { simulator, settings, said, list } = await prepare([]);
  const allowance = settings.platform.quota;
  const counted = (): RateLimiter => {
    const storage = openStorage(settings.data_dir, recordingLog([]));
    const quota = rateLimiter(allowance, systemClock, storage.calls);
    storage.close();
    return quota;
  };
  expect(await list()).toBe(0);
  expect(counted().used()).toEqual({ per_10_minutes: 1, per_day: 1 });
  simulator.control({ command: 'fault', kind: 'rate_limited', limitReset: 3_600_000 });
  expect([await list(), await list()]).toEqual([1, 1]);
  expect(simulator.calls()).toHaveLength(2);
  expect(said.at(-1)).toMatch(/^No call to the platform is left, so none was made\. Calls are possible again at \d\d:\d\d \S+\.$/);
  expect(counted().pausedForMs()).toBeGreaterThan(0);
});

test('when calls are possible again is counted from the last call of an earlier run', async () => {
  const { settings, simulator, said, list } = await prepare([]);
  const at = Date.now() - 30 * MINUTE_MS;
  // In the middle of a minute, because the sentence shows minutes.
  const until = Math.floor(Date.now() / MINUTE_MS + 30.5) * MINUTE_MS + MINUTE_MS / 2;
  const storage = openStorage(settings.data_dir, recordingLog([]));
  storage.calls.append({ kind: 'call', at, poll: false, cause: 'earlier' });
  storage.calls.append({ kind: 'pause', at, until });
  storage.close();
  expect(await list()).toBe(1);
  expect(said.at(-1)).toContain(backAt(until));
  expect(simulator.calls()).toEqual([]);
});
