import { rmSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { startEmbeddedBroker } from '../../../src/mqtt/embeddedBroker.ts';
import { startSimulator } from '../../../src/simulator/simulator.ts';
import { listen } from '../../support/network/mqttRecorder.ts';
import { terminalFor } from '../../support/schedules/writing.ts';
import { callsIn, loseLog } from '../../support/system/database.ts';
import { startProcess } from '../../support/system/process.ts';
import { stillHome, storeTokens, tempDir, testSettings } from '../../support/system/testSystem.ts';

const OUTSIDE = 'heating.sensors.temperature.outside';
const VALUE = 'heating2mqtt/home/heating/sensors/temperature/outside/value';
const CURVE = 'heating2mqtt/home/heating/circuits/0/heating/curve';

const setUp = async () => {
  const broker = await startEmbeddedBroker(0);
  onTestFinished(() => broker.close());
  const simulator = await startSimulator({ home: stillHome });
  onTestFinished(() => simulator.close());
  const dir = tempDir();
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  await storeTokens(dir, simulator);
  const recorder = await listen(broker.url);
  onTestFinished(() => recorder.close());
  const start = async (seconds: number, confirm_s: readonly number[] = [0.5, 1, 2]) => {
    const from = recorder.heard.length;
    const settings = testSettings(
      simulator,
      broker.url,
      dir,
      { features: ['*'] },
      { poll: { seconds }, commands: { confirm_s: [...confirm_s] } },
    );
    const bridge = startProcess(settings);
    onTestFinished(() => void bridge.end('SIGKILL'));
    await recorder.until(({ topic, retain }) => topic === 'heating2mqtt/bridge/health' && !retain, from);
    return bridge;
  };
  const reads = () => simulator.calls().filter(({ method, path }) => method === 'GET' && path.includes('/features')).length;
  return { simulator, recorder, dir, start, reads };
};

test('after a power cut no older value is shown over a newer one, all is read again, and the calls are not fewer than they were', async () => {
  const { simulator, recorder, dir, start, reads } = await setUp();
  const first = await start(3600);
  await recorder.untilTopic(VALUE);
  expect(await first.end('SIGTERM')).toBe(0);

  const second = await start(1);
  for (const value of [31.5, 32.5]) {
    simulator.control({ command: 'set', feature: OUTSIDE, property: 'value', value });
    await recorder.untilTopic(VALUE, String(value));
  }
  await second.end('SIGKILL');
  loseLog(dir);
  const [from, before] = [recorder.heard.length, reads()];

  await start(3600);
  await recorder.untilTopic(VALUE, '32.5', from);
  expect(recorder.heard.slice(from).flatMap(({ topic, payload }) => (topic === VALUE ? [payload] : []))).not.toContain('31.5');
  expect(
    new Set(recorder.heard.slice(from).flatMap(({ topic, payload, retain }) => (topic === VALUE && !retain ? [payload] : []))),
  ).toEqual(new Set(['32.5']));
  expect(reads()).toBe(before + 1);
  expect(callsIn(dir)).toBeGreaterThanOrEqual(10);
});

test('after a power cut a part of a write that was accepted before is not written back', async () => {
  const { simulator, recorder, dir, start } = await setUp();
  const first = await start(3600);
  simulator.control({ command: 'lag', ms: 3000 });
  const from = recorder.heard.length;
  await recorder.publish(`${CURVE}/slope/set`, '2.1');
  await recorder.until(({ topic, payload }) => topic === 'heating2mqtt/home/result' && payload.includes('"accepted"'), from);
  await first.end('SIGKILL');
  loseLog(dir);

  await start(3600, [1, 2, 4, 6]);
  const again = recorder.heard.length;
  await recorder.publish(`${CURVE}/shift/set`, '3');
  expect(await terminalFor(recorder, `${CURVE}/shift/set`, again)).toMatchObject({ status: 'applied' });
  const bodies = simulator.calls().flatMap(({ method, path, body }) => (method === 'POST' && path.includes('/features') ? [body] : []));
  expect(bodies.map((body) => (typeof body === 'string' ? JSON.parse(body) : body)).at(-1)).toEqual({ slope: 2.1, shift: 3 });
});
