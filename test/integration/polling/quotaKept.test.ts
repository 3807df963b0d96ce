import { expect, onTestFinished, test } from 'vitest';
import { emptied, STATE } from '../../support/system/database.ts';
import { ALL, published } from '../../support/system/outcome.ts';
import { startTestSystem, type TestSystem, type TestSystemOptions } from '../../support/system/testSystem.ts';

const QUOTA = 'heating2mqtt/bridge/quota';
const OF_THE_PLATFORM = { per_10_minutes: 120, per_day: 1450, reserve_for_commands: 50 };

const start = async (options: TestSystemOptions): Promise<TestSystem> => {
  const house = await startTestSystem(options);
  onTestFinished(() => house.close());
  await published(house);
  return house;
};

const quotaAfter = async ({ recorder }: TestSystem, from: number): Promise<Record<string, unknown>> =>
  JSON.parse((await recorder.until(({ topic, retain, payload }) => topic === QUOTA && !retain && payload !== '', from)).payload);

test('restarts forget no call, and a crash loop does not spend the day', async () => {
  const house = await start({ ...ALL, overrides: { platform: { quota: OF_THE_PLATFORM } } });
  for (let restart = 1; restart <= 3; restart += 1) {
    const from = house.recorder.heard.length;
    await house.stopApp();
    // What was read lately is remembered and not read again at once; without that each restart makes its first round.
    emptied(house.settings.data_dir, ...STATE);
    await house.restart();
    const { used, left } = await quotaAfter(house, from);
    const calls = house.reads();
    expect({ used, left }).toEqual({
      used: { per_10_minutes: calls, per_day: calls },
      left: { per_10_minutes: 120 - calls, per_day: 1450 - calls },
    });
  }
});

test('a pause after 429 is kept over a restart: no call goes out', async () => {
  const house = await start({
    ...ALL,
    prepare: (simulator) =>
      void simulator.control({ command: 'fault', kind: 'rate_limited', times: 1, match: { path: '/features' }, limitReset: 7_200_000 }),
  });
  const calls = house.reads();
  expect(calls).toBe(1);
  const from = house.recorder.heard.length;
  await house.restart();
  await published(house, from);
  const report = JSON.parse(house.recorder.heard.findLast(({ topic, payload }) => topic === QUOTA && payload !== '')?.payload ?? '{}');
  expect(report).toMatchObject({ left: { per_day: 0 }, reason: expect.stringContaining('reset_at') });
  expect(Date.parse(report.reset_at)).toBeGreaterThan(Date.now() + 7_100_000);
  expect(house.reads()).toBe(calls);
});
