import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { dayAfter } from '../../../src/features/performance/calendar.ts';
import type { DayRow } from '../../../src/features/performance/dayRow.ts';
import { defaultHome } from '../../../src/simulator/home/home.ts';
import { faultsAt } from '../../support/browser/faults.ts';
import { openLivePage } from '../../support/browser/livePage.ts';

/** A heat pump that ran from October to 20 November of the next year. */
const ROWS: readonly DayRow[] = Array.from({ length: 416 }, (_, index) => {
  const outside = 9 + 11 * Math.sin(index / 58 + 3.5) + 2 * Math.sin(index / 3);
  const heating = Math.max(0, Math.round((18 - outside) * 10) / 10);
  return {
    ...{ day: dayAfter('2025-10-01', index), outside, covered: 24, starts: 4 + (index % 5), hours: 11.5, by: 'compressors' as const },
    heat: { heating, dhw: 6, total: heating + 6 },
    power: { heating: Math.round(heating * 2.5) / 10, dhw: 2, total: Math.round(heating * 2.5) / 10 + 2 },
    rod: { heating: 0, dhw: 0, total: 0 },
  };
});
const bar = (from: string, grain: string, amount: number) => ({ from, grain, amount, start: `${from}T00:00:00+02:00` });
const PAST = [
  {
    ...{ device: 'home', feature: 'heating.power.consumption.total', id: 'heating2mqtt:g_0_total', unit: 'kWh' },
    name: 'home: Power consumption total, before the installation (days, months, years)',
    bars: [
      bar('2024-01-01', 'year', 3220.8),
      bar('2025-07-01', 'month', 65.3),
      bar('2025-08-01', 'month', 31.5),
      bar('2025-09-30', 'day', 2),
    ],
  },
];

const withAnswers =
  (rows: readonly DayRow[], past: readonly object[], state: string) =>
  async (page: Page): Promise<void> => {
    // The day after the rows, for the browser and by the answers of the bridge.
    await page.addInitScript(`
      Date.now = () => Date.parse('2026-11-21T09:00:00Z');
      const { get } = Headers.prototype;
      Headers.prototype.get = function (name) { return name === 'date' ? '2026-11-21T09:00:00Z' : get.call(this, name); };
    `);
    await page.route('**/api/performance?*', (route) => route.fulfill({ json: { rows, prices: {} } }));
    await page.route('**/api/past', (route) => route.fulfill({ json: { past, import: state } }));
    await page.route('**/api/past/import', (route) => route.fulfill({ json: { ok: true, message: 'x' } }));
    await page.route('**/api/past/clear', (route) => route.fulfill({ json: { ok: false, code: 'unreachable', message: 'x' } }));
  };

/** The words of names and figures that are on two lines. */
const BROKEN = `[...document.querySelectorAll('.figures dt, .figures dd, .figures dd span')].flatMap(({ childNodes }) =>
  [...childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE).flatMap((node) =>
    [...node.data.matchAll(/[^ ]+/g)].flatMap(({ 0: word, index }) => {
      const range = new Range();
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      return range.getClientRects().length > 1 ? [word] : [];
    })))`;

/** A period or a chart by its heading. */
const part = (page: Page, name: string) => page.locator('section.card', { has: page.getByRole('heading', { name }) });

