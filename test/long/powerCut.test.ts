import { expect, test } from 'vitest';
import { terminalFor } from '../support/schedules/writing.ts';
import { callsIn, logOf, powerCut } from '../support/system/database.ts';
import { CANARY, CANARY_TOPIC } from '../support/system/outcome.ts';
import { processSystem } from '../support/system/processSystem.ts';

const CURVE = 'heating2mqtt/home/heating/circuits/0/heating/curve';

test('after a power cut no older value is shown over a newer one, all is read again, and the calls are not fewer than they were', async () => {
  const { simulator, recorder, dir, started, reads } = await processSystem();
  const first = await started();
  await recorder.untilTopic(CANARY_TOPIC);
  expect(await first.end('SIGTERM')).toBe(0);

  const second = await started({ settings: { poll: { seconds: 1, jitter: 0, gone_after_h: 24 } } });
  const durableLog = logOf(dir);
  for (const value of [31.5, 32.5]) {
    simulator.control({ command: 'set', feature: CANARY, property: 'value', value });
    await recorder.untilTopic(CANARY_TOPIC, String(value));
  }
  await second.end('SIGKILL');
  powerCut(dir, durableLog);
  const [from, before] = [recorder.heard.length, reads()];

  await started();
  await recorder.untilTopic(CANARY_TOPIC, '32.5', from);
  const shown = recorder.heard.slice(from).filter(({ topic }) => topic === CANARY_TOPIC);
  expect(shown.map(({ payload }) => payload)).not.toContain('31.5');
  expect(new Set(shown.flatMap(({ payload, retain }) => (retain ? [] : [payload])))).toEqual(new Set(['32.5']));
  expect(reads()).toBe(before + 1);
  expect(callsIn(dir)).toBeGreaterThanOrEqual(10);
});

test('after a power cut a part of a write that was accepted before is not written back', async () => {
  const { simulator, recorder, dir, settings, started, posts } = await processSystem();
  const confirming = (confirm_s: number[]) => ({ settings: { commands: { ...settings.commands, confirm_s } } });
  const first = await started(confirming([0.5, 1, 2]));
  simulator.control({ command: 'lag', ms: 3000 });
  const from = recorder.heard.length;
  await recorder.publish(`${CURVE}/slope/set`, '2.1');
  await recorder.until(({ topic, payload }) => topic === 'heating2mqtt/home/result' && payload.includes('"accepted"'), from);
  await first.end('SIGKILL');
  powerCut(dir);

  await started(confirming([1, 2, 4, 6]));
  const again = recorder.heard.length;
  await recorder.publish(`${CURVE}/shift/set`, '3');
  expect(await terminalFor(recorder, `${CURVE}/shift/set`, again)).toMatchObject({ status: 'applied' });
  expect(JSON.parse(posts().at(-1)?.body ?? '')).toEqual({ slope: 2.1, shift: 3 });
});
