import { expect, test } from 'vitest';
import { DEVICE_RESULT, started, terminalFor } from '../../support/schedules/writing.ts';
import { putSent, writesIn } from '../../support/system/database.ts';

const CURVE = 'heating.circuits.0.heating.curve';
const CALL = 'heating2mqtt/home/heating/circuits/0/heating/curve/call/setCurve';

const CASES = [
  { what: 'what the platform shows is applied', shown: { slope: 1.1, shift: 3 }, status: 'applied', code: undefined },
  { what: 'what it does not show is unconfirmed', shown: { slope: 1.5, shift: 3 }, status: 'unconfirmed', code: 'interrupted' },
];

test.each(CASES)('a write that an earlier run left without an answer is never sent again: $what', async ({ shown, status, code }) => {
  const system = await started();
  await system.stopApp();
  for (const [property, value] of Object.entries(shown)) system.simulator.control({ command: 'set', feature: CURVE, property, value });
  const write = { command: 'setCurve', topic: CALL, id: 7, values: { slope: 1.1, shift: 3 } };
  putSent(system.settings.data_dir, 4, `${system.simulator.gateway}/0`, CURVE, write);
  const from = system.recorder.heard.length;
  await system.restart();
  const said = await terminalFor(system.recorder, CALL, from);
  expect(said).toMatchObject({ id: 7, device: 'home', feature: CURVE, command: 'setCurve', status });
  expect(said.code).toBe(code);
  await system.stopApp();
  expect(system.posts()).toEqual([]);
  // It has its answer: another start gives none.
  const again = system.recorder.heard.length;
  await system.restart();
  await system.recorder.until(({ topic }) => topic === 'heating2mqtt/bridge/health', again);
  expect(system.recorder.heard.slice(again).filter(({ topic }) => topic === 'heating2mqtt/home/result')).toEqual([]);
});

test('killed while the platform has the command: answered after the next start, and sent once', async () => {
  const system = await started();
  const { simulator, recorder, settings } = system;
  simulator.control({ command: 'fault', kind: 'hang', execute: true, times: 1 });
  await recorder.publish(CALL, '{"value":{"slope":1.1,"shift":3},"id":"mine"}');
  await system.untilSo(() => system.posts().length > 0);
  system.kill();
  expect(writesIn(settings.data_dir)).toMatchObject([{ id: 'mine', values: { slope: 1.1, shift: 3 } }]);
  const from = recorder.heard.length;
  await system.restart();
  expect(await terminalFor(recorder, CALL, from, DEVICE_RESULT)).toMatchObject({ id: 'mine', status: 'applied' });
  expect(system.posts()).toHaveLength(1);
});