test.each(['en-GB', 'de-DE'])('periods, charts, files and the past, readable on a phone and a screen, in %s', async (locale) => {
  const isGerman = locale === 'de-DE';
  const opened = await openLivePage({ locale, hash: '#/performance', before: withAnswers(ROWS, PAST, 'on') });
  const { page, wrong } = opened;
  const month = part(page, isGerman ? 'Dieser Monat, bis jetzt' : 'This month, so far');
  await month.waitFor();
  expect(
    await page
      .getByRole('navigation')
      .getByRole('link', { name: isGerman ? 'Bilanz' : 'Performance' })
      .getAttribute('aria-current'),
  ).toBe('page');
  expect(await month.innerText()).toMatch(
    isGerman
      ? /Arbeitszahl\s+\d,\d+\s+Wärme durch Strom, beides laut Heizung/
      : /Heat per electricity\s+\d\.\d+\s+Both as reported by the heating/,
  );
  // A number and its unit are on one line.
  expect(await page.getByText(isGerman ? 'Winter davor' : 'previous winter').textContent()).toMatch(/[+-]?[\d.,]+\u00a0%\.$/u);
  expect(await page.locator('.plot canvas').count()).toBe(4);
  expect(await faultsAt(opened, 'performance', [320, 390, 1280])).toEqual([]);

  const settings = page.getByRole('navigation').getByRole('link').last();
  await page.setViewportSize({ width: 320, height: 700 });
  const box = await settings.evaluate((link: { scrollWidth: number; getBoundingClientRect: () => { right: number } }) =>
    Math.max(link.getBoundingClientRect().right, link.scrollWidth),
  );
  expect(box).toBeLessThanOrEqual(320);
  expect(await page.evaluate(BROKEN)).toEqual([]);

  const history = part(page, isGerman ? 'Monate und Jahre: Strom' : 'Months and years: Electricity');
  await history
    .getByText(isGerman ? 'Vor der Installation, laut Heizung' : 'Before the installation, as the heating lists it')
    .first()
    .waitFor();
  await history.locator('summary').click();
  expect(await history.getByRole('row').count()).toBe(1 + 17);
  await history.getByRole('button', { name: isGerman ? 'Jahre' : 'Years' }).click();
  await history.getByRole('rowheader', { name: '2024' }).waitFor();
  // Each year is told in two columns, though its bars are on top of one another.
  expect(await history.getByRole('row', { name: /^2025/ }).innerText()).toMatch(isGerman ? /98,8.*598,3/ : /98\.8.*598\.3/);

  const past = page.getByRole('region', { name: isGerman ? 'Vor der Installation' : 'Before the installation', exact: true });
  expect(await past.innerText()).toContain(isGerman ? '2024 bis 30. September 2025' : '2024 to 30 September 2025');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    past.getByRole('button', { name: isGerman ? 'Als CSV herunterladen' : 'Download as CSV' }).click(),
  ]);
  expect(readFileSync(await download.path(), 'utf8')).toContain('2025-09-30T00:00:00+02:00,2,kWh,day,home,heating.power.consumption.total');
  await past.getByRole('button', { name: isGerman ? 'In Home Assistant importieren' : 'Import into Home Assistant' }).click();
  await past.getByText(isGerman ? 'Importiert.' : 'Home Assistant has it.').waitFor();
  await past.getByRole('button', { name: isGerman ? 'Aus Home Assistant entfernen' : 'Remove from Home Assistant' }).click();
  await past.getByText(isGerman ? 'Home Assistant antwortet nicht.' : 'Home Assistant does not answer.').waitFor();

  // The sheet stays for as long as the paper is looked at.
  await page.evaluate('window.print = () => { throw new Error("looked at"); }');
  await page.getByRole('button', { name: isGerman ? 'Als eine Seite drucken' : 'Print as one page' }).click();
  const sheet = page.locator('.printSheet');
  await sheet.waitFor({ state: 'attached' });
  expect(await sheet.textContent()).toContain(isGerman ? 'Wie die Heizung lief: home' : 'How the heating ran: home');
  const paper = (await page.pdf({ format: 'A4' })).toString('latin1');
  expect(paper.match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
  expect(await wrong()).toEqual(['error: Uncaught Error: looked at']);
});

test('the factor of a heating that reports no rod is not said to include one', async () => {
  const rows = ROWS.map(({ rod, ...row }) => row);
  const { page } = await openLivePage({ hash: '#/performance', before: withAnswers(rows, [], 'none') });
  await page.getByText('Both as reported by the heating.').first().waitFor();
  expect(await page.locator('main').innerText()).not.toContain('heating rod');
});

