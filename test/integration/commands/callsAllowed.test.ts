import { rmSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Settings } from '../../../src/config/settings.ts';
import { startEmbeddedBroker } from '../../../src/mqtt/embeddedBroker.ts';
import { type Clock, systemClock } from '../../../src/shared/clock.ts';
import { defaultHome } from '../../../src/simulator/home/home.ts';
import { startSimulator } from '../../../src/simulator/simulator.ts';
import { listen } from '../../support/network/mqttRecorder.ts';
import { barrier, terminalFor } from '../../support/schedules/writing.ts';
import { startProcess } from '../../support/system/process.ts';
import { SCHEDULE_TOPIC, startTestSystem, stillHome, storeTokens, tempDir, testSettings } from '../../support/system/testSystem.ts';

const LIST = '/equipment/installations?';
const TOKEN = '/token';

type Quota = Settings['platform']['quota'];

/** Platform, broker and a bridge that is started, as a process of its own, with this allowance. */
const setUp = async () => {
  const broker = await startEmbeddedBroker(0);
  onTestFinished(() => broker.close());
  const simulator = await startSimulator({ home: stillHome });
  onTestFinished(() => simulator.close());
  const dir = tempDir();
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  await storeTokens(dir, simulator);
  const recorder = await listen(broker.url);
  onTestFinished(() => recorder.close());
  const start = (quota: Quota) => {
    const settings = testSettings(simulator, broker.url, dir, {}, { platform: { quota } });
    const bridge = startProcess(settings);
    onTestFinished(() => void bridge.end('SIGKILL'));
    return bridge;
  };
  /** What the platform counts. */
  const counted = () => simulator.calls().filter(({ path }) => !path.includes(TOKEN));
  const renewals = () => simulator.calls().filter(({ path }) => path.includes(TOKEN)).length;
  return { simulator, recorder, start, counted, renewals };
};

test('a command whose token is refused on the last call of the window makes no call more', async () => {
  const { simulator, recorder, start, counted, renewals } = await setUp();
  simulator.control({ command: 'fault', kind: 'expired_token', times: 1, match: { method: 'POST', path: '/commands/' } });
  start({ per_10_minutes: 2, per_day: 1000, reserve_for_commands: 1 });
  await recorder.untilTopic(`${SCHEDULE_TOPIC}/text`);
  const from = recorder.heard.length;
  await recorder.publish(`${SCHEDULE_TOPIC}/set`, 'daily 06:00-22:00 normal');
  expect(await terminalFor(recorder, `${SCHEDULE_TOPIC}/set`, from)).toMatchObject({ status: 'failed', code: 'no_quota' });
  expect(counted().map(({ method, status }) => `${method} ${status}`)).toEqual(['GET 200', 'POST 401']);
  // It costs no call, and the next one will not be refused for the same reason.
  expect(renewals()).toBe(1);
});

test('a poll whose token is refused on the last call that polls may make does not take one of those left to commands', async () => {
  const { simulator, recorder, start, counted, renewals } = await setUp();
  simulator.control({ command: 'fault', kind: 'expired_token', times: 1, match: { method: 'GET', path: '/features' } });
  const bridge = start({ per_10_minutes: 2, per_day: 1000, reserve_for_commands: 1 });
  await expect.poll(() => bridge.log()).toContain('no_quota');
  // The poll may end before the bridge listens to commands.
  await recorder.untilTopic('heating2mqtt/bridge/state', 'online');
  await barrier({ recorder });
  expect(counted().map(({ status }) => status)).toEqual([401]);
  expect(renewals()).toBe(1);
});

/** So many installations, one device each, that the list has 20 pages. */
const neighbours = Array.from({ length: 960 }, (_, i) => ({
  id: 5000 + i,
  gateways: [{ serial: `g${i}`, gatewayType: 'VitoconnectOpto1', devices: [{ id: '0', roles: [] }] }],
}));

/** A clock that can be put on, and whose pauses are short. */
const clockAhead = () => {
  let aheadMs = 0;
  const clock: Clock = {
    now: () => systemClock.now() + aheadMs,
    elapsedMs: () => systemClock.elapsedMs() + aheadMs,
    sleep: (ms, signal) => systemClock.sleep(Math.min(ms, 20), signal),
  };
  return {
    clock,
    pass: (ms: number) => {
      aheadMs += ms;
    },
  };
};

const HOUR_MS = 3_600_000;

describe('a list of devices with 20 pages', () => {
  const start = async () => {
    const { clock, pass } = clockAhead();
    const system = await startTestSystem({
      simulator: { home: { ...defaultHome, neighbours } },
      clock,
      overrides: {
        platform: { profile: 'v2', quota: { per_10_minutes: 12, per_day: 1_000_000, reserve_for_commands: 0 } },
        choices: [{ name: 'home', installation: '111222', device: '0', features: ['*'], exclude: [] }],
        poll: { seconds: 36_000, gone_after_h: 0 },
      },
    });
    onTestFinished(() => system.close());
    const pages = () => system.simulator.calls().filter(({ path }) => path.includes(LIST));
    const devices = () => JSON.parse(system.recorder.last('heating2mqtt/bridge/info') ?? '{}').devices;
    const cleared = () => system.recorder.heard.filter(({ topic, payload }) => topic.startsWith('heating2mqtt/home/') && payload === '');
    return { system, pass, pages, devices, cleared };
  };

  test('waits where no call is left in its middle, goes on from there, and asks for no page twice', async () => {
    const { system, pass, pages, devices } = await start();
    await expect.poll(() => pages().length).toBe(10);
    await system.recorder.untilTopic('heating2mqtt/bridge/state', 'online');
    await barrier(system);
    expect(pages()).toHaveLength(10);
    expect(devices()).toEqual([]);
    pass(HOUR_MS);
    await expect.poll(() => pages().length).toBe(20);
    pass(HOUR_MS);
    await system.recorder.untilTopic('heating2mqtt/home/availability', 'online');
    expect(new Set(pages().map(({ path }) => path)).size).toBe(20);
    expect(devices()).toMatchObject([{ name: 'home' }]);
  });

  test('that ends in its middle takes no device away, however often', async () => {
    const { system, pass, pages, cleared } = await start();
    for (let part = 0; part < 2; part += 1) {
      await expect.poll(() => pages().length).toBe(10 * (part + 1));
      pass(HOUR_MS);
    }
    await system.recorder.untilTopic('heating2mqtt/home/availability', 'online');
    // The device of the settings stands on the first page, so it is the rest that has to fail too.
    system.simulator.control({ command: 'remove_device', device: '0' });
    for (let list = 1; list <= 5; list += 1) {
      const before = pages().length;
      system.simulator.control({ command: 'fault', kind: 'rate_limited', times: 1, match: { path: 'cursor=250' } });
      pass(25 * HOUR_MS);
      await expect
        .poll(() =>
          pages()
            .slice(before)
            .some(({ status }) => status === 429),
        )
        .toBe(true);
      await barrier(system);
    }
    expect(cleared()).toEqual([]);
  });
});
