import { expect, test } from 'vitest';
import { openLivePage } from '../../support/browser/livePage.ts';

test('the menu for language and appearance closes by Escape, by a click beside it, and when another view is opened', async () => {
  const { page } = await openLivePage();
  const button = page.locator('summary', { has: page.locator('svg') }).first();
  const isOpen = () => page.getByRole('combobox', { name: /^Language/ }).isVisible();
  await button.click();
  expect(await isOpen()).toBe(true);
  await page.getByRole('combobox', { name: /^Language/ }).focus();
  await page.keyboard.press('Escape');
  await expect.poll(isOpen).toBe(false);
  expect(await page.evaluate('document.activeElement.tagName')).toBe('SUMMARY');
  await button.click();
  await page.getByRole('combobox', { name: /^Appearance/ }).selectOption('dark');
  expect(await isOpen()).toBe(true);
  await page.mouse.click(5, 600);
  await expect.poll(isOpen).toBe(false);
  await page.keyboard.press('Tab');
  await button.focus();
  await page.keyboard.press('Enter');
  expect(await isOpen()).toBe(true);
  await page.evaluate("location.hash = '#/values'");
  await page.getByRole('searchbox').waitFor();
  await expect.poll(isOpen).toBe(false);
});

test('language and appearance are chosen, and kept', async () => {
  const { page } = await openLivePage();
  await page.getByLabel('Language and appearance').click();
  await page.getByRole('combobox', { name: /^Language/ }).selectOption('de');
  await page.getByRole('combobox', { name: /^Darstellung/ }).selectOption('dark');
  await page.reload();
  await page.getByRole('region', { name: 'Alles in Ordnung' }).waitFor();
  expect(await page.evaluate('[document.documentElement.lang, document.documentElement.dataset.theme]')).toEqual(['de', 'dark']);
  // Under Home Assistant the storage is Home Assistant's too.
  expect(await page.evaluate(`Object.keys(localStorage).filter((key) => !key.startsWith('heating2mqtt.'))`)).toEqual([]);
});
