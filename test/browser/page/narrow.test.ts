import { expect, test } from 'vitest';
import { defaultHome } from '../../../src/simulator/home/home.ts';
import { openLivePage } from '../../support/browser/livePage.ts';

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
  await page.goto(`${url}#/chart/${encodeURIComponent('heating2mqtt/home/heating/power/consumption/total/day')}`);
  await page.getByText('Als Tabelle').click();
  expect(await page.evaluate(brokenIn('.table-scroll'))).toEqual([]);
  await page.goto(`${url}#/chart/${encodeURIComponent(`${WATER}/value`)}`);
  await page.getByText('Als Tabelle').click();
  expect(await page.evaluate(brokenIn('.table-scroll'))).toEqual([]);
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
