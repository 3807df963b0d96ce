import { expect, test } from 'vitest';
import { openLivePage } from '../../support/browser/livePage.ts';

const SCHEDULE = 'heating.circuits.0.heating.schedule';

test('what Viessmann refuses to the account stands below the cards, and where it would be pressed', async () => {
  const { page, system, axe, wrong } = await openLivePage(
    { viewport: { width: 1100, height: 900 } },
    { prepare: (simulator) => void simulator.control({ command: 'fault', kind: 'not_paid', match: { method: 'POST' } }) },
  );
  await page.locator('.card').first().waitFor();
  const note = page.getByText('Viessmann refuses some changes here to your account (402)');
  expect(await note.count()).toBe(0);
  await system.recorder.publish(`heating2mqtt/home/${SCHEDULE.replaceAll('.', '/')}/set`, 'mon 06:00-21:00 normal');
  await page.getByText('Viessmann refuses one thing to this account').click();
  await page.getByText(`(home, ${SCHEDULE} setSchedule)`).waitFor();
  // On the card of its circuit, and on no other.
  expect(await note.count()).toBe(1);
  expect(await axe()).toEqual([]);
  await page.goto(`${page.url().replace(/#.*/, '')}#/schedules/home/${SCHEDULE}`);
  await note.waitFor();
  // Where a value is set, too.
  await system.recorder.publish('heating2mqtt/home/heating/dhw/temperature/main/set', '51');
  await page.goto(`${page.url().replace(/#.*/, '')}#/values`);
  await page.locator('summary', { hasText: 'heating.dhw.temperature.main.value' }).click();
  await note.waitFor();
  expect(await wrong()).toEqual([]);
});

test('where Viessmann refuses everything to a new account, each page without data says that this is the reason', async () => {
  const { page, system, wrong } = await openLivePage(
    {},
    { prepare: (simulator) => void simulator.control({ command: 'fault', kind: 'not_paid', match: { path: '/(?:features|events)' } }) },
  );
  await system.recorder.until(({ topic, payload }) => topic === 'heating2mqtt/bridge/problems' && payload.includes('plan'));
  for (const name of ['performance', 'values', 'chart']) {
    await page.goto(`${page.url().replace(/#.*/, '')}#/${name}`);
    await page.locator('main .quiet', { hasText: 'Nothing is wrong with your heating or your settings.' }).first().waitFor();
  }
  expect(await wrong()).toEqual([]);
});
