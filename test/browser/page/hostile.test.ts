import { expect, test } from 'vitest';
import type { Home, HomeFeature } from '../../../src/simulator/home/home.ts';
import { bridgeOf, faultsAt } from '../../support/browser/faults.ts';
import { openLivePage } from '../../support/browser/livePage.ts';

const LONG = `<script>alert(1)</script>\u202e${'Wärme'.repeat(1000)}`;

const number = (value: number, unit: string): HomeFeature => ({ properties: { value: { type: 'number', value, unit } } });

const sums = (value: readonly number[], unit = 'kilowattHour'): HomeFeature => ({
  properties: {
    day: { type: 'array', value, unit },
    dayValueReadAt: { type: 'string', value: '+275760-09-12T00:00:00.000Z' },
    week: { type: 'array', value: [1, null], unit },
    month: { type: 'array', value: [], unit },
    year: { type: 'array', value: [5, 1e300], unit },
    yearValueReadAt: { type: 'string', value: 'never' },
  },
});

const holiday = (start: string, end: string): HomeFeature => ({
  properties: { active: { type: 'boolean', value: false }, start: { type: 'string', value: start }, end: { type: 'string', value: end } },
  commands: {
    schedule: { isExecutable: true, params: { start: { type: 'string', required: true }, end: { type: 'string', required: true } } },
    unschedule: { isExecutable: true, params: {} },
  },
});

/** A home whose records hold what no device should say. */
const hostileHome: Home = {
  installation: 111222,
  gateway: '7571381699991111',
  user: { id: '11112222-3333-4444-5555-666677778888' },
  devices: {
    '0': {
      model: LONG,
      type: 'heating',
      features: {
        'heating.circuits': { properties: { enabled: { type: 'array', value: ['0'] } } },
        'heating.circuits.0.name': { properties: { name: { type: 'string', value: LONG } } },
        'heating.circuits.0.sensors.temperature.room': number(1e300, 'constructor'),
        'heating.circuits.0.operating.modes.active': {
          properties: { value: { type: 'string', value: LONG } },
          commands: {
            setMode: {
              isExecutable: true,
              params: { mode: { type: 'string', required: true, constraints: { enum: ['toString', LONG] } } },
            },
          },
        },
        'heating.sensors.temperature.outside': number(-1e300, 'toString'),
        'heating.sensors.pressure.supply': number(5e-324, LONG),
        'heating.operating.programs.holiday': holiday('0000-00-00', '2026-13-45'),
        'heating.operating.programs.holidayAtHome': holiday('2026-02-30', '9999-99-99'),
        'heating.power.consumption.total': sums(Array.from({ length: 3000 }, (_, index) => (index % 7) * 1e12)),
        'heating.gas.consumption.dhw': sums([-1, 0, 1e300], LONG),
        'heating.gas.consumption.heating': sums([Number.MAX_VALUE, 1], 'constructor'),
        'heating.solar': {
          properties: {
            constructor: { type: 'number', value: 3, unit: 'hasOwnProperty' },
            ['x'.repeat(200)]: { type: 'string', value: LONG },
          },
        },
      },
    },
  },
};

test.each(['en-GB', 'de-DE'])('whatever the platform says, every view stands, fits and runs nothing of it, in %s', async (locale) => {
  const opened = await openLivePage({ locale }, bridgeOf(hostileHome));
  const { page, url } = opened;
  await page.locator('.card').nth(1).waitFor();
  const faults = [...(await faultsAt(opened, 'overview'))];
  await page.goto(`${url}#/chart`);
  const charts = page.locator('.chart-list a');
  await charts.first().waitFor();
  faults.push(...(await faultsAt(opened, 'charts')));
  for (const place of await charts.evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''))) {
    await page.goto(url + place);
    await page.locator('.plot canvas').waitFor();
    for (const kind of await page.locator('.choices button').all()) await kind.click();
    await page.locator('summary', { hasText: /table|Tabelle/ }).click();
    faults.push(...(await faultsAt(opened, place)));
  }
  await page.goto(`${url}#/values`);
  const rows = page.locator('.all-values summary');
  await rows.first().waitFor();
  for (const row of await rows.all()) await row.click();
  faults.push(...(await faultsAt(opened, 'values')));
  await page.goto(`${url}#/log`);
  await page.getByRole('button', { name: /text/i }).last().click();
  faults.push(...(await faultsAt(opened, 'log')));
  expect(faults).toEqual([]);
  expect(await page.locator('img, .banner, script:not([src])').count()).toBe(0);
});

test('a view that cannot be drawn says so, and leaves the rest of the page standing', async () => {
  const { page, axe } = await openLivePage({ hash: '#/settings/display' });
  await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
  await page.evaluate(`globalThis.format = Intl.NumberFormat;
    Intl.NumberFormat = function () { throw new Error('no numbers today'); };`);
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByRole('alert').getByText('This view cannot be shown').waitFor();
  expect(await axe()).toEqual([]);
  expect(await page.evaluate('wrong')).toContain('error: Uncaught Error: no numbers today');
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByRole('alert').getByText('This view cannot be shown').waitFor();
  await page.evaluate('Intl.NumberFormat = format');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('region', { name: 'All is well' }).waitFor();
});

test('a place that no view has says so, whatever its name', async () => {
  const { page, wrong } = await openLivePage({ hash: '#/constructor' });
  await page.getByRole('heading', { name: 'There is no such page.' }).waitFor();
  expect(await wrong()).toEqual([]);
});
