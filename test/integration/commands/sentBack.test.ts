import { expect, onTestFinished, test } from 'vitest';
import { defaultHome, type HomeFeature } from '../../../src/simulator/home/home.ts';
import { write } from '../../support/schedules/writing.ts';
import { ALL, published } from '../../support/system/outcome.ts';
import { startTestSystem } from '../../support/system/testSystem.ts';

const LIST = Array.from({ length: 20_000 }, (_, index) => `entry ${index}`);
const LONG = 'x'.repeat(1_500_000);
const FEATURES: Readonly<Record<string, HomeFeature>> = {
  'long.list': {
    properties: { entries: { type: 'array', value: LIST } },
    commands: { setEntries: { params: { entries: { type: 'array', required: true, constraints: {} } } } },
  },
  'long.text': {
    properties: { value: { type: 'string', value: LONG } },
    commands: { setValue: { params: { value: { type: 'string', required: true, constraints: {} } } } },
  },
};
const home = {
  ...defaultHome,
  devices: {
    ...defaultHome.devices,
    '0': { ...defaultHome.devices['0'], features: { ...defaultHome.devices['0']?.features, ...FEATURES } },
  },
};

test('a value above mqtt.max_payload can be sent back as it is shown, and what is longer cannot', async () => {
  const system = await startTestSystem({ ...ALL, simulator: { home } });
  onTestFinished(() => system.close());
  await published(system);
  const list = JSON.stringify(LIST);
  for (const [topic, payload] of [
    ['heating2mqtt/home/long/list/entries/set', list],
    ['heating2mqtt/home/long/list/entries/set', `{"value":${list},"id":"back"}`],
    ['heating2mqtt/home/long/text/value/set', LONG],
  ] as const) {
    const { terminal, posts } = await write(system, topic, payload);
    expect([topic, terminal.status, posts]).toEqual([topic, 'unchanged', []]);
  }
  const { terminal } = await write(system, 'heating2mqtt/home/long/list/entries/set', `${list}${' '.repeat(2000)}`);
  expect(terminal).toMatchObject({ status: 'rejected', code: 'invalid', errors: [{ rule: 'size' }] });
  const other = await write(system, 'heating2mqtt/home/heating/circuits/0/heating/curve/slope/set', ' '.repeat(65_537));
  expect(other.terminal).toMatchObject({ status: 'rejected', errors: [{ rule: 'size', allowed: 65_536 }] });
});
