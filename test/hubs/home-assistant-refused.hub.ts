import { appendFileSync } from 'node:fs';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startChromium } from '../support/browser/chromium.ts';
import { startTestSystem, type TestSystem } from '../support/system/testSystem.ts';
import { openPage } from './browser.ts';
import { endAll, type Hub, startHub } from './home-assistant-hub.ts';
import { addUser, type HubUser, loginScript } from './home-assistant-user.ts';

const SOON = { timeout: 40_000, interval: 200 };
const ANSWER = 'event.home_answer';

/** What people type and set on a dashboard while the heating takes nothing. */
describe('a refused value in Home Assistant', () => {
  let hub: Hub;
  let system: TestSystem;
  let browser: Browser;
  let anna: HubUser;

  const eventually = (check: () => Promise<void>): Promise<void> => vi.waitFor(check, SOON);
  const answered = async (): Promise<Readonly<Record<string, unknown>>> => (await hub.states()).get(ANSWER)?.attributes ?? {};

  beforeAll(async () => {
    hub = await startHub();
    appendFileSync(path.join(hub.configDir, 'configuration.yaml'), '\nfrontend:\nlovelace:\n');
    system = await startTestSystem({ brokerUrl: hub.mqttUrl, device: { features: ['*'] } });
    await hub.restart();
    anna = await addUser(hub, 'anna', 'system-users');
    await eventually(async () => expect(await hub.states()).toSatisfy((states) => states.has('water_heater.home_hot_water')));
    const entities = ['number.home_floor_heating_curve_slope', 'text.home_floor_heating_schedule_text', 'text.home_holiday_end', ANSWER];
    const thermostats = ['climate.home_floor', 'water_heater.home_hot_water'].map((entity) => ({ type: 'thermostat', entity }));
    const cards = [{ type: 'entities', entities }, ...thermostats];
    await hub.ask({ type: 'lovelace/dashboards/create', url_path: 'refused-values', title: 'Refused', mode: 'storage' });
    const config = { title: 'Refused', views: [{ path: 'all', title: 'All', cards }] };
    await hub.ask({ type: 'lovelace/config/save', url_path: 'refused-values', config });
    browser = await startChromium();
    system.simulator.control({ command: 'fault', kind: 'validation', match: { method: 'POST' } });
  });
  afterAll(() => endAll(browser, system, hub));

  const open = (): Promise<Page> =>
    openPage(browser, `${hub.url}/refused-values/all`, { viewport: { width: 1280, height: 900 } }, loginScript(anna.login));

  /** The write was refused, and what was written is gone from the screen. */
  const goesBack = async (from: number, topic: string, screen: () => Promise<string>, present: string): Promise<void> => {
    const isRefusal = (payload: string): boolean => /"status":"(?:rejected|failed)"/u.test(payload);
    await system.recorder.until((heard) => heard.payload.includes(`${topic}/set"`) && isRefusal(heard.payload), from);
    await eventually(async () => expect(await screen()).toBe(present));
  };

  it.each([
    ['number', 0, '1.9', 'curve/slope'],
    ['text', 0, 'mon 17:25-18:00 normal', 'schedule/text'],
    ['text', 1, '2030-99-99', 'holiday/end'],
  ])('goes back in a %s (%i)', async (kind, index, value, topic) => {
    const input = (await open()).locator(`hui-${kind}-entity-row`).nth(index).locator('input');
    await input.waitFor();
    await eventually(async () => expect((await input.inputValue()) === '').toBe(topic === 'holiday/end'));
    const present = await input.inputValue();
    const from = system.recorder.heard.length;
    await input.fill(value);
    await input.press('Enter');
    await goesBack(from, topic, () => input.inputValue(), present);
  });

  it.each(['climate', 'water_heater'])('goes back in a thermostat: %s', async (kind) => {
    const page = await open();
    const card = page.locator('hui-thermostat-card').filter({ has: page.locator(`ha-state-control-${kind}-temperature`) });
    const dial = card.getByRole('slider').first();
    const shown = async (): Promise<string> => (await dial.getAttribute('aria-valuenow')) ?? '';
    const present = await shown();
    const from = system.recorder.heard.length;
    await card.locator('ha-outlined-icon-button').last().click();
    await eventually(async () => expect(await shown()).not.toBe(present));
    await goesBack(from, `${kind}/target`, shown, present);
  });

  it('stays in the answer until the next change of its feature is taken', async () => {
    system.simulator.control({ command: 'clear' });
    const refuse = (value: string): Promise<void> =>
      hub.call('text.set_value', { entity_id: 'text.home_floor_heating_schedule_text', value });
    await refuse('mon 17:25-18:00 normal');
    const refused = { status: 'rejected', message: '17:25 is not on the 10-minute grid' };
    await eventually(async () => expect(await answered()).toMatchObject({ event_type: 'rejected', refused }));
    await hub.call('number.set_value', { entity_id: 'number.home_floor_heating_curve_slope', value: 1.1 });
    await eventually(async () => expect(await answered()).toMatchObject({ event_type: 'applied', refused }));
    await refuse('mon 17:20-18:00 normal');
    await eventually(async () => expect(await answered()).toMatchObject({ event_type: 'applied', refused: null }));
    expect(await hub.problems()).toBe('');
  });
});
