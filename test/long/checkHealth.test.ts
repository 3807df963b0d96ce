import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { BRIDGE_STATES, type BridgeState, partStates, type ReportKind } from '../../src/bridge/publish/status/bridgeStates.ts';
import { startEmbeddedBroker } from '../../src/mqtt/embeddedBroker.ts';
import { type BrokerProxy, startProxy } from '../support/network/proxy.ts';
import { advanceableClock, checked, checkedWith, passBesideBroker } from '../support/system/checked.ts';
import { polled, published } from '../support/system/outcome.ts';
import { processSystem } from '../support/system/processSystem.ts';
import { startTestSystem, type TestSystem } from '../support/system/testSystem.ts';
import { untilSo } from '../support/system/untilSo.ts';

const MINUTE_MS = 60_000;
const HEALTH = 'heating2mqtt/bridge/health';

type World = { readonly system: TestSystem; readonly proxy: BrokerProxy; readonly pass: (ms: number) => void };

/** A bridge that reaches its broker through a proxy, by which it can be cut off. */
const world = async ({ reachesBroker = true, speed = 1 } = {}): Promise<World> => {
  const broker = await startEmbeddedBroker(0);
  onTestFinished(() => broker.close());
  const proxy = await startProxy(broker.port);
  onTestFinished(() => proxy.close());
  if (!reachesBroker) proxy.stall();
  const { clock, pass } = advanceableClock(speed);
  const system = await startTestSystem({ clock, brokerUrl: broker.url, overrides: { mqtt: { url: proxy.url }, poll: { seconds: 60 } } });
  onTestFinished(() => system.close());
  if (reachesBroker) await published(system);
  return { system, proxy, pass };
};

const failingReads = (kind: string) => async (): Promise<World> => {
  const here = await world();
  const { system, pass } = here;
  system.simulator.control({ command: 'fault', kind, match: { path: '/features' } });
  await polled(system);
  await expect.poll(() => system.app.status().problem_code).toBeDefined();
  await passBesideBroker(system, pass, 5 * MINUTE_MS);
  return here;
};

/** The states of the page: test/integration/web/connections.test.ts; a bridge that may not read: test/brokers/rights.test.ts. */
type StateWithoutPage = Exclude<BridgeState, `page_${string}` | 'broker_unread'>;
const isWithoutPage = (state: BridgeState): state is StateWithoutPage => !state.startsWith('page_') && state !== 'broker_unread';

/** How each state is brought about. A process that is stuck has a test of its own. */
const CAUSES: Readonly<Record<StateWithoutPage, () => Promise<World>>> = {
  well: () => world(),
  // Time goes slowly, so that the bridge still starts when it is asked.
  starting: () => world({ reachesBroker: false, speed: 0.001 }),
  broker_away: async () => {
    const here = await world();
    await here.proxy.close();
    await untilSo(() => !here.system.app.status().broker);
    here.pass(MINUTE_MS);
    return here;
  },
  platform_away: failingReads('internal_error'),
  login_needed: async () => {
    const here = await world();
    here.system.simulator.control({ command: 'revoke_refresh_tokens' });
    here.system.simulator.control({ command: 'expire_tokens' });
    await here.system.recorder.publish('heating2mqtt/bridge/poll/set', 'home');
    await untilSo(() => here.system.app.status().auth === 'login_needed');
    return here;
  },
  refused: failingReads('not_paid'),
  gateway_offline: failingReads('gateway_offline'),
  quota_used_up: async () => {
    const here = await world();
    here.system.simulator.control({ command: 'fault', kind: 'rate_limited', limitReset: 7_200_000, match: { path: '/features' } });
    await polled(here.system);
    await untilSo(() => here.system.app.status().waits === true);
    await passBesideBroker(here.system, here.pass, 30 * MINUTE_MS);
    return here;
  },
  // The client's own timers keep the machine's time: for the clock, nothing comes of it.
  stuck: async () => {
    const here = await world();
    here.pass(4 * MINUTE_MS);
    return here;
  },
};

type Health = { readonly last_poll_at: string; readonly last_success_at: string; readonly failures: number };

/** The health report of this moment. */
const reported = async ({ recorder }: TestSystem): Promise<Health> => {
  const from = recorder.heard.length;
  await recorder.publish('heating2mqtt/bridge/republish/set', 'now');
  return JSON.parse((await recorder.until(({ topic, retain }) => topic === HEALTH && !retain, from)).payload);
};

/** Milliseconds that the instant has moved; two computations of the same one differ by a few. */
const moved = (before: Health, after: Health, key: 'last_poll_at' | 'last_success_at'): number => {
  const byMs = Date.parse(after[key]) - Date.parse(before[key]);
  return Math.abs(byMs) < 20 ? 0 : byMs;
};

