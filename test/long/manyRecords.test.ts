import { expect, test } from 'vitest';
import { CANARY, CANARY_TOPIC } from '../support/system/outcome.ts';
import { processSystem } from '../support/system/processSystem.ts';

const value = (feature: string, of: number): string =>
  JSON.stringify({ feature, gatewayId: '1', deviceId: '0', properties: { value: { type: 'number', value: of } } });

/** Long enough for a machine that does much else, and far less than what these answers took when their parts were compared with each other. */
const ANSWER_MS = 8000;

test.each<[what: string, count: number, make: (index: number) => string]>([
  ['new features', 60_000, (index) => value(`h.${index}`, 1)],
  ['one feature again and again', 19_000, (index) => value('h.a', index)],
  ['nothing', 200_000, () => 'null'],
  ['nothing', 2_600_000, () => '{}'],
])('an answer with %s, %i records, keeps nobody waiting, and the next one is read', { timeout: 90_000 }, async (_, count, make) => {
  const { simulator, recorder, started } = await processSystem({ overrides: { platform: { timeout_s: 30 }, poll: { seconds: 1 } } });
  const bridge = await started();
  const body = `{"data":[${Array.from({ length: count }, (__, index) => make(index)).join(',')}]}`;
  simulator.control({ command: 'fault', match: { path: '/features' }, times: 1, body });
  simulator.control({ command: 'set', feature: CANARY, property: 'value', value: 33.25 });
  let shown = false;
  void recorder.untilTopic(CANARY_TOPIC, '33.25').then(() => {
    shown = true;
  });
  for (let asked = 0; !shown || asked < 5; asked += 1) {
    const from = recorder.heard.length;
    await recorder.publish('heating2mqtt/nobody/x/set', `{"value":1,"id":"ask ${asked}"}`);
    await recorder.until(
      ({ topic, payload }) => topic === 'heating2mqtt/bridge/result' && payload.includes(`"ask ${asked}"`),
      from,
      ANSWER_MS,
    );
  }
  // Each question of this test is a line too.
  const lines = bridge.log().split('\n');
  expect(lines.filter((line) => !line.includes('"device":"nobody"')).join('\n').length).toBeLessThan(200_000);
});
