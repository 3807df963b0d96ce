import { expect, test } from 'vitest';
import { COUNTING, energyWeek, totalTopic } from '../support/system/energyWeek.ts';

test('a week of amounts is what the records say, over midnights, New Year, restarts, a wrong clock and a day without the platform', async () => {
  const { messages, steps } = await energyWeek();
  for (const { what, used, shown } of steps)
    for (const feature of COUNTING) expect(shown[feature], `${what}: ${feature}`).toBeCloseTo(used[feature] ?? Number.NaN, 4);
  const all = steps.at(-1)?.used ?? {};
  // The house was heated: nothing was compared with nothing.
  for (const feature of COUNTING) expect(all[feature], feature).toBeGreaterThan(1);
  const away = steps.find(({ what }) => what === 'the platform is away');
  const back = steps.find(({ what }) => what === 'the platform is back');
  expect(back?.used['heating.power.consumption.total']).toBeGreaterThan((away?.used['heating.power.consumption.total'] ?? 0) + 1);
  for (const feature of COUNTING) {
    const totals = messages.filter(({ topic }) => topic === totalTopic(feature)).map(({ payload }) => Number(payload));
    expect(totals).toEqual(totals.toSorted((a, b) => a - b));
    // Only where something was used, or a start showed it again.
    expect(totals.length).toBeLessThan(7 * 24);
  }
}, 120_000);
