import { describe, expect, it, onTestFinished } from 'vitest';
import { defaultHome } from '../../../src/simulator/home/home.ts';
import { startVirtualSystem } from '../../support/system/virtualTestSystem.ts';

const HOUR_MS = 3_600_000;
const BASE = 'heating2mqtt/home';
const RESTART = 'heating2mqtt/bridge/restart_gateway/set';
const TOTALS = ['total', 'dhw'].map((use) => `${BASE}/heating/power/consumption/${use}/running_total`);

/** A house that lives, read every ten minutes. */
const start = async (more: object = {}) => {
  const system = await startVirtualSystem({
    device: { features: ['*'] },
    simulator: { home: defaultHome },
    overrides: { platform: { profile: 'v2' }, poll: { seconds: 600 }, ...more },
  });
  onTestFinished(() => system.close());
  const { recorder, simulator, time, onBroker } = system;
  return {
    ...system,
    restart: system.restart,
    stale: () => JSON.parse(onBroker.get(`${BASE}/problems`) ?? 'null').stale,
    totals: () => TOTALS.map((topic) => Number(onBroker.get(topic))),
    entities: () =>
      Object.keys(JSON.parse([...onBroker].find(([topic]) => /device\/.*_0\/config$/.test(topic))?.[1] ?? '{}').components ?? {}),
    control: (command: object) => simulator.control(command),
    pass: (hours: number) => time.pass(hours * HOUR_MS),
    ask: async (payload = 'home') => {
      const from = recorder.heard.length;
      await recorder.publish(RESTART, payload);
      const answer = await recorder.until(({ topic }) => topic === 'heating2mqtt/bridge/result', from);
      return JSON.parse(answer.payload);
    },
    reboots: () => simulator.calls().filter(({ path }) => path.endsWith('/reboot')).length,
  };
};

describe('frozen data', () => {
  it('of a summary, as each night at the platform, are told while its list goes on', async () => {
    const { control, pass, stale, onBroker } = await start();
    await pass(4);
    control({ command: 'freeze', what: 'summary' });
    await pass(72);
    expect(stale()).toMatchObject({ rule: 'tellers', features: ['heating.power.consumption.summary.dhw'] });
    expect(onBroker.get(`${BASE}/heating/power/consumption/summary/dhw/running_total`)).toBe(
      onBroker.get(`${BASE}/heating/power/consumption/dhw/running_total`),
    );
  });

  it('of amounts are told with what to do, over a restart of the bridge, and end when they go on, with nothing lost or counted twice', async () => {
    const { control, pass, stale, totals, restart, entities } = await start();
    await pass(3);
    control({ command: 'freeze', what: 'amounts' });
    await pass(5);
    expect(stale()).toBeUndefined();
    expect(entities().some((key) => key.includes('stale'))).toBe(false);
    const before = totals();
    await pass(5);
    expect(stale()).toMatchObject({ since: expect.stringMatching(/^2026-11-21T0[89]:/) });
    expect(stale().message).toMatch(/has not changed since 2026-11-21 0.*ViCare app/);
    expect(totals()).toEqual(before);
    await restart();
    expect(stale()).toBeDefined();
    await pass(0.5);
    expect(stale()).toBeDefined();
    expect(entities().some((key) => key.includes('stale'))).toBe(true);
    control({ command: 'thaw' });
    await pass(0.5);
    expect(stale()).toBeUndefined();
    expect(totals()[0]).toBeGreaterThan((before[0] ?? 0) + 1);
  });

  it('of a whole device are told after six hours, once over a restart of the bridge, and not of one that is offline', async () => {
    const { control, pass, stale, onBroker, restart } = await start();
    await pass(14);
    control({ command: 'freeze', what: 'device' });
    await pass(6);
    expect(stale()).toBeUndefined();
    await pass(1);
    expect(stale().message).toMatch(/^Viessmann has shown nothing new of this device since 2026-11-21 20:/);
    await restart();
    await pass(0.3);
    expect(stale()).toBeDefined();
    control({ command: 'disconnect', device: '0' });
    await pass(1);
    expect(onBroker.get(`${BASE}/availability`)).toBe('offline');
    expect(stale()).toBeUndefined();
  });

  it('are ended by a restart of the gateway, which is offered only after the platform has accepted one', async () => {
    const { control, pass, stale, ask, reboots, entities, onBroker, restart } = await start();
    const used = (): number => JSON.parse(onBroker.get('heating2mqtt/bridge/quota') ?? '{}').used.per_day;
    const plan = (): unknown => JSON.parse(onBroker.get('heating2mqtt/bridge/plan') ?? '{}').refused;
    await pass(14);
    control({ command: 'freeze', what: 'device' });
    await pass(8);
    expect(stale()).toMatchObject({ message: expect.anything() });
    expect(stale().can_restart).toBeUndefined();
    for (const [kind, code] of [
      ['not_paid', 'not_paid'],
      ['failed_dependency', 'device_error'],
    ]) {
      control({ command: 'fault', kind, times: 1, match: { path: '/reboot' } });
      expect(await ask()).toMatchObject({ status: 'failed', code });
      expect(await ask()).toMatchObject({ status: 'rejected', code: 'too_often' });
      await pass(0.2);
      if (code === 'not_paid') expect(plan()).toMatchObject([{ command: 'reboot', gateway: expect.anything() }]);
    }
    expect(reboots()).toBe(2);
    expect(entities().some((key) => key.includes('restart'))).toBe(false);
    expect(await ask('nobody')).toMatchObject({ status: 'rejected', code: 'unknown_device' });
    const before = used();
    expect(await ask()).toMatchObject({ status: 'applied' });
    expect(plan()).toEqual([]);
    expect(reboots()).toBe(3);
    await pass(0.2);
    expect(used()).toBeGreaterThan(before);
    expect(stale()).toBeUndefined();
    expect(entities().some((key) => key.includes('restart'))).toBe(true);
    await pass(1);
    expect(reboots()).toBe(3);
    // From now on it is beside the sentence.
    await pass(13);
    control({ command: 'freeze', what: 'device' });
    await pass(7.5);
    expect(stale()).toMatchObject({ can_restart: true });
    expect(await ask()).toMatchObject({ status: 'applied' });
    expect(reboots()).toBe(4);
    // Also over a restart of the bridge.
    await restart();
    expect(await ask()).toMatchObject({ status: 'rejected', code: 'too_often' });
    await pass(0.2);
    expect(await ask()).toMatchObject({ status: 'applied' });
  });

  it('know no restart where the settings forbid it, or the paths have none', async () => {
    const forbidden = await start({ commands: { deny: ['gateway/*'] } });
    await forbidden.pass(0.5);
    expect(await forbidden.ask()).toMatchObject({ status: 'rejected', code: 'forbidden' });
    const old = await start({ platform: { profile: 'v1' } });
    await old.pass(0.5);
    expect(await old.ask()).toMatchObject({ status: 'rejected', code: 'unknown_command' });
    expect(forbidden.reboots() + old.reboots()).toBe(0);
  });
});
