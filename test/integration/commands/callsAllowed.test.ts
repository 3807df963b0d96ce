import { describe, expect, test } from 'vitest';
import { defaultHome } from '../../../src/simulator/home/home.ts';
import { barrier, started, terminalFor } from '../../support/schedules/writing.ts';
import { SCHEDULE_TOPIC } from '../../support/system/testSystem.ts';
import { HOUR_MS } from '../../support/system/virtualSystem.ts';
import type { VirtualTestSystem } from '../../support/system/virtualTestSystem.ts';

const LIST = '/equipment/installations?';
const TOKEN = '/token';

/** Two calls in ten minutes, one of which is left to commands. */
const FEW = { overrides: { platform: { quota: { per_10_minutes: 2, per_day: 1000, reserve_for_commands: 1 } } } };

/** What the platform counts. */
const counted = ({ simulator }: VirtualTestSystem) => simulator.calls().filter(({ path }) => !path.includes(TOKEN));
const renewals = ({ simulator }: VirtualTestSystem) => simulator.calls().filter(({ path }) => path.includes(TOKEN)).length;

test('a command whose token is refused on the last call of the window makes no call more', async () => {
  const system = await started(FEW);
  system.simulator.control({ command: 'fault', kind: 'expired_token', times: 1, match: { method: 'POST', path: '/commands/' } });
  await system.recorder.publish(`${SCHEDULE_TOPIC}/set`, 'daily 06:00-22:00 normal');
  expect(await terminalFor(system.recorder, `${SCHEDULE_TOPIC}/set`, 0)).toMatchObject({ status: 'failed', code: 'no_quota' });
  expect(counted(system).map(({ method, status }) => `${method} ${status}`)).toEqual(['GET 200', 'POST 401']);
  // It costs no call, and the next one will not be refused for the same reason.
  expect(renewals(system)).toBe(1);
});

test('a poll whose token is refused on the last call that polls may make does not take one of those left to commands', async () => {
  const fault = { command: 'fault', kind: 'expired_token', times: 1, match: { method: 'GET', path: '/features' } };
  const system = await started({ ...FEW, prepare: (simulator) => void simulator.control(fault) });
  await system.untilSo(() => JSON.stringify(system.logged).includes('no_quota'));
  await barrier(system);
  expect(counted(system).map(({ status }) => status)).toEqual([401]);
  expect(renewals(system)).toBe(1);
});

/** So many installations, one device each, that the list has 20 pages. */
const neighbours = Array.from({ length: 960 }, (_, i) => ({
  id: 5000 + i,
  gateways: [{ serial: `g${i}`, gatewayType: 'VitoconnectOpto1', devices: [{ id: '0', roles: [] }] }],
}));

describe('a list of devices with 20 pages', () => {
  const start = async () => {
    const system = await started({
      simulator: { home: { ...defaultHome, neighbours } },
      overrides: {
        platform: { profile: 'v2', quota: { per_10_minutes: 12, per_day: 1_000_000, reserve_for_commands: 0 } },
        choices: [{ name: 'home', installation: '111222', device: '0', features: ['*'], exclude: [] }],
        poll: { seconds: 36_000, gone_after_h: 0 },
      },
    });
    const pages = () => system.simulator.calls().filter(({ path }) => path.includes(LIST));
    const devices = () => JSON.parse(system.recorder.last('heating2mqtt/bridge/info') ?? '{}').devices;
    const isFound = () => system.recorder.last('heating2mqtt/home/availability') === 'online';
    return { system, pages, devices, isFound };
  };

  test('waits where no call is left in its middle, goes on from there, and asks for no page twice', async () => {
    const { system, pages, devices, isFound } = await start();
    expect(pages()).toHaveLength(10);
    expect(devices()).toEqual([]);
    await system.time.until(isFound, HOUR_MS);
    await barrier(system);
    expect(pages()).toHaveLength(20);
    expect(new Set(pages().map(({ path }) => path)).size).toBe(20);
    expect(devices()).toMatchObject([{ name: 'home' }]);
  });

  test('that ends in its middle takes no device away, however often', async () => {
    const { system, pages, isFound } = await start();
    await system.time.until(isFound, HOUR_MS);
    // The device of the settings stands on the first page, so it is the rest that has to fail too.
    system.simulator.control({ command: 'remove_device', device: '0' });
    system.simulator.control({ command: 'fault', kind: 'rate_limited', match: { path: 'cursor=250' } });
    const before = pages().length;
    await system.time.pass(3 * 25 * HOUR_MS);
    const ended = pages()
      .slice(before)
      .filter(({ status }) => status === 429);
    // A list that ends has the device gone at the third.
    expect(ended.length).toBeGreaterThanOrEqual(3);
    const cleared = system.recorder.heard.filter(({ topic, payload }) => topic.startsWith('heating2mqtt/home/') && payload === '');
    expect(cleared).toEqual([]);
  });
});
