import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { forget } from '../../src/cli/forget.ts';
import { startProxy } from '../support/network/proxy.ts';
import { startTestBroker } from '../support/network/testBroker.ts';
import { emptied, PUBLISHED } from '../support/system/database.ts';
import { ALL, published } from '../support/system/outcome.ts';
import { processSystem } from '../support/system/processSystem.ts';
import { FOREIGN_BELOW_BASE, retainedOn } from '../support/system/retainedTopics.ts';
import { startTestSystem, type TestSystem, type TestSystemOptions } from '../support/system/testSystem.ts';
import { sameClock } from '../support/time/sameClock.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

const start = async (options: TestSystemOptions = ALL): Promise<TestSystem> => {
  const system = await startTestSystem(options);
  onTestFinished(() => system.close());
  await published(system);
  return system;
};

const FOREIGN: Readonly<Record<string, string>> = {
  ...FOREIGN_BELOW_BASE,
  'heating2mqtt/bridge/mine': 'x',
  'heating2mqtt/inner/bridge/state': 'online',
  'heating2mqtt/inner/bridge/health': '{"beat":3}',
  'heating2mqtt/inner/home/heating/record': '{"feature":"heating","properties":{},"commands":{}}',
  'homeassistant/sensor/other/config': '{"name":"x"}',
  'homeassistant/device/other/config': '{"origin":{"name":"zigbee2mqtt"}}',
  'homeassistant/device/heating2mqtt_2_0/config':
    '{"origin":{"name":"heating2mqtt"},"availability":[{"topic":"second/bridge/state"}],"components":{}}',
  'second/bridge/state': 'online',
};

const run = async ({ settings }: Pick<TestSystem, 'settings'>, options: { force?: boolean } = {}) => {
  const out: string[] = [];
  const err: string[] = [];
  const io = { out: (text: string) => void out.push(text), err: (text: string) => void err.push(text) };
  return { code: await forget(settings, { force: options.force === true }, io), out, err };
};

describe('forget', () => {
  describe.each(['kept', 'lost'])('with the published topics %s', (publishedTopics) => {
    test('leaves the broker as if the bridge had never been, and what is not its own', async () => {
      const system = await start();
      for (const [topic, payload] of Object.entries(FOREIGN)) await system.recorder.publish(topic, payload, { retain: true });
      const before = await retainedOn(system.broker.url);
      await system.stopApp();
      if (publishedTopics === 'lost') emptied(system.settings.data_dir, ...PUBLISHED);
      const { code, out, err } = await run(system);
      expect({ code, err }).toEqual({ code: 0, err: [] });
      expect(out[0]).toMatch(/: 7 discovery documents and \d{3,} topics\.$/);
      expect(Object.fromEntries(await retainedOn(system.broker.url))).toEqual(FOREIGN);
      expect((await run(system)).out).toEqual([`${system.broker.url} has no topics of a bridge with mqtt.base heating2mqtt.`]);
      const from = system.recorder.heard.length;
      await system.restart();
      await published(system, from);
      expect([...(await retainedOn(system.broker.url)).keys()].sort()).toEqual([...before.keys()].sort());
    });
  });
});

test('refuses beside a running bridge, of this data folder or another', async () => {
  const system = await start();
  const before = await retainedOn(system.broker.url);
  const refused = await run(system);
  expect(refused).toMatchObject({ code: 1, out: [] });
  expect(refused.err).toEqual([
    `The bridge is running with data_dir ${system.settings.data_dir}; stop it, then run \`heating2mqtt forget\` again. Nothing was cleared.`,
  ]);
  expect(await retainedOn(system.broker.url)).toEqual(before);
  await system.stopApp();
  await system.recorder.publish('heating2mqtt/bridge/state', 'online', { retain: true });
  const other = await run(system);
  expect(other.code).toBe(1);
  expect(other.err.join()).toContain('is connected to the broker; stop it first');
  expect((await retainedOn(system.broker.url)).size).toBe(before.size);
  expect((await run(system, { force: true })).code).toBe(0);
  expect((await retainedOn(system.broker.url)).size).toBe(0);
});

test('a broker that is not there: told, and the database still knows what to withdraw', async () => {
  const system = await start();
  await system.stopApp();
  const { code, err } = await run({ settings: { ...system.settings, mqtt: { ...system.settings.mqtt, url: 'mqtt://127.0.0.1:9' } } });
  expect({ code, err }).toEqual({ code: 1, err: [expect.stringContaining('Nothing was cleared')] });
  expect((await run(system)).out[0]).toMatch(/7 discovery documents/);
});

test('what lay under a base and a prefix of earlier runs goes by the database', async () => {
  const system = await start();
  await system.stopApp();
  const settings = {
    ...system.settings,
    mqtt: { ...system.settings.mqtt, base: 'new' },
    homeassistant: { ...system.settings.homeassistant, prefix: 'ha' },
  };
  expect((await run({ settings })).code).toBe(0);
  expect((await retainedOn(system.broker.url)).size).toBe(0);
});

test('killed in mid-work and not repeated: the next run publishes everything again', async () => {
  const broker = await startTestBroker();
  onTestFinished(() => broker.close());
  const { recorder, dir, started } = await processSystem({ brokerUrl: broker.url });
  const topics = async (): Promise<readonly string[]> => [...(await retainedOn(broker.url)).keys()].sort();
  const runUntil = async (isShown: () => Promise<void>): Promise<void> => {
    const bridge = await started();
    await isShown();
    expect(await bridge.end('SIGTERM')).toBe(0);
  };
  const documents = async (): Promise<number> => (await topics()).filter((topic) => topic.startsWith('homeassistant/')).length;
  await runUntil(() => expect.poll(documents, { timeout: 30_000 }).toBe(7));
  const before = await topics();
  for (const most of [1, 30]) {
    const from = recorder.heard.length;
    const child = spawn(process.execPath, [MAIN, 'forget', '--config', join(dir, 'settings.yaml')], { env: sameClock(), stdio: 'ignore' });
    const ended = once(child, 'exit');
    await recorder.until(() => recorder.heard.slice(from).filter(({ payload, retain }) => payload === '' && !retain).length >= most, from);
    child.kill('SIGKILL');
    await ended;
    expect((await retainedOn(broker.url)).size).toBeLessThan(before.length);
    await runUntil(() => expect.poll(topics, { timeout: 30_000 }).toEqual(before));
  }
}, 120_000);

test('a broker that ends in mid-work: said, with exit code 1, and what is left goes at the next try', async () => {
  const system = await start();
  await system.stopApp();
  const proxy = await startProxy(Number(new URL(system.broker.url).port));
  onTestFinished(() => proxy.close());
  proxy.cutAfter(30);
  const said = expect.stringMatching(
    /the connection to the broker was lost\. Some topics were not cleared; run `heating2mqtt forget` again\.$/,
  );
  const cut = { ...system.settings, mqtt: { ...system.settings.mqtt, url: proxy.url } };
  expect(await run({ settings: cut })).toEqual({ code: 1, out: [], err: [said] });
  expect((await retainedOn(system.broker.url)).size).toBeGreaterThan(0);
  expect((await run(system)).code).toBe(0);
  expect((await retainedOn(system.broker.url)).size).toBe(0);
});
