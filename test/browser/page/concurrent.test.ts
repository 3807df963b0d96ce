import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type LivePage, openLivePage, saveWeek } from '../../support/browser/livePage.ts';
import { SCHEDULE, SCHEDULE_TOPIC } from '../../support/system/testSystem.ts';

const WEEK = { mon: '06:00-22:00', tue: '06:00-22:00', wed: '06:00-22:00', thu: '07:00-22:00' };

const textOf = (days: Readonly<Record<string, string>>): string =>
  Object.entries({ ...WEEK, ...days })
    .map(([day, times]) => `${day} ${times} normal`)
    .join('; ');

/** The page of a schedule whose days are all different from each other's. */
const open = async (): Promise<LivePage> => {
  const opened = await openLivePage({ hash: `#/schedules/home/${SCHEDULE}` });
  const { recorder } = opened.system;
  await recorder.publish(`${SCHEDULE_TOPIC}/set`, textOf({}));
  await recorder.until(({ topic, payload }) => topic === `${SCHEDULE_TOPIC}/result` && payload.includes('"applied"'));
  return opened;
};

/** Types the days into the text of the week. */
const edit = async (tab: Page, days: Readonly<Record<string, string>>): Promise<void> => {
  await tab.getByText('As text', { exact: true }).click();
  const area = tab.locator('heating-week-editor textarea');
  await expect.poll(() => area.inputValue()).toContain('thu 07:00');
  const others = (await area.inputValue()).split('; ').filter((part) => /^(?:fri|sat|sun)/u.test(part));
  await area.fill([textOf(days), ...others].join('; '));
};

const button = (tab: Page, name: string) => tab.getByRole('button', { name, exact: true });

const save = async (tab: Page): Promise<void> => {
  await saveWeek(tab);
  await tab.locator('heating-week-editor').getByText('The heating has it.').first().waitFor();
};

test('two tabs edit the same week: both save, the second one is asked whose day counts, and nothing is lost', async () => {
  const { page, system, url, wrong } = await open();
  const other = await page.context().newPage();
  await other.goto(`${url}#/schedules/home/${SCHEDULE}`);
  await edit(page, { mon: '05:00-22:00', tue: '05:00-22:00' });
  await edit(other, { mon: '05:30-22:00', wed: '05:30-22:00' });
  // The question for how long is open when the other tab saves.
  await button(other, 'Save').click();
  await button(other, 'Save now').waitFor();
  await save(page);
  await other.getByRole('alert').getByText('Both changed: Monday.').waitFor();
  expect(await other.getByRole('dialog').count()).toBe(0);
  // Not before it is said.
  await button(other, 'Save').click();
  await expect.poll(() => other.evaluate(`document.activeElement.shadowRoot?.activeElement?.textContent`)).toBe('Merge by day');
  expect(await other.getByRole('dialog').count()).toBe(0);
  await button(other, 'Merge by day').click();
  await save(other);
  const text = system.recorder.last(`${SCHEDULE_TOPIC}/text`);
  expect(text).toContain('mon,wed 05:30-22:00 normal; tue 05:00-22:00 normal; thu 07:00-22:00 normal');
  // The first one, which is at rest, shows it.
  await expect.poll(() => page.locator('heating-week-editor textarea').inputValue()).toContain('mon,wed 05:30');
  expect(await page.getByRole('alert').count()).toBe(0);
  expect([...(await wrong()), ...((await other.evaluate('wrong')) as string[])]).toEqual([]);
});

test('a new start of the bridge while the question of a save is open: it is said, nothing is lost, and nothing is sent twice', async () => {
  const { page, system, web, wrong } = await open();
  await edit(page, { tue: '05:00-22:00' });
  await button(page, 'Save').click();
  await button(page, 'Save now').waitFor();
  web.web.attach(undefined);
  await button(page, 'Save now').click();
  await page.locator('heating-week-editor').getByText('The bridge is restarting', { exact: false }).first().waitFor();
  const before = system.posts().length;
  await system.restart();
  web.web.attach(system.app.view);
  await save(page);
  expect(system.recorder.last(`${SCHEDULE_TOPIC}/text`)).toContain('tue 05:00');
  expect(system.posts().length - before).toBe(1);
  expect(await wrong()).toEqual([]);
});
