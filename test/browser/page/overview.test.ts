import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { defaultHome } from '../../../src/simulator/home/home.ts';
import { bridgeOf } from '../../support/browser/faults.ts';
import { openLivePage } from '../../support/browser/livePage.ts';

const WATER = 'heating2mqtt/home/heating/dhw';
const TARGET = `${WATER}/temperature/main/value`;

const card = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true });
const water = (page: Page): Locator => card(page, 'Hot water');
const targetOf = async (of: Locator): Promise<string> =>
  ((await of.getByRole('status').first().textContent()) ?? '').replace('\u00a0', ' ');

const press = (of: Locator, name: string | RegExp): Promise<void> => of.getByRole('button', { name }).click();
/** Ten minutes before the change it is the one after it, of which the page does not know the time. */
const NEXT = /^Until (?:(?:tomorrow )?\d\d:\d\d|the next switching time)$/;
const said = (of: Locator, text: RegExp): Promise<void> => of.getByText(text).waitFor();

/** Waits until this holds; fails with what was there last. */
const until = (value: () => Promise<unknown>) => expect.poll(value, { timeout: 15_000 });

describe('the overview', () => {
  test('of a device with one value says not that there is nothing', async () => {
    const { features } = defaultHome.devices['0'] ?? { features: {} };
    const outside = Object.entries(features).filter(([name]) => name === 'heating.sensors.temperature.outside');
    const home = { ...defaultHome, devices: { '0': { features: Object.fromEntries(outside) } } };
    const { page } = await openLivePage({}, bridgeOf(home));
    await page.locator('.today').waitFor();
    expect(await page.getByText('No device has anything to show').count()).toBe(0);
  });
  test.each([
    ['en-GB', ['Outside', 'Hot water', 'Now', 'Electricity used today', 'Faults'], 'Technical values', 'Return'],
    ['de-DE', ['Außen', 'Warmwasser', 'Gerade', 'Strom heute', 'Störungen'], 'Technische Werte', 'Rücklauf'],
  ])('begins with what matters today, and keeps technical temperatures one step down, in %s', async (locale, facts, technical, inner) => {
    const { page, system, wrong } = await openLivePage({ locale });
    const read = { feature: 'heating.power.consumption.total', property: 'dayValueReadAt', value: new Date().toISOString() };
    system.simulator.control({ command: 'set', ...read });
    await system.recorder.publish('heating2mqtt/bridge/poll/set', 'home');
    const first = page.locator('.cards > section').first();
    await first.getByText(facts[3] ?? '').waitFor();
    const said = await first.locator('dt').allTextContents();
    expect(said.filter((label) => facts.includes(label))).toEqual(facts);
    // A value with a link to its chart is as far below its label as one without.
    const distances = await first.locator('dl > div').evaluateAll((rows) =>
      rows.map((row) => {
        const range = row.ownerDocument.createRange();
        range.selectNodeContents(row.lastElementChild?.querySelector('a') ?? row.lastElementChild ?? row);
        const value = range.getClientRects()[0]?.top ?? 0;
        return Math.round(value - (row.firstElementChild?.getBoundingClientRect().bottom ?? 0));
      }),
    );
    expect(new Set(distances).size).toBe(1);
    expect(await page.getByText(inner, { exact: true }).isVisible()).toBe(false);
    await page.getByText(technical).click();
    await page.getByText(inner, { exact: true }).waitFor();
    await first
      .getByRole('link', { name: /^-?[\d.,]+\s°C/ })
      .first()
      .click();
    await page.locator('.plot canvas').waitFor();
    expect(await wrong()).toEqual([]);
  });

  test('a target for two hours: sent as one write, shown with its end, and ended by hand', async () => {
    // All times of a card are those of the home, wherever the browser is.
    const overrides = { schedules: { time_zone: 'Asia/Kolkata' } };
    const { page, system, wrong } = await openLivePage({ timezoneId: 'America/New_York' }, { overrides });
    const { recorder } = system;
    await press(water(page), 'Warmer');
    await press(water(page), 'Warmer');
    // Nothing is sent before it is known for how long.
    expect(await targetOf(water(page))).toBe('52 °C');
    expect(system.posts()).toEqual([]);
    await press(water(page), 'For 2 hours');
    await said(water(page), /^The heating has it, until/);
    expect(recorder.last(TARGET)).toBe('52');
    const end = recorder.last(`${WATER}/temperature/main/until`) ?? '';
    expect(end).toMatch(/\+05:30$/);
    const time = end.slice(11, 16).replace('00:00', '24:00');
    await said(water(page), new RegExp(`^The heating has it, until .*${time}\\.`));
    await said(water(page), new RegExp(`temporary until .*${time}$`));
    expect(system.posts()).toHaveLength(1);
    await press(water(page), 'End now');
    await until(() => targetOf(water(page))).toBe('50 °C');
    await until(async () => recorder.last(`${WATER}/temperature/main/until`) ?? '').toBe('');
    expect(await wrong()).toEqual([]);
  });

  test('the target of a circuit names its program, and is offered until the schedule changes first', async () => {
    const { page } = await openLivePage();
    const circuit = card(page, 'Floor');
    await press(circuit, 'Warmer');
    await said(circuit, /^(?:Normal|Reduced|Comfort): .* → /);
    const choices = circuit.getByRole('group', { name: /how long/i }).getByRole('button');
    expect(await choices.first().textContent()).toMatch(NEXT);
    await press(circuit, NEXT);
    await said(circuit, /^The heating has it, until/);
    // Where people mostly mean it for good, it comes second.
    await press(water(page), 'Warmer');
    expect(
      await water(page)
        .getByRole('group', { name: /how long/i })
        .getByRole('button')
        .nth(1)
        .textContent(),
    ).toMatch(NEXT);
    await press(water(page), NEXT);
    await said(water(page), /^The heating has it, until/);
  });

  test('what the app changes during a temporary target is told at once, and decided by a button', async () => {
    const { page, system, axe, wrong } = await openLivePage();
    const { recorder, simulator } = system;
    const changedInApp = async (value: number): Promise<void> => {
      await recorder.publish(`${TARGET}/set`, JSON.stringify({ value: 52, for: '2h' }));
      // A third value sooner than that is taken for what the platform made of the write.
      await recorder.until(({ topic, payload }) => topic === `${WATER}/temperature/main/result` && payload.includes('"applied"'));
      simulator.control({ command: 'set', feature: 'heating.dhw.temperature.main', property: 'value', value });
      await recorder.publish('heating2mqtt/bridge/poll/set', 'home');
      await said(water(page), new RegExp(`Changed elsewhere meanwhile, .*: ${value}\\. `));
    };
    await changedInApp(47);
    expect(await axe()).toEqual([]);
    await press(water(page), "Keep the app's");
    await until(async () => recorder.last(`${WATER}/temperature/main/until`) ?? '').toBe('');
    expect(await targetOf(water(page))).toBe('47 °C');
    expect(system.posts()).toHaveLength(1);
    expect(await wrong()).toEqual([]);
  });

  test('while the gateway is off the net the page says so, and reads again when it is asked', async () => {
    const { page, system, wrong } = await openLivePage();
    await page.getByRole('region', { name: 'All is well' }).waitFor();
    system.simulator.control({ command: 'disconnect' });
    await system.recorder.publish('heating2mqtt/bridge/poll/set', 'now');
    const offline = page.locator('.health.bad');
    await offline.waitFor();
    const reads = (): number => system.simulator.calls().filter(({ method }) => method === 'GET').length;
    await expect.poll(() => system.recorder.last('heating2mqtt/home/availability')).toBe('offline');
    const before = reads();
    system.simulator.control({ command: 'connect' });
    await offline.getByRole('button', { name: 'Read now' }).click();
    await page.getByRole('region', { name: 'All is well' }).waitFor();
    expect(reads()).toBeGreaterThan(before);
    expect(await wrong()).toEqual([]);
  });

  test('what the device refuses goes back to what it was, and says why', async () => {
    const { page, system } = await openLivePage();
    system.simulator.control({ command: 'fault', kind: 'gateway_offline', match: { method: 'POST', path: 'setTargetTemperature' } });
    await press(water(page), 'Warmer');
    await press(water(page), /^Permanently$/);
    await said(water(page), /^Not changed: /);
    expect(await targetOf(water(page))).toBe('50 °C');
    await press(water(page), 'Close');
    await water(page)
      .getByText(/^Not changed: /)
      .waitFor({ state: 'detached' });
  });

  test('a mode is taken back by Escape, and by Cancel, without a call', async () => {
    const { page, system } = await openLivePage();
    const mode = water(page).getByRole('combobox');
    const before = await mode.inputValue();
    await mode.selectOption({ label: 'Off' });
    await water(page).getByRole('button', { name: 'Permanently', exact: true }).press('Escape');
    expect(await mode.inputValue()).toBe(before);
    await mode.selectOption({ label: 'Off' });
    await press(water(page), 'Cancel');
    expect(await mode.inputValue()).toBe(before);
    expect(system.posts()).toEqual([]);
  });

  test('hot water once now, and stopped', async () => {
    const { page, system } = await openLivePage();
    await press(water(page), /^Start: Hot water once now/);
    await until(async () => system.recorder.last(`${WATER}/oneTimeCharge/active`)).toBe('true');
    await press(water(page), /^Stop: Hot water once now/);
    await until(async () => system.recorder.last(`${WATER}/oneTimeCharge/active`)).toBe('false');
  });

  test('a holiday is planned from its first to its last day, and ended', async () => {
    const { page, system } = await openLivePage();
    const house = card(page, 'House');
    await house.getByRole('button', { name: 'Plan: Holiday, House', exact: true }).click();
    for (const width of [320, 900, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      const [first, last] = await Promise.all(['First day', 'Last day'].map((field) => house.getByLabel(field).boundingBox()));
      const isApart = first && last && (first.x + first.width <= last.x || first.y + first.height <= last.y);
      expect(isApart, `apart at ${width} px`).toBe(true);
    }
    await house.getByLabel('First day').fill('2030-12-09');
    await house.getByLabel('Last day').fill('2030-12-01');
    await press(house, 'Save');
    await house.getByText('The last day has to be after the first.').waitFor();
    await house.getByLabel('Last day').fill('2030-12-20');
    await press(house, 'Save');
    await house.getByText(/Holiday: 9 December 2030 to 20 December 2030/).waitFor();
    expect(system.recorder.last('heating2mqtt/home/heating/operating/programs/holiday/end')).toBe('2030-12-20');
    await press(house, /^Delete plan: Holiday/);
    await house.getByRole('button', { name: 'Plan: Holiday, House', exact: true }).waitFor();
  });

  test('by keys alone: a target two degrees higher until tonight', async () => {
    const { page, system } = await openLivePage();
    await water(page).getByRole('button', { name: 'Warmer' }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Space');
    const focused = () => page.evaluate<string>(`document.activeElement?.textContent ?? ''`);
    for (let tries = 0; tries < 12 && !/^Until (?:tonight|midnight)/.test(await focused()); tries += 1) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await until(async () => system.recorder.last(TARGET)).toBe('52');
    await until(async () => system.recorder.last(`${WATER}/temperature/main/until`)).toMatch(/^20/);
  });
});
