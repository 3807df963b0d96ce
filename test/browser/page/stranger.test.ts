import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { type LivePage, openLivePage } from '../../support/browser/livePage.ts';
import { SCHEDULE_TOPIC } from '../../support/system/testSystem.ts';

/** The overview of a bridge whose heating begins at six on working days. */
const open = async (window: BrowserContextOptions = {}): Promise<LivePage> => {
  const opened = await openLivePage(window);
  const { page, system } = opened;
  await system.recorder.publish(`${SCHEDULE_TOPIC}/set`, 'mon-fri 06:00-22:00 normal; sat-sun 07:00-23:00 normal');
  // By day the one, by night the other.
  await expect.poll(() => page.getByText(/(Normal|Reduced) until/).count()).toBeGreaterThan(0);
  await expect.poll(() => system.recorder.last(`${SCHEDULE_TOPIC}/text`)).toContain('mon-fri 06:00');
  return opened;
};

/** Monday begins at half past five, the rest of the week as before, and the page says that the heating has it. */
const expectDone = async ({ page, system, wrong }: LivePage): Promise<void> => {
  await page.locator('heating-week-editor').getByText('The heating has it.').first().waitFor();
  expect(system.recorder.last(`${SCHEDULE_TOPIC}/text`)).toBe(
    'mon 05:30-22:00 normal; tue-fri 06:00-22:00 normal; sat-sun 07:00-23:00 normal',
  );
  expect(await wrong()).toEqual([]);
};

/** What has the focus, as it is called. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(`(() => {
    let element = document.activeElement;
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    return element?.getAttribute('aria-label') ?? element?.textContent ?? '';
  })()`);

describe('from opening the page to a Monday that begins at 5:30', () => {
  test.each<[string, BrowserContextOptions, number]>([
    ['by mouse', {}, 9],
    ['by touch, on a phone', { hasTouch: true, isMobile: true, viewport: { width: 360, height: 740 } }, 11],
  ])('%s', async (_, window, steps) => {
    const opened = await open(window);
    const { page } = opened;
    let done = 0;
    const on = async (what: Locator): Promise<void> => {
      done += 1;
      await (window.hasTouch ? what.tap() : what.click());
    };
    await on(page.getByRole('link', { name: 'Schedule, Floor' }));
    // The week begins with today.
    if (window.hasTouch) await on(page.locator('.strip button').first());
    await on(page.getByRole('button', { name: /^06:00–22:00 Normal/ }).first());
    if (window.hasTouch) await on(page.getByText(/^Applies to Mon–Fri/));
    await on(page.getByRole('button', { name: /Only Monday/ }));
    for (let time = 0; time < 3; time += 1) await on(page.getByRole('button', { name: 'From earlier' }));
    for (const name of ['Done', 'Save', 'Save now']) await on(page.getByRole('button', { name, exact: true }));
    expect(done).toBe(steps);
    await expectDone(opened);
  });

  test('by keys', async () => {
    const opened = await open();
    const { page } = opened;
    let steps = 0;
    const press = async (key: string): Promise<void> => {
      steps += 1;
      await page.keyboard.press(key);
    };
    const to = async (key: string, name: RegExp): Promise<void> => {
      for (let tries = 0; tries < 30 && !name.test(await focused(page)); tries += 1) await press(key);
      expect(await focused(page)).toMatch(name);
    };
    await to('Tab', /^Schedule, Floor/);
    await press('Enter');
    await expect.poll(() => focused(page)).toBe('Floor');
    await page.getByRole('grid').waitFor();
    // The week begins with today.
    await to('Tab', /^(?:Mon–Fri|Sat–Sun)/);
    await to('ArrowUp', /^Mon–Fri/);
    await press('ArrowRight');
    await press('Enter');
    await to('Tab', /Only Monday/);
    await press('Enter');
    await to('Tab', /^Start/);
    for (let time = 0; time < 3; time += 1) await press('ArrowLeft');
    await press('Escape');
    await to('Tab', /^Save$/);
    await press('Enter');
    await page.getByRole('dialog').waitFor();
    await to('Tab', /^Save now/);
    await press('Enter');
    await expectDone(opened);
    expect(await focused(page)).toBe('Save');
    expect(steps).toBeLessThan(60);
  });
});
