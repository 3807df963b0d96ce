import { expect, test } from 'vitest';
import { defaultHome } from '../../../src/simulator/home/home.ts';
import { MINUTE_MS, wiredSystem } from '../../support/system/virtualSystem.ts';

const OUTSIDE = 'heating.sensors.temperature.outside';
const HOME = {
  name: 'home',
  installation: String(defaultHome.installation),
  gateway: defaultHome.gateway,
  device: '0',
  features: [OUTSIDE],
  exclude: [],
};
const TOPIC = 'heating2mqtt/home/heating/sensors/temperature/outside/value';

test('after a kill nothing older is shown over something newer, also where nothing can be read for an hour', async () => {
  const system = await wiredSystem({ devices: [HOME] });
  const show = async (value: number): Promise<void> => {
    system.simulator.control({ command: 'set', feature: OUTSIDE, property: 'value', value });
    await system.time.pass(6 * MINUTE_MS);
    expect(system.retained.get(TOPIC)).toBe(String(value));
  };
  await system.start();
  // What a clean end leaves in the database.
  await show(1.5);
  await system.stop();
  await system.start();
  // What waits in memory when the process is killed.
  await show(2.5);
  system.kill();
  system.forget();
  system.simulator.control({ command: 'fault', kind: 'html503' });
  await system.start();
  await system.time.pass(60 * MINUTE_MS);
  expect(system.messages.filter(({ topic }) => topic === TOPIC)).toEqual([]);
  expect(system.retained.get(TOPIC)).toBe('2.5');
  system.simulator.control({ command: 'clear' });
  await show(3.5);
  expect(system.messages.flatMap(({ topic, payload }) => (topic === TOPIC ? [payload] : []))).not.toContain('1.5');
});
