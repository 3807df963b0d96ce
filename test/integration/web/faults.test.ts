import { expect, test } from 'vitest';
import { startWebSystem } from '../../support/web/webSystem.ts';

test('the page gets what the devices have told of faults', async () => {
  const { system, client } = await startWebSystem({
    device: { features: ['*'] },
    overrides: { poll: { seconds: 1 } },
  });
  await system.recorder.untilTopic('heating2mqtt/home/faults', '{"active":[]}');
  system.simulator.control({ command: 'raise', code: 'F.74', device: '0' });
  await system.recorder.until(({ topic, payload }) => topic.endsWith('home/fault') && payload.includes('began'));
  const { faults } = (await client.get('/api/faults')).json();
  expect(faults).toMatchObject([{ device: 'home', tells: true, faults: [{ code: 'F.74', kind: 'fault' }] }]);
});
