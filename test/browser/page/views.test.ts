import { expect, test } from 'vitest';
import { faultsAt } from '../../support/browser/faults.ts';
import { openLivePage } from '../../support/browser/livePage.ts';
import { SCHEDULE, SCHEDULE_TOPIC } from '../../support/system/testSystem.ts';

const WATER = 'heating2mqtt/home/heating/dhw/temperature/main';
const SUM = 'heating2mqtt/home/heating/power/consumption/total/day';
const SUNDAY = JSON.stringify({ sun: [{ start: '10:00', end: '12:00', mode: 'comfort', position: 0 }] });

const PAGES = ['', '#/schedules', '#/schedules/home/heating.dhw.schedule', '#/values', '#/performance', '#/log', '#/nowhere'];

const LOOKS = [
  { locale: 'en-GB', colorScheme: 'light', forcedColors: 'none' },
  { locale: 'de-DE', colorScheme: 'dark', forcedColors: 'none' },
  { locale: 'en-GB', colorScheme: 'dark', forcedColors: 'active' },
] as const;

test.each(LOOKS)(
  'every view, with nothing and with something in it, is accessible and fits, in $locale, $colorScheme, forced colours $forcedColors',
  async (look) => {
    const opened = await openLivePage(look);
    const { page, url, system } = opened;
    const { recorder, simulator } = system;
    const answered = (topic: string, status: string) =>
      recorder.until((heard) => heard.topic === topic && heard.payload.includes(`"${status}"`));
    const faults: string[] = [];
    const check = async (place: string, widths?: readonly number[]): Promise<void> => {
      faults.push(...(await faultsAt(opened, place, widths)));
    };
    for (const hash of PAGES) {
      await page.goto(url + hash);
      await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' });
      // The place of a view that is being loaded has a heading too.
      await expect.poll(() => page.getByText(/^(?:Loading|Lädt) …$/u).count()).toBe(0);
      if (hash.includes('dhw')) await page.locator('heating-week-editor').waitFor();
      await check(hash, [320, 768, 1280]);
      expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
    }
    expect(await page.evaluate('document.documentElement.lang')).toBe(look.locale.slice(0, 2));
    // A change, one for two hours, one that fails, and one that is refused.
    await recorder.publish(`${SCHEDULE_TOPIC}/set`, SUNDAY);
    await answered(`${SCHEDULE_TOPIC}/result`, 'applied');
    await recorder.publish(`${WATER}/value/set`, '{"value":55,"for":"2h"}');
    await answered(`${WATER}/result`, 'applied');
    simulator.control({ command: 'fault', kind: 'success_false', match: { method: 'POST' }, times: 1 });
    await recorder.publish(`${SCHEDULE_TOPIC}/set`, '{"sun":[]}');
    await answered(`${SCHEDULE_TOPIC}/result`, 'failed');
    await recorder.publish(`${WATER}/value/set`, '500');
    await answered(`${WATER}/result`, 'rejected');
    await page.goto(url);
    await page.locator('.temporary').first().waitFor();
    await page.locator('.round').last().click();
    await page.locator('.ends').waitFor();
    await page.locator('.programs button[aria-expanded]').first().click();
    await check('overview with a change, a temporary value and a holiday');
    await page.goto(`${url}#/log`);
    await page.locator('.changes li').nth(2).waitFor();
    await page.locator('.counts').waitFor();
    await page.getByRole('button').last().click();
    await page.locator('textarea').waitFor();
    await check('log, with changes, calls and a bug report');
    await page.goto(`${url}#/schedules/home/${SCHEDULE}`);
    await page.locator('.changes li').nth(1).waitFor();
    await page.locator('heating-week-editor [role=grid]').waitFor();
    await check('schedule with its changes');
    for (const topic of [`${WATER}/value`, 'heating2mqtt/home/heating/circuits/0/climate/current', SUM]) {
      await page.goto(`${url}#/chart/${encodeURIComponent(topic)}`);
      await page.locator('.plot canvas').waitFor();
      await page.locator('summary', { hasText: /table|Tabelle/u }).click();
      await check(`chart of ${topic}`);
    }
    await page.goto(`${url}#/values`);
    const search = page.getByRole('searchbox');
    for (const words of ['temperature main', 'modes active', 'schedule active', 'dhw schedule entries']) {
      await search.fill(words);
      const rows = page.locator('.all-values details:not([open]) > summary');
      await expect.poll(() => page.locator('.all-values > li').count()).toBeLessThan(10);
      while ((await rows.count()) > 0) await rows.first().click();
      await check(`values: ${words}`);
    }
    // With forced colours axe reads the colours that the browser replaces.
    expect(faults.filter((fault) => look.forcedColors === 'none' || !fault.includes('color-contrast'))).toEqual([]);
  },
);
