import { expect, test } from 'vitest';
import { openLivePage } from '../../support/browser/livePage.ts';
import { somePrices } from '../../support/schedules/somePrices.ts';
import { terminalFor } from '../../support/schedules/writing.ts';

const WEEK = 'heating2mqtt/home/heating/dhw/schedule/set';
const ORDER = 'heating2mqtt/bridge/price_plan/set';

test('a person sees prices, own week and plan, sends it, and switches it to every day', async () => {
  const overrides = {
    prices: { topic: 'home/prices', unit: 'kWh', url: 'https://127.0.0.1/secret-token.json' },
    schedules: { time_zone: 'Asia/Kolkata' },
  } as const;
  const { page, system, axe, wrong, overflow } = await openLivePage(
    { hash: '#/schedules/home/heating.dhw.schedule', viewport: { width: 390, height: 900 }, timezoneId: 'America/New_York' },
    { overrides },
  );
  const { recorder } = system;
  const from = recorder.heard.length;
  await recorder.publish(WEEK, 'daily 05:00-22:00 normal');
  await terminalFor(recorder, WEEK, from, 'heating2mqtt/home/result');
  const card = page.locator('section.card', { hasText: 'By prices' });
  await card.getByText('No prices have arrived yet.').waitFor();
  await card.getByText(/^The address of the prices cannot be read since .*\d\d: the address is in a private network/).waitFor();
  await recorder.publish('home/prices', somePrices());
  await card.getByText(/96 prices, 60 min each, until .*:30, per kWh/).waitFor();
  await card.getByRole('img', { name: /Prices of a day/ }).waitFor();
  // All times are those of the home, wherever the browser is.
  expect(await card.locator('.values span').allTextContents()).toEqual(Array(5).fill(expect.stringMatching(/^\d\d:00$/u)));
  await card.getByText(/^Your week: .*05:00/).waitFor();
  await card.getByText(/Saves at most €\d+\.\d\d on that day/).waitFor();
  expect([await axe(), await overflow()]).toEqual([[], 0]);
  const send = card.getByRole('button', { name: 'Send this plan' });
  expect((await send.boundingBox())?.width).toBeLessThan(300);
  await send.press('Enter');
  await card.getByText(/This plan (?:runs now|is sent when it begins)/).waitFor();
  // The pressed button is gone: a keyboard goes on at the new one, and a screen reader says the result.
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('End it');
  await page.locator('.unseen[role=status]', { hasText: 'By prices: This plan' }).waitFor();
  const before = recorder.heard.length;
  await card.getByLabel('Send a plan every day').click();
  await terminalFor(recorder, ORDER, before, 'heating2mqtt/bridge/result');
  await expect.poll(() => card.getByLabel('Send a plan every day').isChecked()).toBe(true);
  expect(await wrong()).toEqual([]);
  if (process.env['SHOT'] !== undefined) await page.screenshot({ path: process.env['SHOT'], fullPage: true });
});
