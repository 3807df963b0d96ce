import { expect, test } from 'vitest';
import { openLivePage, saveWeek, typeWeek } from '../../support/browser/livePage.ts';
import { SCHEDULE, SCHEDULE_TOPIC } from '../../support/system/testSystem.ts';

const PLACE = { hash: `#/schedules/home/${SCHEDULE}`, viewport: { width: 390, height: 900 } };

test('an earlier version is compared, written again and named, and a shared week is taken as the nearest that fits', async () => {
  const { page, system, axe, wrong, overflow } = await openLivePage(PLACE);
  const { recorder } = system;
  const before = recorder.last(`${SCHEDULE_TOPIC}/text`);
  await typeWeek(page, 'daily 05:30-09:00 normal');
  await saveWeek(page);
  const versions = page.getByRole('region', { name: 'Versions' });
  await versions.getByText('Before that').click();
  await versions.locator('.week-picture').waitFor();
  // The words of the picture are not scaled with it.
  const word = versions.locator('.week-picture').getByText('Then', { exact: true }).first();
  expect((await word.boundingBox())?.height).toBeGreaterThanOrEqual(12);
  expect((await versions.innerText()).match(/Mon–Fri: without 05:30–09:00/g)).toHaveLength(1);
  expect([await axe(), await overflow()]).toEqual([[], 0]);
  await versions.getByRole('button', { name: 'Draw this week' }).click();
  await saveWeek(page);
  await expect.poll(() => recorder.last(`${SCHEDULE_TOPIC}/text`), { timeout: 10_000 }).toBe(before);

  await page.getByText('Share this week').click();
  await page.getByRole('img', { name: 'The same line as a QR code' }).waitFor();
  expect(await page.getByLabel('The week as one line of text').inputValue()).toBe(before);

  await page.getByText('Use a shared week').click();
  const taking = page.getByLabel('A week as text');
  await taking.fill(`${before}, ${before}`);
  const cut = () => taking.evaluate((field) => field.scrollHeight - field.clientHeight);
  expect(await cut()).toBe(0);
  // As in browsers without `field-sizing`: Firefox, and Safari before 26.
  await taking.evaluate((field) => field.style.setProperty('field-sizing', 'fixed'));
  expect(await cut()).toBe(0);
  await taking.fill('daily 06:04-21:56 on');
  await page.getByLabel('Instead of On').selectOption('comfort');
  await page.getByText('The nearest week that it takes:').waitFor();
  expect([await axe(), await overflow()]).toEqual([[], 0]);
  const taken = page.getByRole('group').filter({ hasText: 'Use a shared week' });
  await taken.getByRole('button', { name: 'Draw this week' }).click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.locator('dialog input[value=for]').check();
  await page.getByRole('button', { name: 'Save now', exact: true }).click();
  await expect.poll(() => recorder.last(`${SCHEDULE_TOPIC}/text`), { timeout: 10_000 }).toBe('mon-sun 06:00-22:00 comfort');
  expect(recorder.last(`${SCHEDULE_TOPIC}/until`)).toMatch(/^\d{4}-/);
  await page.getByRole('button', { name: 'Profiles' }).click();
  await page.getByLabel('Save this week as a profile').fill('Gäste da');
  const saved = page.waitForRequest('**/api/settings');
  await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
  expect((await saved).postDataJSON()).toEqual({ changes: { 'schedules.profiles.gaeste-da': 'mon-sun 06:00-22:00 comfort' } });
  expect(await wrong()).toEqual([]);
});