test('a number that cannot be told has its reason, and nothing is promised where there is nothing', async () => {
  const rows = ROWS.slice(-3).map(({ heat, ...row }) => ({ ...row, outside: -0.02, cost: 1.2 }));
  const { page } = await openLivePage({ hash: '#/performance', before: withAnswers(rows, [], 'none') });
  await page.getByText('not available: the heating does not report it').first().waitFor();
  // What is rounded to 0 has no sign, and money has two digits.
  expect(await part(page, 'This month').textContent()).toMatch(/Mean outside0\s*°C.*Cost3\.60/u);
  await page.getByText('The heating listed no reliable values from before.').waitFor();
  expect(await page.getByRole('button', { name: 'Import into Home Assistant' }).count()).toBe(0);
});

test('each amount of gas has the unit in which it is told', async () => {
  // The factors of gas were set on the second day of the month, which is the first cold one.
  const rows = Array.from({ length: 12 }, (_, i) => ({
    ...{ day: dayAfter('2026-11-01', i), covered: 24, gas: { total: 4 }, gasUnit: 'm3' as const },
    ...(i === 0 ? { outside: 16 } : { outside: 5, gasKwh: 40 }),
  }));
  const listed = { ...PAST[0], feature: 'heating.gas.consumption.total', bars: [bar('2026-09-01', 'month', 70)] };
  const { page } = await openLivePage({ hash: '#/performance', before: withAnswers(rows, [listed], 'none') });
  const textOf = (name: string) => part(page, name).first().textContent();
  expect(await textOf('This month')).toMatch(/Used per degree day4\s*kWh\/Kd/u);
  expect(await textOf('Used in a day by outside temperature')).toMatch(/40\s*kWh/u);
  expect(await textOf('Months and years: Gas')).toMatch(/48\s*m³/u);
});

test('years are shown where no month of before the installation is known', async () => {
  const years = { ...PAST[0], bars: [bar('2024-01-01', 'year', 3220.8)] };
  const { page, wrong } = await openLivePage({ hash: '#/performance', before: withAnswers([], [years], 'none') });
  const history = part(page, 'Months and years: Electricity');
  await history.locator('summary').click();
  await history.getByRole('rowheader', { name: '2024' }).waitFor();
  expect(await history.getByRole('button').allInnerTexts()).toEqual(['Years']);
  expect(await wrong()).toEqual([]);
});

test('two devices have no landmarks of the same name', async () => {
  const { installation, gateway } = defaultHome;
  const devices = [gateway, String(Number(gateway) + 1)].map((serial, index) => ({
    ...{ name: `home${index}`, installation: String(installation), gateway: serial, device: '0', features: ['*'], exclude: [] },
  }));
  const { page, axe } = await openLivePage(
    { hash: '#/performance', before: withAnswers(ROWS, [], 'none') },
    { simulator: { furtherGateways: 1 }, overrides: { devices } },
  );
  await page.locator('.plot canvas').nth(5).waitFor();
  expect(await axe()).toEqual([]);
});

test('a page that stays open gets the days that end meanwhile, and keeps what it shows while the bridge cannot be reached', async () => {
  let rows: readonly DayRow[] = ROWS.slice(0, -1);
  let isDown = false;
  const { page } = await openLivePage({
    hash: '#/performance',
    before: async (opened) => {
      await withAnswers([], [], 'off')(opened);
      await opened.route('**/api/performance?*', (route) => (isDown ? route.abort() : route.fulfill({ json: { rows, prices: {} } })));
    },
  });
  const setTime = (time: string) =>
    page.evaluate(`
      Date.now = () => Date.parse('${time}');
      Headers.prototype.get = (name) => (name === 'date' ? '${time}' : null);
    `);
  const before = page.getByText('1 November 2026 to 19 November 2026');
  await before.waitFor();
  isDown = true;
  const failed = page.waitForEvent('requestfailed', (request) => request.url().includes('api/performance'));
  await setTime('2026-11-21T10:01:00Z');
  await failed;
  // The answer has come to the page after two frames.
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
  expect(await before.isVisible()).toBe(true);
  [rows, isDown] = [ROWS, false];
  await setTime('2026-11-21T10:02:00Z');
  await page.getByText('1 November 2026 to 20 November 2026').waitFor();
});
