import { expect, test } from 'vitest';
import { openLivePage } from '../../support/browser/livePage.ts';
import { SCHEDULE, SCHEDULE_TOPIC } from '../../support/system/testSystem.ts';

test('a change by MQTT is shown on the page of its schedule and in the log, and is taken back there', async () => {
  const { page, system, wrong } = await openLivePage({ hash: `#/schedules/home/${SCHEDULE}` });
  const { recorder } = system;
  await page.getByText('Nothing has been changed yet.').waitFor();
  const before = recorder.last(`${SCHEDULE_TOPIC}/text`);
  await recorder.publish(`${SCHEDULE_TOPIC}/set`, '{"sun":[{"start":"10:00","end":"12:00","mode":"comfort","position":0}]}');
  const line = page.locator('.changes li').filter({ hasText: '10:00–12:00 Comfort' });
  await line.filter({ hasText: 'MQTT' }).filter({ hasText: 'Sunday' }).waitFor();
  await page.getByRole('link', { name: 'Log' }).click();
  await page.getByRole('heading', { name: 'Changes', exact: true }).waitFor();
  await line.getByText(`Floor home · ${SCHEDULE}`).waitFor();
  await line.getByRole('button', { name: /^Take back/ }).click();
  await expect.poll(() => recorder.last(`${SCHEDULE_TOPIC}/text`), { timeout: 10_000 }).toBe(before);
  await line.filter({ hasText: 'MQTT' }).filter({ hasText: 'The former value is already back.' }).waitFor();
  await line.filter({ hasText: 'this page' }).waitFor();
  expect(await page.locator('.changes li').count()).toBe(2);
  await recorder.publish(`${SCHEDULE_TOPIC}/set`, 'mon-fri 09:00-11:00 comfort');
  await page.getByText(/^Monday–Friday: .* → 09:00–11:00 Comfort$/).waitFor();
  expect(await wrong()).toEqual([]);
});
