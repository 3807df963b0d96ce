import { expect, test } from 'vitest';
import { started } from '../../support/schedules/writing.ts';
import { emptied, STATE } from '../../support/system/database.ts';
import { FEW, published } from '../../support/system/outcome.ts';
import type { BridgeSystem } from '../../support/system/testSystem.ts';

const QUOTA = 'heating2mqtt/bridge/quota';
const OF_THE_PLATFORM = { per_10_minutes: 120, per_day: 1450, reserve_for_commands: 50 };

const quotaAfter = async ({ recorder }: BridgeSystem, from: number): Promise<Record<string, unknown>> =>
  JSON.parse((await recorder.until(({ topic, retain, payload }) => topic === QUOTA && !retain && payload !== '', from)).payload);

test('restarts forget no call, and a crash loop does not spend the day', async () => {
  const system = await started({ ...FEW, overrides: { platform: { quota: OF_THE_PLATFORM } } });
  for (let restart = 1; restart <= 3; restart += 1) {
    const from = system.recorder.heard.length;
    await system.stopApp();
    // What was read lately is remembered and not read again at once; without that each restart makes its first round.
    emptied(system.settings.data_dir, ...STATE);
    await system.restart();
    const { used, left } = await quotaAfter(system, from);
    const calls = system.reads();
    expect({ used, left }).toEqual({
      used: { per_10_minutes: calls, per_day: calls },
      left: { per_10_minutes: 120 - calls, per_day: 1450 - calls },
    });
  }
});

test('a pause after 429 is kept over a restart: no call goes out', async () => {
  const system = await started({
    ...FEW,
    prepare: (simulator) =>
      void simulator.control({ command: 'fault', kind: 'rate_limited', times: 1, match: { path: '/features' }, limitReset: 7_200_000 }),
  });
  const calls = system.reads();
  expect(calls).toBe(1);
  const from = system.recorder.heard.length;
  await system.restart();
  await published(system, from);
  const report = JSON.parse(system.recorder.heard.findLast(({ topic, payload }) => topic === QUOTA && payload !== '')?.payload ?? '{}');
  expect(report).toMatchObject({ left: { per_day: 0 }, reason: expect.stringContaining('reset_at') });
  expect(Date.parse(report.reset_at)).toBeGreaterThan(system.time.now() + 7_100_000);
  expect(system.reads()).toBe(calls);
});
