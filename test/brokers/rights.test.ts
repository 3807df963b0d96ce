import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Clock, systemClock } from '../../src/shared/clock.ts';
import { emptyFolder } from '../support/cli/inProcess.ts';
import { startMosquitto } from '../support/network/mosquitto.ts';
import { checked } from '../support/system/checked.ts';
import { ALL, published } from '../support/system/outcome.ts';
import { startTestSystem, type TestSystem } from '../support/system/testSystem.ts';

/** An ACL file: everybody may do everything, the user of the bridge what these lines say. */
const acl = (rights: readonly string[]): string =>
  ['topic readwrite #', 'user bridge', ...rights.map((right) => `topic ${right}`), ''].join('\n');

const ALL_RIGHTS = ['readwrite heating2mqtt/#', 'readwrite homeassistant/#'];

/** A clock for which a minute between two looks has two seconds. */
const HASTY: Clock = { ...systemClock, sleep: (ms, signal) => systemClock.sleep(ms === 60_000 ? 2000 : ms, signal) };

/** A Mosquitto where the bridge has these rights, and a bridge there. */
const setUp = async (rights: readonly string[], version: '5' | '3.1.1') => {
  const file = join(emptyFolder(), 'acl');
  writeFileSync(file, acl(rights), { mode: 0o600 });
  const broker = await startMosquitto({ config: [`acl_file ${file}`] });
  onTestFinished(() => broker.stop());
  const overrides = { mqtt: { username: 'bridge', version } };
  const system = await startTestSystem({ ...ALL, brokerUrl: broker.url, overrides, clock: HASTY });
  onTestFinished(() => system.close());
  await published(system);
  const give = async (more: readonly string[]): Promise<void> => {
    writeFileSync(file, acl(more), { mode: 0o600 });
    await broker.kill('SIGHUP');
  };
  return { system, give };
};

const told = ({ logged }: TestSystem) => logged.filter(({ level }) => level === 'warn').map(({ sentence }) => sentence);
const problems = ({ recorder }: TestSystem): object => JSON.parse(recorder.last('heating2mqtt/bridge/problems') ?? '{}');

describe.each(['5', '3.1.1'] as const)('at Mosquitto with MQTT %s', (version) => {
  test('a user that may not read: log, problems and `check` say so; when the right is given, without a new connection, all is well', async () => {
    const { system, give } = await setUp(['write heating2mqtt/#', 'write homeassistant/#'], version);
    await expect.poll(() => told(system), { timeout: 20_000 }).toEqual([expect.stringContaining('the right to read and write there')]);
    await expect.poll(() => problems(system)).toEqual({ broker: { message: expect.stringContaining('topic readwrite') } });
    const { code, failed } = await checked(system.settings);
    expect([code, failed]).toEqual([
      1,
      expect.stringMatching(
        /^FAIL broker: mqtt:\S+: messages that this user publishes .* do not come back .* topic readwrite heating2mqtt\/#\)\nFAIL broker: .* topic readwrite homeassistant\/#\)\nFAIL running bridge: the broker sends it no messages/,
      ),
    ]);
    expect(await checked(system.settings, true)).toMatchObject({ code: 0, failed: '' });
    await give(ALL_RIGHTS);
    await expect.poll(() => problems(system), { timeout: 20_000 }).toEqual({});
    expect((await checked(system.settings)).failed).toBe('');
  }, 60_000);

  test('a user that may read all but commands is found by `check`', async () => {
    const { system } = await setUp(['write heating2mqtt/#', 'read heating2mqtt/bridge/+', 'readwrite homeassistant/#'], version);
    expect((await checked(system.settings)).failed).toContain(
      'messages that this user publishes on heating2mqtt/bridge/check/set do not come back to it',
    );
  });

  test('a user with all rights lacks nothing', async () => {
    const { system } = await setUp(ALL_RIGHTS, version);
    expect((await checked(system.settings)).failed).toBe('');
    expect([told(system), problems(system)]).toEqual([[], {}]);
  });
});

test.each([
  ['5', /rejects messages of this user on homeassistant\/\S+: .*readwrite homeassistant\/#/],
  ['3.1.1', /messages that this user publishes on homeassistant\/\S+ do not come back to it: .*readwrite homeassistant\/#/],
] as const)('with MQTT %s documents that may not be written are found by `check`', async (version, sentence) => {
  const { system } = await setUp(['readwrite heating2mqtt/#', 'read homeassistant/#'], version);
  expect((await checked(system.settings)).failed).toMatch(sentence);
});
