import { expect, test } from 'vitest';
import { startWebSystem } from '../../support/web/webSystem.ts';

test('the page gets the days of a device, the open one and the prices', async () => {
  const { system, client } = await startWebSystem({
    device: { features: ['*'] },
    overrides: { poll: { seconds: 1 }, energy: { price: 0.3 } },
  });
  await system.recorder.untilTopic('heating2mqtt/home/availability', 'online');
  const answer = await client.get('/api/performance?device=home');
  expect(answer.json()).toMatchObject({ rows: [], open: { power: { total: 0 }, starts: 0, by: 'compressors' }, prices: { price: 0.3 } });
  expect((await client.get('/api/performance?device=nobody')).json()).toEqual({ rows: [], prices: { price: 0.3 } });
  expect((await client.get('/api/performance')).status).toBe(400);
});
