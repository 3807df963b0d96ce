import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { saveWeek } from '../../support/browser/livePage.ts';
import { SCHEDULE } from '../../support/system/testSystem.ts';
import { openSetup } from '../../support/web/setupBrowser.ts';
import { afterSetup, PAGE_PASSWORD } from '../../support/web/setupWorld.ts';

const WEEK = 'mon-sun 05:30-09:00 normal';

test('changes of a week that are not saved outlast a new start of the bridge, as saving a profile causes one', async () => {
  const world = await afterSetup();
  const { page, faults } = await openSetup(`${world.page}#/schedules/house/${SCHEDULE}`);
  await page.locator('input[name=password]').fill(PAGE_PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByText('As text', { exact: true }).click();
  const text = page.locator('textarea');
  await text.fill(WEEK);
  // What is shown from here on, also for a moment.
  await page.evaluate(`globalThis.gone = 0; new MutationObserver(() => {
    if (!document.querySelector('heating-week-editor')) globalThis.gone += 1;
  }).observe(document.body, { childList: true, subtree: true });`);
  const profiles = page.getByRole('button', { name: 'Profiles', exact: true });
  await profiles.click();
  await page.getByLabel('Save this week as a profile').fill('winter');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByText('Profile winter is saved', { exact: false }).first().waitFor();
  // The page has what the new bridge says.
  await profiles.click();
  await page.getByRole('button', { name: 'Apply: winter' }).waitFor();
  await page.keyboard.press('Escape');
  expect(await text.inputValue()).toBe(WEEK);
  expect(await page.evaluate('gone')).toBe(0);
  await saveWeek(page);
  await page.getByText('The heating has it.').first().waitFor();
  expect(faults).toEqual([]);
});

test('whoever saves a profile that the settings file states otherwise is told that a change there has no effect any more', async () => {
  const world = await afterSetup();
  const { page } = await openSetup(`${world.page}#/schedules/house/${SCHEDULE}`);
  await page.locator('input[name=password]').fill(PAGE_PASSWORD);
  await page.keyboard.press('Enter');
  const saved = async (name: string): Promise<string> => {
    await page.getByRole('button', { name: 'Profiles', exact: true }).click();
    await page.getByLabel('Save this week as a profile').fill(name);
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    const text = page.locator('p.outcome', { hasText: `Profile ${name} is saved` });
    await text.waitFor();
    return (await text.textContent()) ?? '';
  };
  const told = 'A change in the file has no effect on it.';
  expect(await saved('summer')).not.toContain(told);
  mkdirSync(join(world.cwd, 'config'));
  writeFileSync(join(world.cwd, 'config/local.yaml'), 'schedules: { profiles: { away: daily none } }\n');
  expect(await saved('winter')).toContain(told);
});
