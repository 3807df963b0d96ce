import { expect, test } from 'vitest';
import { defaultHome } from '../../../src/simulator/home/home.ts';
import { openLivePage } from '../../support/browser/livePage.ts';
import { fakeAccounts } from '../../support/web/fakeAccounts.ts';

const WATER = 'heating2mqtt/home/heating/dhw/temperature/main';

/** The words below these elements that begin on one line and end on another. */
const brokenIn = (selector: string): string => `[...document.querySelectorAll('${selector}')].flatMap((element) => {
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const broken = [];
  while (texts.nextNode()) for (const { 0: word, index } of texts.currentNode.data.matchAll(/[\\p{L}\\d]+/gu)) {
    const range = document.createRange();
    range.setStart(texts.currentNode, index);
    range.setEnd(texts.currentNode, index + word.length);
    if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) broken.push(word);
  }
  return broken;
})`;

test.each([320, 360])('on a phone of %i pixels no word is broken, and a change is told by the name of what was changed', async (width) => {
  const opening = { locale: 'de-DE', viewport: { width, height: 780 } };
  const { page, url, system, overflow } = await openLivePage(opening);
  await system.recorder.publish(`${WATER}/value/set`, '{"value":55,"for":"2h"}');
  await page.getByText('Temperatur: vorübergehend').waitFor();
  expect(await page.evaluate(brokenIn('.temporary, .program'))).toEqual([]);
  await page.getByRole('link', { name: 'Protokoll' }).click();
  await page.locator('.changes').getByText('Warmwasser Solltemperatur').waitFor();
  expect(await page.evaluate(brokenIn('.changes code'))).toEqual([]);
  await page.getByRole('link', { name: 'Werte' }).click();
  await page.getByRole('searchbox').fill('sensors status');
  await page.locator('.value-shown').getByText('connected').first().waitFor();
  expect(await page.evaluate(brokenIn('.value-shown, .value-age'))).toEqual([]);
  for (const [topic, period] of [
    ['heating2mqtt/home/heating/power/consumption/total/day', 'Tage'],
    [`${WATER}/value`, '24 Stunden'],
  ] as const) {
    await page.goto(`${url}#/chart/${encodeURIComponent(topic)}`);
    await page.getByRole('button', { name: period, exact: true }).waitFor();
    await page.getByText('Als Tabelle').click();
    await page.getByRole('columnheader', { name: 'Wann' }).waitFor();
    expect(await page.evaluate(brokenIn('.table-scroll'))).toEqual([]);
  }
  expect(await overflow()).toBe(0);
});

test('on a phone of 320 pixels no name of a card is broken', async () => {
  const { installation, gateway } = defaultHome;
  const rooms = { name: 'rooms', installation: String(installation), gateway, device: 'RoomControl-1', features: ['*'], exclude: [] };
  const { page, overflow } = await openLivePage({ viewport: { width: 320, height: 780 } }, { overrides: { devices: [rooms] } });
  await page.getByRole('heading', { name: 'Living room' }).waitFor();
  await page.getByText('not heating').first().waitFor();
  expect(await page.evaluate(brokenIn('.card > header'))).toEqual([]);
  expect(await overflow()).toBe(0);
});

test('on a phone every control is at least 24 pixels high and wide, for a finger', async () => {
  const { page, url } = await openLivePage({ locale: 'de-DE', viewport: { width: 375, height: 780 } });
  const small: unknown[] = [];
  for (const hash of ['#/', '#/values', '#/performance', '#/log', '#/chart']) {
    await page.goto(url + hash);
    await page.locator('main :is(.card, section)').first().waitFor();
    await page.evaluate(`document.querySelectorAll('main details').forEach((one) => (one.open = true))`);
    const found = `[...document.querySelectorAll(':is(main, footer, header) :is(a, button, select, summary)')].flatMap((one) => {
      const { width, height } = one.getBoundingClientRect();
      return width > 0 && (width < 24 || height < 24) ? [one.textContent + ' ' + width + ' x ' + height] : [];
    })`;
    small.push(...((await page.evaluate(found)) as unknown[]));
  }
  expect(small).toEqual([]);
});

