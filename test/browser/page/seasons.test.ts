import { expect, test } from 'vitest';
import { loadPageWords } from '../../../src/language/page.ts';
import { englishOn } from '../../support/browser/englishOn.ts';
import { openLivePage } from '../../support/browser/livePage.ts';
import { SCHEDULE } from '../../support/system/testSystem.ts';

const [german, english] = await Promise.all([loadPageWords('de'), loadPageWords('en')]);

test('a person sees which week each season writes and when, and switches it on', async () => {
  const water = 'home heating.dhw.schedule: summer bright, winter dark, above 16';
  const overrides = {
    schedules: {
      profiles: [
        ['bright', 'daily 07:00-20:00 on'],
        ['dark', 'daily 06:00-22:00 normal'],
        ['low', 'daily none'],
      ] as const,
      seasons: [`home ${SCHEDULE}: summer low, winter dark, from 05-01 to 09-30`, water],
    },
  };
  const opening = { hash: '#/schedules', locale: 'de-DE', viewport: { width: 390, height: 900 } };
  const { page, system, axe, wrong, overflow } = await openLivePage(opening, { overrides });
  const card = page.locator('section.card', { has: page.getByRole('heading', { name: 'Jahreszeiten' }) });
  await card.getByText('Sommer (1. Mai – 30. September): low mon-sun none').waitFor();
  await card.getByText('Winter (an den anderen Tagen): dark mon-sun 06:00-22:00 normal').first().waitFor();
  await card.getByText('Sommer (≥ 17 °C): bright mon-sun 07:00-20:00 on Diese Woche passt nicht').waitFor();
  expect([await axe(), await overflow()]).toEqual([[], 0]);
  expect(await englishOn(page, [english], [german])).toEqual([]);
  await card.getByRole('button', { name: 'So einschalten' }).press('Enter');
  // The pressed button is gone: a keyboard goes on at the new one, and a screen reader says the result.
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Ausschalten');
  await page.locator('.unseen[role=status]', { hasText: 'Jahreszeiten: Diese Wochen werden einmal geschrieben' }).waitFor();
  await card.getByText('Diese Wochen werden einmal geschrieben').waitFor();
  expect(JSON.parse(system.recorder.last('heating2mqtt/bridge/seasons') ?? '{}')).toMatchObject({ state: 'on' });
  expect(await wrong()).toEqual([]);
});