const polledAndReported = async (system: TestSystem): Promise<Health> => {
  await system.recorder.publish('heating2mqtt/bridge/poll/set', 'home');
  return reported(system);
};

/** Whether `bridge/health` shows what the table says of the state. */
const REPORTED: Readonly<Record<ReportKind, (system: TestSystem) => Promise<void>>> = {
  none: async ({ recorder }) => expect(recorder.last(HEALTH)).toBeUndefined(),
  reads: async (system) => {
    const before = await reported(system);
    await expect.poll(async () => moved(before, await polledAndReported(system), 'last_success_at')).toBeGreaterThan(0);
  },
  fails: async (system) => {
    const before = await reported(system);
    let after = before;
    const failed = async (): Promise<number> => {
      after = await polledAndReported(system);
      return after.failures - before.failures;
    };
    await expect.poll(failed).toBeGreaterThan(0);
    expect(moved(before, after, 'last_success_at')).toBe(0);
  },
  waits: async (system) => {
    const before = await reported(system);
    expect(moved(before, await polledAndReported(system), 'last_poll_at')).toBe(0);
  },
  away: async ({ recorder }) => {
    await recorder.untilTopic('heating2mqtt/bridge/state', 'offline');
    expect(recorder.last(HEALTH)).toBeDefined();
  },
};

const states = Object.entries(BRIDGE_STATES).flatMap(([name, row]) => {
  const state = name as BridgeState;
  return isWithoutPage(state) ? [{ state, ...row }] : [];
});

/** With the address of the broker itself: what the bridge says counts, and not whether this command reaches the broker. */
const settingsOf = ({ settings, broker }: TestSystem): object => ({ ...settings, mqtt: { ...settings.mqtt, url: broker.url } });

test.each(states.filter(({ state }) => state !== 'stuck'))(
  '$state: check ends with $check, check --health with $health, and bridge/health: $report',
  async ({ state, check, health, report }) => {
    const { system } = await CAUSES[state]();
    expect(Object.values(partStates(system.app.status()))).toContain(state);
    const settings = settingsOf(system);
    expect(await checked(settings, true)).toMatchObject({ code: health, failed: '', text: expect.stringContaining('running bridge') });
    expect((await checked(settings)).code).toBe(check);
    await REPORTED[report](system);
  },
);

const { check, health } = BRIDGE_STATES.stuck;

test('stuck, as the client of the broker does nothing: both commands say so, until a packet comes', async () => {
  const { system, pass } = await CAUSES.stuck();
  const settings = settingsOf(system);
  const asked = (isHealth: boolean) => async () => {
    // A packet can come between two of these. What `check` sends itself would be one; below another base it does not come.
    pass(4 * MINUTE_MS);
    const { code, failed } = await checked({ ...settings, mqtt: { url: system.broker.url, base: 'other' } }, isHealth);
    return { code, isSaid: failed.includes('its connection to the broker is stuck') };
  };
  await expect.poll(asked(true)).toEqual({ code: health, isSaid: true });
  await expect.poll(asked(false)).toEqual({ code: check, isSaid: true });
  await reported(system);
  expect((await checked(settingsOf(system), true)).code).toBe(0);
});

test('stuck, as the process does nothing: both commands say so, the broker notices, and all is well when it goes on', async () => {
  const broker = await startEmbeddedBroker(0);
  onTestFinished(() => broker.close());
  const proxy = await startProxy(broker.port);
  onTestFinished(() => proxy.close());
  const system = await processSystem({ brokerUrl: broker.url, bridgeUrl: proxy.url, protocolVersion: 4 });
  const { recorder } = system;
  const bridge = await system.started();
  const ask = (isHealth: boolean) => checkedWith(join(system.dir, 'settings.yaml'), isHealth);
  expect((await ask(true)).code).toBe(0);
  bridge.child.kill('SIGSTOP');
  expect(await ask(true)).toMatchObject({ code: health, failed: expect.stringContaining('does not answer') });
  expect(await ask(false)).toMatchObject({ code: check, failed: expect.stringContaining('does not answer') });
  // As the broker does after the keep-alive interval.
  proxy.cut();
  await recorder.untilTopic('heating2mqtt/bridge/state', 'offline');
  bridge.child.kill('SIGCONT');
  await expect.poll(async () => (await ask(true)).code).toBe(0);
});

test('alive, with settings that were made wrong since it started: it stays healthy', async () => {
  const { system } = await world();
  const { data_dir } = system.settings;
  expect(await checked({ data_dir, mqtt: { ulr: 'nowhere' } }, true)).toMatchObject({ code: 0, failed: '' });
  await system.stopApp();
  await expect(checked({ data_dir, mqtt: { ulr: 'nowhere' } }, true)).rejects.toThrow('nearest: mqtt.url');
});
