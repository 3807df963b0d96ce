import { describe, expect, test } from 'vitest';
import { openLivePage } from '../../support/browser/livePage.ts';

const PAGES = ['', '#/schedules', '#/schedules/home/heating.dhw.schedule', '#/values', '#/log', '#/nowhere'];
const SIZES = [
  { width: 320, height: 640 },
  { width: 768, height: 1024 },
  { width: 1280, height: 900 },
];

describe.each(['en-GB', 'de-DE'])('in %s', (locale) => {
  test.each(['light', 'dark'] as const)('%s: every page is accessible and fits every window', async (colorScheme) => {
    const { page, url, axe, overflow, wrong } = await openLivePage({ locale, colorScheme });
    for (const hash of PAGES) {
      await page.goto(url + hash);
      await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' });
      if (hash.includes('dhw')) await page.locator('heating-week-editor').waitFor();
      for (const size of SIZES) {
        await page.setViewportSize(size);
        expect(await overflow(), `${hash} at ${size.width}`).toBe(0);
        expect(await axe(), `${hash} at ${size.width}`).toEqual([]);
      }
      expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
    }
    expect(await wrong()).toEqual([]);
    expect(await page.evaluate('document.documentElement.lang')).toBe(locale.slice(0, 2));
  });
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
