import { describe, expect, test } from 'vitest';
import { startWebSystem } from '../../support/web/webSystem.ts';

const WATER = 'heating2mqtt/home/heating/dhw/temperature/main/value';
const NOW = 'heating2mqtt/home/heating/circuits/0/heating/schedule/now';
const CHARGE = 'heating2mqtt/home/heating/dhw/oneTimeCharge/active';
const PUMP = 'heating2mqtt/home/heating/dhw/pumps/circulation/status';
const ALL = { device: { features: ['*'] } };
const at = (topic: string): string => `/api/history?topic=${encodeURIComponent(topic)}&days=1`;

describe('values over time', () => {
  test('a numeric topic has the values that it had, also after a restart, a schedule its modes, and what it switches on and off', async () => {
    const { system, client, web } = await startWebSystem(ALL);
    const { recorder } = system;
    await recorder.untilTopic(WATER);
    await recorder.untilTopic(NOW);
    const first = (await client.get(at(WATER))).json() as { points: readonly (readonly [number, number])[]; now: number; since: number };
    expect(first).toMatchObject({ topic: WATER, kept: 14, points: [[expect.any(Number), 50]] });
    expect(first.now - first.since).toBe(86_400_000);
    await recorder.publish(`${WATER}/set`, '53');
    await recorder.untilTopic(WATER, '53');
    const values = async (topic: string) => ((await client.get(at(topic))).json().points as [number, unknown][]).map(([, value]) => value);
    await expect.poll(() => values(WATER)).toContain(53);
    expect(await values(NOW)).toEqual([recorder.last(NOW)]);
    const states = [[0], [0]];
    expect(await Promise.all([PUMP, CHARGE].map(values))).toEqual(states);
    // Texts have no history.
    expect(await values('heating2mqtt/home/availability')).toEqual([]);
    await system.restart();
    web.attach(system.app.view);
    expect(await values(WATER)).toContain(53);
    expect(await Promise.all([PUMP, CHARGE].map(values))).toEqual(states);
    expect((await client.get('/api/history')).status).toBe(400);
    expect((await client.get(`${at(WATER)}x`)).status).toBe(400);
  });

  test('is no empty list while the bridge starts anew', async () => {
    const { client, web } = await startWebSystem(ALL);
    web.attach(undefined);
    expect([(await client.get(at(WATER))).status, (await client.get(at(WATER))).json().error]).toEqual([503, 'restarting']);
  });

  test('nothing is kept where it is switched off', async () => {
    const { system, client } = await startWebSystem({ ...ALL, overrides: { history: { days: 0 } } });
    await system.recorder.untilTopic(WATER);
    expect((await client.get(at(WATER))).json()).toMatchObject({ kept: 0, points: [] });
  });
});
