import { expect, test } from 'vitest';
import { openLivePage } from '../../support/browser/livePage.ts';
import { SCHEDULE, SCHEDULE_TOPIC } from '../../support/system/testSystem.ts';

const WATER = 'heating2mqtt/home/heating/dhw/temperature/main/value';

/** Takes away what Chrome has since 111, or Safari since 17: wall tablets are older. */
const OLDER = `
  for (const [owner, names] of [
    [Map, ['groupBy']],
    [Object, ['groupBy']],
    [URL, ['parse', 'canParse']],
    [Promise, ['withResolvers', 'try']],
    [Array, ['fromAsync']],
    [AbortSignal, ['any']],
    [String.prototype, ['isWellFormed', 'toWellFormed']],
    [Set.prototype, ['union', 'intersection', 'difference', 'isSubsetOf', 'isSupersetOf', 'isDisjointFrom']],
    [Object.getPrototypeOf(Object.getPrototypeOf([].values())), ['map', 'filter', 'flatMap', 'some', 'every', 'find', 'toArray', 'take']],
  ]) for (const name of names) Reflect.deleteProperty(owner, name);
`;

test('a browser from before 2024 shows every view', async () => {
  const { page, url, system, wrong } = await openLivePage({ before: (opened) => opened.addInitScript(OLDER) });
  await page.locator('.cards .card').nth(2).waitFor();
  await system.recorder.publish(`${SCHEDULE_TOPIC}/set`, '{"sun":[]}');
  await system.recorder.until(({ topic, payload }) => topic === `${SCHEDULE_TOPIC}/result` && payload.includes('"applied"'));
  await page.goto(`${url}#/schedules/home/${SCHEDULE}`);
  await page.locator('heating-week-editor [role=grid]').waitFor();
  await page.locator('#brought-back').filter({ hasText: 'Sun' }).waitFor();
  await page.goto(`${url}#/chart`);
  await page.locator('.glimpses a').first().waitFor();
  await page.goto(`${url}#/chart/${encodeURIComponent(WATER)}`);
  await page.locator('.plot canvas').waitFor();
  await page.goto(`${url}#/log`);
  await page.locator('.changes li').first().waitFor();
  await page.goto(`${url}#/values`);
  await page.locator('summary', { hasText: 'heating.dhw.temperature.main' }).first().click();
  await page.getByLabel('To set it in a shell').waitFor();
  expect(await wrong()).toEqual([]);
});
