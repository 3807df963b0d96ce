import { rmSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { startEmbeddedBroker } from '../../../src/mqtt/embeddedBroker.ts';
import { startSimulator } from '../../../src/simulator/simulator.ts';
import { listen } from '../../support/network/mqttRecorder.ts';
import { DEVICE_RESULT, terminalFor } from '../../support/schedules/writing.ts';
import { journalIn, putJournal } from '../../support/system/database.ts';
import { ALL, published } from '../../support/system/outcome.ts';
import { startProcess } from '../../support/system/process.ts';
import { startTestSystem, stillHome, storeTokens, tempDir, testSettings } from '../../support/system/testSystem.ts';
import { untilSo } from '../../support/system/untilSo.ts';

const CURVE = 'heating.circuits.0.heating.curve';
const CALL = 'heating2mqtt/home/heating/circuits/0/heating/curve/call/setCurve';

const CASES = [
  { what: 'what the platform shows is applied', shown: { slope: 1.1, shift: 3 }, status: 'applied', code: undefined },
  { what: 'what it does not show is unconfirmed', shown: { slope: 1.5, shift: 3 }, status: 'unconfirmed', code: 'interrupted' },
];

test.each(CASES)('a write that an earlier run left without an answer is never sent again: $what', async ({ shown, status, code }) => {
  const system = await startTestSystem(ALL);
  onTestFinished(() => system.close());
  await published(system);
  await system.stopApp();
  for (const [property, value] of Object.entries(shown)) system.simulator.control({ command: 'set', feature: CURVE, property, value });
  const write = {
    ...{ device: `${system.simulator.gateway}/0`, name: 'home', feature: CURVE, command: 'setCurve', topic: CALL, id: 7 },
    values: { slope: 1.1, shift: 3 },
  };
  putJournal(system.settings.data_dir, 4, write);
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
  const broker = await startEmbeddedBroker(0);
  onTestFinished(() => broker.close());
  const simulator = await startSimulator({ home: stillHome });
  onTestFinished(() => simulator.close());
  const dir = tempDir();
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  await storeTokens(dir, simulator);
  const recorder = await listen(broker.url);
  onTestFinished(() => recorder.close());
  const settings = testSettings(simulator, broker.url, dir, { features: [CURVE] });
  const first = startProcess(settings);
  onTestFinished(() => void first.end('SIGKILL'));
  await recorder.until(({ topic }) => topic === 'heating2mqtt/bridge/health');
  simulator.control({ command: 'fault', kind: 'hang', execute: true, times: 1 });
  await recorder.publish(CALL, '{"value":{"slope":1.1,"shift":3},"id":"mine"}');
  const posts = () => simulator.calls().filter(({ method, path }) => method === 'POST' && path.includes('/features'));
  await untilSo(() => posts().length > 0);
  await first.end('SIGKILL');
  expect(journalIn(dir)).toMatchObject([{ id: 'mine', values: { slope: 1.1, shift: 3 } }]);
  const from = recorder.heard.length;
  const second = startProcess(settings);
  onTestFinished(() => void second.end('SIGKILL'));
  expect(await terminalFor(recorder, CALL, from, DEVICE_RESULT)).toMatchObject({ id: 'mine', status: 'applied' });
  expect(posts().length).toBe(1);
  expect(await second.end('SIGTERM')).toBe(0);
});
