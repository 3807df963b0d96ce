import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { MINUTE_MS, type WiredSystem, wiredSystem } from '../support/system/virtualSystem.ts';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

const GENEROUS = { per_10_minutes: 100_000, per_day: 10_000_000, reserve_for_commands: 50 };
const TROUBLES = ['html503', 'cut_middle', 'cut_headers', 'cut_before', 'rubbish', 'timeout200', 'not_found', 'expired_token', 'html200'];

const resources = (): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const name of process.getActiveResourcesInfo()) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
};

/** What the process holds after the garbage is gone; immediates are the test's own. */
const held = async (system: WiredSystem) => {
  system.forget();
  system.simulator.control({ command: 'reset' });
  for (let turn = 0; turn < 5; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
  }
  // Nothing is under way: a connection that is kept alive ends after some seconds, one that was forgotten stays.
  await expect.poll(() => resources()['TCPSocketWrap'] ?? 0, { timeout: 20_000 }).toBe(0);
  const { Timeout = 0, TCPServerWrap = 0 } = resources();
  return { timers: Timeout, servers: TCPServerWrap, sleepers: system.sleepers(), heapMb: process.memoryUsage().heapUsed / 1e6 };
};

/** Polls so often, with values that change, commands, and now and then trouble of each kind. */
const poll = async (system: WiredSystem, polls: number): Promise<void> => {
  let [done, minute] = [0, 0];
  while (done < polls) {
    minute += 1;
    system.simulator.control({
      command: 'set',
      feature: 'heating.sensors.temperature.outside',
      property: 'value',
      value: (minute % 400) / 10,
    });
    if (minute % 20 === 0) {
      const kind = TROUBLES[(minute / 20) % TROUBLES.length];
      system.simulator.control({ command: 'fault', kind, times: 3, match: { path: '/features' } });
    }
    if (minute % 10 === 0)
      system.send('heating2mqtt/home/heating/circuits/0/heating/curve/call/setCurve', `{"slope":${1 + (minute % 7) / 10},"shift":1}`);
    await system.time.pass(MINUTE_MS);
    done += system.calls().length;
    system.simulator.control({ command: 'reset' });
    system.forget();
  }
};

test('after ten thousand polls, with troubles and commands between, sockets, timers and memory are what they were', async () => {
  const [gateway, installation] = ['7571381699991111', '111222'];
  const features = [
    'heating.sensors.temperature.outside',
    'heating.circuits.0.heating.curve',
    'heating.circuits.0.heating.schedule',
    'heating.dhw.schedule',
  ];
  const system = await wiredSystem({
    devices: [{ name: 'home', installation, gateway, device: '0', features, exclude: [] }],
    poll: { seconds: 10, jitter: 0 },
    allowance: GENEROUS,
    commands: { per_hour: 1000 },
  });
  await system.start();
  await poll(system, 3000);
  await system.time.pass(10 * MINUTE_MS);
  const before = await held(system);
  await poll(system, 10_000);
  await system.time.pass(10 * MINUTE_MS);
  const after = await held(system);
  expect({ ...after, heapMb: 0 }).toEqual({ ...before, heapMb: 0 });
  // The counters of the last 24 hours alone are one of these.
  expect(after.heapMb - before.heapMb).toBeLessThan(4);
});
