import { describe, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS, mostWithin, SECOND_MS, type WiredSystem, wiredSystem } from '../../support/system/virtualSystem.ts';

const FEATURES = { path: '/features' };

/** A fifth of what the platform allows, so that the bridge reads every five minutes by itself and a day is soon over. */
const ALLOWANCE = { per_10_minutes: 120, per_day: 290, reserve_for_commands: 10 };
const READS_AN_HOUR = 10;

/** Lives on until a call was refused with 429, and gives its moment. */
const untilRefused = async (system: WiredSystem): Promise<number> => {
  const fromMs = system.time.elapsedMs();
  for (let waited = 0; waited < 15; waited += 1) {
    await system.time.pass(MINUTE_MS);
    const refused = system.calls(fromMs).find(({ status }) => status === 429);
    if (refused) return refused.atMs;
  }
  throw new Error('no call was refused');
};

const started = async (): Promise<WiredSystem> => {
  const system = await wiredSystem({ allowance: ALLOWANCE });
  await system.start();
  await system.time.pass(HOUR_MS);
  return system;
};

const reads = (system: WiredSystem, fromMs: number): number => system.calls(fromMs).filter(({ status }) => status === 200).length;

const rateLimited = (extendedPayload: object, headers: object = {}) => ({
  command: 'fault',
  status: 429,
  body: { errorType: 'RATE_LIMIT_EXCEEDED', statusCode: 429, message: 'API calls rate limit has been exceeded.', extendedPayload },
  headers,
  match: FEATURES,
});

test.each(['rate_limited', 'rate_limited_10_minutes'])(
  'one 429 (%s) whose limit ends in half an hour: nothing goes until then, then reading goes on in its pace',
  async (kind) => {
    const system = await started();
    system.simulator.control({ command: 'fault', kind, times: 1, limitReset: 30 * MINUTE_MS, match: FEATURES });
    const endsMs = system.time.elapsedMs() + 30 * MINUTE_MS;
    const refusedMs = await untilRefused(system);
    await system.time.pass(endsMs - 2 * SECOND_MS - system.time.elapsedMs());
    expect(system.calls(refusedMs + 1)).toEqual([]);
    await system.time.pass(2.5 * MINUTE_MS);
    const fromMs = system.time.elapsedMs();
    await system.time.pass(HOUR_MS);
    expect(reads(system, fromMs)).toBeGreaterThanOrEqual(READS_AN_HOUR);
  },
);

describe('a 429 whose instant makes no sense beside our clock', () => {
  test.each([-DAY_MS, 5 * HOUR_MS, -3650 * DAY_MS])(
    'as the answer bears a wrong Date (%i ms): reading goes on when the limit ends',
    async (offMs) => {
      const system = await started();
      const date = new Date(system.time.now() + offMs).toUTCString();
      const limitReset = system.time.now() + 30 * MINUTE_MS;
      system.simulator.control({ ...rateLimited({ name: 'ViCare day limit', limitReset }, { date }), times: 1 });
      await untilRefused(system);
      const fromMs = system.time.elapsedMs();
      await system.time.pass(35 * MINUTE_MS);
      expect(reads(system, fromMs)).toBeGreaterThan(0);
      await system.time.pass(HOUR_MS);
      expect(reads(system, fromMs)).toBeGreaterThanOrEqual(READS_AN_HOUR);
    },
  );

  test.each([-5 * HOUR_MS, DAY_MS, -365 * DAY_MS])(
    'as our clock is wrong (%i ms): reading goes on when the limit ends, also after a restart',
    async (offMs) => {
      const system = await started();
      const limitReset = system.time.now() + 30 * MINUTE_MS;
      system.time.setWall(offMs);
      // The platform keeps the right time.
      system.simulator.control({ ...rateLimited({ name: 'ViCare day limit', limitReset }), times: 1 });
      await untilRefused(system);
      await system.stop();
      system.time.setWall(-offMs);
      await system.start();
      const fromMs = system.time.elapsedMs();
      await system.time.pass(35 * MINUTE_MS);
      expect(reads(system, fromMs)).toBeGreaterThan(0);
    },
  );
});

describe('a limit that lasts for hours, whatever is said of its end', () => {
  test.each<[what: string, payload: (now: number) => object]>([
    ['nothing', () => ({})],
    ['that it is over', (now) => ({ name: 'ViCare day limit', limitReset: now - 1000 })],
    ['the end in seconds', (now) => ({ name: 'ViCare day limit', limitReset: Math.round(now / 1000) + 12 * 3600 })],
    ['that it ends at the end of time', () => ({ name: 'ViCare day limit', limitReset: 8.64e15 })],
    ['that it ends in a moment', (now) => ({ limitReset: now + 5 * SECOND_MS })],
    ['a text', () => ({ limitReset: 'soon', name: 7 })],
  ])('%s: it is asked seldom, told once, and reading goes on within an hour', async (_, payload) => {
    const system = await started();
    system.simulator.control(rateLimited(payload(system.time.now())));
    const refusedMs = await untilRefused(system);
    await system.time.pass(6 * HOUR_MS);
    const refused = system.calls(refusedMs).map(({ atMs }) => atMs);
    expect(refused.length).toBeLessThan(15);
    expect(mostWithin(refused, MINUTE_MS)).toBe(1);
    expect(mostWithin(refused.slice(8), HOUR_MS)).toBeLessThanOrEqual(2);
    expect(system.logged.filter(({ level }) => level === 'warn').map(({ sentence }) => sentence)).toEqual([expect.stringContaining('429')]);
    system.simulator.control({ command: 'clear' });
    const fromMs = system.time.elapsedMs();
    await system.time.pass(62 * MINUTE_MS);
    expect(reads(system, fromMs)).toBeGreaterThan(0);
    const onMs = system.time.elapsedMs();
    await system.time.pass(HOUR_MS);
    expect(reads(system, onMs)).toBeGreaterThanOrEqual(READS_AN_HOUR);
    expect(system.messages.findLast(({ topic }) => topic === 'heating2mqtt/home/availability')?.payload).toBe('online');
  });
});