test('no field has letters of less than 16 pixels: an iPhone would zoom in at it, and stay so', async () => {
  const { page, url } = await openLivePage({ viewport: { width: 375, height: 780 } });
  const all = `((walk) => walk(document))(function walk(root) {
    return [...root.querySelectorAll('*')].flatMap((one) => [
      ...(one.shadowRoot ? walk(one.shadowRoot) : []),
      ...(one.matches('input:not([type=checkbox], [type=radio]), select, textarea') ? [one.className + ' ' + getComputedStyle(one).fontSize] : []),
    ]);
  })`;
  const fields = async (): Promise<readonly string[]> => (await page.evaluate(all)) as string[];
  await page.goto(`${url}#/values`);
  await page.getByRole('searchbox').waitFor();
  await page.locator('.all-values summary').first().click();
  await page.getByLabel('Topic', { exact: true }).waitFor();
  const found = [...(await fields())];
  await page.goto(`${url}#/schedules/home/heating.dhw.schedule`);
  await page.getByRole('grid').waitFor();
  await page.getByText('Use a shared week').click();
  await page.getByLabel('A week as text').waitFor();
  found.push(...(await fields()));
  expect(found.length).toBeGreaterThan(4);
  expect(found.filter((field) => Number.parseFloat(field.split(' ').at(-1) ?? '') < 16)).toEqual([]);
});

test('on a phone neither the question for how long nor what has the focus is behind the header or the navigation', async () => {
  const { page } = await openLivePage({ viewport: { width: 375, height: 700 }, hasTouch: true });
  const warmer = page.getByRole('region', { name: 'Hot water', exact: true }).getByRole('button', { name: 'Warmer' });
  await warmer.waitFor();
  const between = (what: string): Promise<unknown> =>
    page.evaluate(`(() => {
      const all = [document.querySelector('.top-inner'), document.querySelector('.top nav'), ${what}];
      const [top, nav, box] = all.map((one) => one.getBoundingClientRect());
      return top.bottom <= box.top + 1 && box.bottom <= nav.top + 1;
    })()`);
  await warmer.evaluate('(button) => scrollBy(0, button.getBoundingClientRect().bottom - innerHeight + 70)');
  await warmer.tap();
  await page.locator('.ends').waitFor();
  expect(await between(`document.querySelector('.ends')`)).toBe(true);
  await page.locator('footer a').focus();
  for (let step = 0; step < 25; step += 1) {
    await page.keyboard.press('Shift+Tab');
    expect(await between('document.activeElement')).toBe(true);
  }
});

test('with letters of twice the size a phone shows each page without scrolling sideways, and all of the navigation can be reached', async () => {
  const { parts } = fakeAccounts([{ name: 'a-house-with-a-long-name', state: 'running', broker: true, login: 'ok' }]);
  const opening = { locale: 'de-DE', viewport: { width: 360, height: 780 } };
  const { page, url, overflow } = await openLivePage(opening, {}, { accounts: parts });
  await page.getByLabel('Konto', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Wärmer' }).first().waitFor();
  await page.evaluate(`document.documentElement.style.fontSize = '200%'`);
  const right = (selector: string) => page.locator(selector).evaluate((one) => one.getBoundingClientRect().right);
  const found: unknown[] = [];
  for (const hash of ['#/', '#/schedules/home/heating.dhw.schedule', '#/values', '#/performance', '#/log', '#/chart']) {
    await page.goto(url + hash);
    await page.locator('main :is(.card, section)').first().waitFor();
    found.push([hash, await overflow(), (await right('.menu > summary')) <= 360]);
  }
  expect(found.filter((one) => !/,0,true$/.test(String(one)))).toEqual([]);
  await page.locator('.top nav a').last().focus();
  expect(await right('.top nav a:last-child')).toBeLessThanOrEqual(360);
});
