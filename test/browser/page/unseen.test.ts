import { describe, expect, test } from 'vitest';
import { recordedHome } from '../../../src/simulator/home/recorded.ts';
import { bridgeOf, faultsAt } from '../../support/browser/faults.ts';
import { openLivePage } from '../../support/browser/livePage.ts';
import { DEVICES } from '../../support/devices/deviceFiles.ts';
import { ODD_SCHEDULES, oddHome } from '../../support/devices/oddHome.ts';

describe('devices that nobody has seen', () => {
  test.each(['en-GB', 'de-DE'])('fit the overview, the schedules and the editor, in %s', async (locale) => {
    const opened = await openLivePage({ locale }, bridgeOf(oddHome, { home: oddHome }));
    const { page, url } = opened;
    await page.locator('.card').nth(9).waitFor();
    const faults = [...(await faultsAt(opened, 'overview'))];
    await page.goto(`${url}#/schedules`);
    await page.locator('a[href*="somethingNew"]').waitFor();
    faults.push(...(await faultsAt(opened, 'schedules')));
    for (const feature of ODD_SCHEDULES) {
      await page.goto(`${url}#/schedules/home0/${feature}`);
      await page.locator('heating-week-editor [role=grid]').waitFor();
      faults.push(...(await faultsAt(opened, feature)));
      // Opened, with its fields and modes.
      const entry = page.locator('heating-week-editor [role=gridcell] button[data-cell$=":0"]');
      if ((await entry.count()) === 0) continue;
      await entry.first().press('Enter');
      faults.push(...(await faultsAt(opened, `${feature}, opened`)));
    }
    expect(faults).toEqual([]);
    expect(await page.locator('img').count()).toBe(0);
  });
});

test('every device: its cards, and each of its weeks', async () => {
  const opened = await openLivePage({ locale: 'de-DE' }, bridgeOf(recordedHome(DEVICES), { recorded: DEVICES }));
  const { page, url, overflow, wrong } = opened;
  await page.locator('.card').first().waitFor();
  const faults = [...(await faultsAt(opened, 'overview'))];
  await page.goto(`${url}#/schedules`);
  const links = page.locator('main a[href*="#/schedules/"]');
  await links.first().waitFor();
  faults.push(...(await faultsAt(opened, 'schedules')));
  const places = await links.evaluateAll((found) => found.map((link) => link.getAttribute('href') ?? ''));
  for (const place of places) {
    await page.goto(url + place);
    await page.locator('heating-week-editor [role=grid]').waitFor();
    for (const width of [320, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      const wide = await overflow();
      if (wide > 0) faults.push(`${place} at ${width}: ${wide} px too wide`);
    }
  }
  expect([...faults, ...(await wrong())]).toEqual([]);
});
