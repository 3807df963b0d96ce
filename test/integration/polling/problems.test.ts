import { describe, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS, type WiredSystem, wiredSystem } from '../../support/system/virtualSystem.ts';

const DEVICE = 'heating2mqtt/home/problems';
const BRIDGE = 'heating2mqtt/bridge/problems';
const FEATURES = { path: '/features' };

const at = (system: WiredSystem, topic: string): unknown => JSON.parse(system.retained.get(topic) ?? 'null');
const published = (system: WiredSystem, topic: string): readonly string[] =>
  system.messages.filter((message) => message.topic === topic).map(({ payload }) => payload);

const started = async (): Promise<WiredSystem> => {
  const system = await wiredSystem({ poll: { jitter: 0, seconds: 3600 } });
  await system.start();
  await system.time.pass(HOUR_MS);
  return system;
};

describe('the problems of a bridge and its device', () => {
  test('are none while all is well, and are published once', async () => {
    const system = await started();
    await system.time.pass(3 * HOUR_MS);
    expect(published(system, DEVICE)).toEqual(['{}']);
    expect(published(system, BRIDGE)).toEqual(['{}']);
  });

  test('are a gateway that was offline for a day, over restarts, until something is read again', async () => {
    const system = await started();
    system.simulator.control({ command: 'fault', kind: 'gateway_offline', times: 100_000, match: FEATURES });
    await system.time.pass(12 * HOUR_MS);
    expect(system.retained.get('heating2mqtt/home/availability')).toBe('offline');
    await system.stop();
    await system.time.pass(6 * HOUR_MS);
    await system.start();
    await system.time.pass(5 * HOUR_MS);
    expect(at(system, DEVICE)).toEqual({});
    system.forget();
    await system.time.pass(3 * HOUR_MS);
    const problem = { message: expect.stringContaining('the platform says that the gateway'), since: expect.any(String) };
    expect(at(system, DEVICE)).toEqual({ connection: problem });
    expect(published(system, DEVICE)).toHaveLength(1);
    // It is there again after a start, and does not change while nothing changes.
    await system.stop();
    system.forget();
    await system.start();
    await system.time.pass(10 * HOUR_MS);
    expect(at(system, DEVICE)).toEqual({ connection: problem });
    expect(new Set(published(system, DEVICE)).size).toBeLessThanOrEqual(2);
    system.simulator.control({ command: 'clear' });
    await system.time.pass(2 * HOUR_MS);
    expect(at(system, DEVICE)).toEqual({});
    expect(system.retained.get('heating2mqtt/home/availability')).toBe('online');
  });

  test('are an allowance that another program used up, while the platform refuses calls', async () => {
    const system = await started();
    const limitReset = system.time.now() + 5 * HOUR_MS;
    const body = {
      errorType: 'RATE_LIMIT_EXCEEDED',
      statusCode: 429,
      message: 'limit',
      extendedPayload: { name: 'ViCare day limit', limitReset },
    };
    system.simulator.control({ command: 'fault', status: 429, body, times: 1, match: FEATURES });
    await system.time.pass(61 * MINUTE_MS);
    expect(at(system, BRIDGE)).toEqual({
      calls: { message: expect.stringMatching(/^Another program has used \d+ of the 1450/), until: expect.any(String) },
    });
    system.forget();
    await system.time.pass(3 * HOUR_MS);
    expect(published(system, BRIDGE)).toEqual([]);
    await system.time.pass(DAY_MS);
    expect(at(system, BRIDGE)).toEqual({});
  });
});
