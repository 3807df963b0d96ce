import { appendFileSync } from 'node:fs';
import path from 'node:path';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../src/shared/clock.ts';
import { LogRing } from '../../src/shared/log.ts';
import { startWeb, type WebServer } from '../../src/web/server.ts';
import { startChromium } from '../support/browser/chromium.ts';
import { recordingLog, SCHEDULE, SCHEDULE_TOPIC, startTestSystem, type TestSystem, tempDir } from '../support/system/testSystem.ts';
import { openPage, updatePicture } from './browser.ts';
import { endAll, type Hub, startHub } from './home-assistant-hub.ts';
import { addUser, type HubUser, loginScript } from './home-assistant-user.ts';

const SOON = { timeout: 40_000, interval: 200 };
const DASHBOARD = 'heating-card';
const WEEK = 'mon-fri 06:00-08:00 normal, 17:00-22:00 normal; sat-sun 08:00-22:00 normal';
const EARLIER = WEEK.replace('22:00 normal; sat', '21:00 normal; sat');

type Window = { readonly page: Page; readonly card: Locator };

/** The card in a real Home Assistant and a real browser, used by somebody who is no administrator. */
describe('the card for Home Assistant', () => {
  let hub: Hub;
  let system: TestSystem;
  let web: WebServer;
  let browser: Browser;
  let anna: HubUser;
  let week = '';
  let water = '';
  let views: readonly object[] = [];

  const states = async () => (await hub.states()).get(week);
  const text = async (): Promise<string | undefined> => (await states())?.state;
  const eventually = (check: () => Promise<void>): Promise<void> => vi.waitFor(check, SOON);

  /** The entity of a topic, whatever it is called. */
  const entityOf = async (leaf: string): Promise<string> => {
    const found = [...(await hub.registered()).values()].find(({ unique_id: id }) => id.endsWith(leaf));
    if (!found) throw new Error(`no entity ends with ${leaf}`);
    return found.entity_id;
  };

  const saveDashboard = (views: readonly object[]): Promise<unknown> =>
    hub.ask({ type: 'lovelace/config/save', url_path: DASHBOARD, config: { title: 'Heating', views } });

  const open = async (view: string, options: BrowserContextOptions & { readonly user?: HubUser } = {}): Promise<Window> => {
    const { user = anna, ...more } = options;
    const size = { viewport: { width: 1280, height: 1000 }, reducedMotion: 'reduce' } as const;
    const page = await openPage(browser, `${hub.url}/${DASHBOARD}/${view}`, { ...size, ...more }, loginScript(user.login));
    const card = page.locator('heating2mqtt-card').first();
    await card.getByRole('grid').waitFor();
    return { page, card };
  };

  /** The point in the lane of a row at a time of the day. */
  const pointAt = async (card: Locator, day: string, minutes: number): Promise<{ readonly x: number; readonly y: number }> => {
    const box = await card.locator(`[data-lane="${day}"]`).boundingBox();
    if (!box) throw new Error(`no row begins with ${day}`);
    const share = minutes / 1440;
    return box.height > box.width
      ? { x: box.x + box.width / 2, y: box.y + box.height * share }
      : { x: box.x + box.width * share, y: box.y + box.height / 2 };
  };

  const save = async (card: Locator): Promise<void> => {
    await card.getByRole('button', { name: 'Save', exact: true }).click();
    await card.getByRole('button', { name: 'Save now', exact: true }).click();
  };

  const taken = (card: Locator): Promise<void> => card.getByText('The heating has it.').first().waitFor();

  const saved = async (card: Locator): Promise<void> => {
    await save(card);
    await taken(card);
  };

  /** Writes past the card, as an automation does. */
  const write = async (value: string): Promise<void> => {
    await system.recorder.publish(`${SCHEDULE_TOPIC}/set`, value);
    await eventually(async () => expect(await text()).toContain(value));
  };
  /** The dashboard with the usual week. */
  const openWeek = async (...given: Parameters<typeof open>): Promise<Window> => {
    await write(WEEK);
    return open(...given);
  };

  beforeAll(async () => {
    hub = await startHub();
    appendFileSync(path.join(hub.configDir, 'configuration.yaml'), '\nfrontend:\nlovelace:\n');
    system = await startTestSystem({
      brokerUrl: hub.mqttUrl,
      device: { features: ['*'] },
      // Each write looks first what the platform has.
      overrides: { schedules: { profiles: [['holiday', 'daily none']] }, commands: { fresh_s: 0 } },
    });
    web = await startWeb({
      settings: { enabled: true, port: 0, hosts: [], trusted_proxies: [], frame_ancestors: [], update_check: false },
      mode: 'run',
      dataDir: tempDir(),
      isContainer: false,
      logRing: new LogRing(),
      log: recordingLog([]),
      clock: systemClock,
    });
    web.attach(system.app.view);
    await hub.restart();
    anna = await addUser(hub, 'anna', 'system-users');
    await hub.ask({ type: 'lovelace/resources/create', res_type: 'module', url: `${web.addresses()[0]}heating2mqtt-card.js` });
    await hub.ask({ type: 'lovelace/dashboards/create', url_path: DASHBOARD, title: 'Heating', mode: 'storage' });
    await eventually(async () => {
      week = await entityOf('_heating_circuits_0_heating_schedule_text');
      water = await entityOf('_heating_dhw_schedule_text');
      expect((await states())?.attributes['rev']).toBeDefined();
    });
    const card = { type: 'custom:heating2mqtt-card', entity: week };
    const noWeek = await entityOf('_heating_circuits_0_heating_schedule_now');
    views = [
      { path: 'wide', title: 'Heating', type: 'panel', cards: [{ ...card, title: 'Ground floor' }] },
      { path: 'sections', title: 'All weeks', type: 'sections', sections: [{ cards: [card, { ...card, entity: water }] }] },
      { path: 'other', title: 'Other', cards: [{ type: 'markdown', content: 'another view' }] },
      { path: 'wrong', title: 'Wrong', cards: ['text.nowhere', noWeek, ''].map((entity) => ({ ...card, entity })) },
    ];
    await saveDashboard(views);
    browser = await startChromium();
  });
  afterAll(() => endAll(browser, web, system, hub));

  it('has nothing but the week to read: its attributes', async () => {
    expect((await states())?.attributes).toMatchObject({
      entries: JSON.parse(system.recorder.last(`${SCHEDULE_TOPIC}/entries`) ?? ''),
      writable: true,
      constraints: { resolution: 10 },
      profiles: { holiday: 'mon-sun none' },
    });
    expect(await hub.problems()).toBe('');
  });

  it('looks like the picture in the documentation', async () => {
    onTestFinished(async () => void (await saveDashboard(views)));
    await saveDashboard(views.slice(0, 1));
    const { page } = await open('wide', { viewport: { width: 1180, height: 560 } });
    await updatePicture(page, 'home-assistant-card.png');
  });

  it('is drawn with by the mouse, and writes without an administrator', async () => {
    const { page, card } = await openWeek('wide');
    const [from, to] = [await pointAt(card, 'mon', 9 * 60), await pointAt(card, 'mon', 11 * 60)];
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(to.x, to.y, { steps: 8 });
    await page.mouse.up();
    await card.getByText('5 days changed').waitFor();
    await saved(card);
    await eventually(async () =>
      expect(await text()).toBe('mon-fri 06:00-08:00 normal, 17:00-22:00 normal, 09:00-11:00 normal; sat-sun 08:00-22:00 normal'),
    );
    // Takes it back, too.
    await card.getByRole('button', { name: 'Undo this save' }).click();
    await eventually(async () => expect(await text()).toBe(WEEK));
    await taken(card);
    expect(await hub.problems()).toBe('');
  });

  it('writes until the next change of the week', async () => {
    const { page, card } = await openWeek('wide');
    await card.getByRole('button', { name: /^06:00–08:00/ }).focus();
    for (const key of ['Enter', 'Tab', 'Tab', 'PageUp', 'ArrowRight', 'Escape']) await page.keyboard.press(key);
    await card.getByText('5 days changed').waitFor();
    await card.getByRole('button', { name: 'Save', exact: true }).click();
    await card.getByText('Until the next change').click();
    await card.getByRole('button', { name: 'Save now', exact: true }).click();
    // The longer morning is over at its end.
    const until = await system.recorder.untilTopic(`${SCHEDULE_TOPIC}/until`);
    expect(until.payload).toContain('T09:10:00');
    await card
      .getByText(/^The heating has it until .* 09:10/u)
      .first()
      .waitFor();
    await system.recorder.publish(`${SCHEDULE_TOPIC}/until/set`, 'now');
    await eventually(async () => expect(await text()).toBe(WEEK));
  });

  it('is used by keys alone', async () => {
    const { page, card } = await openWeek('wide');
    await card.getByRole('button', { name: /^06:00–08:00/ }).focus();
    for (const key of ['Enter', 'Tab', 'Tab', 'PageUp', 'ArrowRight', 'Escape', 'ArrowRight', 'Delete']) await page.keyboard.press(key);
    await card.getByText('5 days changed').waitFor();
    // No key was taken for a shortcut of Home Assistant.
    expect(await page.locator('ha-quick-bar').getByRole('textbox').count()).toBe(0);
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+Shift+z');
    await card.getByRole('button', { name: 'Save', exact: true }).focus();
    await page.keyboard.press('Enter');
    await card.getByRole('button', { name: 'Save now', exact: true }).focus();
    await page.keyboard.press('Enter');
    await taken(card);
    await eventually(async () => expect(await text()).toBe('mon-fri 06:00-09:10 normal; sat-sun 08:00-22:00 normal'));
  });

  it('is used by touch on a phone, in the dark', async () => {
    await write(WEEK);
    const options = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, colorScheme: 'dark' } as const;
    const { page, card } = await open('sections', options);
    // It begins with today.
    await card.locator('.strip button').first().tap();
    await card.getByRole('button', { name: /^06:00–08:00/ }).tap();
    await card.getByRole('slider', { name: 'End' }).waitFor();
    const handle = await card.getByRole('slider', { name: 'End' }).boundingBox();
    if (!handle) throw new Error('the handle is not to be seen');
    const from = { x: handle.x + handle.width / 2, y: handle.y + handle.height / 2 };
    const hour = (await pointAt(card, 'mon', 60)).y - (await pointAt(card, 'mon', 0)).y;
    const devtools = await page.context().newCDPSession(page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', y?: number) =>
      devtools.send('Input.dispatchTouchEvent', { type, touchPoints: y === undefined ? [] : [{ x: from.x, y }] });
    await touch('touchStart', from.y);
    for (let step = 1; step <= 8; step += 1) await touch('touchMove', from.y + (hour * step) / 8);
    // A finger that lifts in full motion flings, and the next tap only stops that.
    for (let frame = 0; frame < 4; frame += 1) {
      await page.evaluate(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))`);
      await touch('touchMove', from.y + hour);
    }
    await touch('touchEnd');
    await card.getByRole('button', { name: 'Done' }).tap();
    await card.getByText('5 days changed').waitFor();
    await card.getByRole('button', { name: 'Save', exact: true }).tap();
    await card.getByRole('button', { name: 'Save now', exact: true }).tap();
    await taken(card);
    await eventually(async () => expect(await text()).toBe('mon-fri 06:00-09:00 normal, 17:00-22:00 normal; sat-sun 08:00-22:00 normal'));
  });

  /** Types a week into the text below the drawing. */
  const type = async (card: Locator, value: string): Promise<void> => {
    await card.getByText('As text', { exact: true }).click();
    await card.getByRole('textbox', { name: 'As text' }).fill(value);
  };

  it('sends a long week in parts, as one command', async () => {
    await write(WEEK);
    const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'].map(
      (day, index) => `${day} 0${index}:00-0${index}:30 normal, 08:00-09:00 comfort, 12:00-13:00 normal, 17:00-2${index % 4}:00 comfort`,
    );
    const { card } = await open('wide');
    const sent = system.posts().length;
    await type(card, days.join('; '));
    await saved(card);
    await eventually(async () =>
      expect((await states())?.attributes['entries']).toMatchObject({ sun: [{ start: '06:00' }, {}, {}, { end: '22:00' }] }),
    );
    expect(system.posts()).toHaveLength(sent + 1);
    expect((await text())?.length).toBe(255);
    expect(await hub.problems()).toBe('');
  });

  it('says why the heating refused a change, and keeps it', async () => {
    const { card } = await openWeek('wide');
    await type(card, EARLIER);
    system.simulator.control({ command: 'fault', kind: 'device_offline', match: { method: 'POST', path: 'setSchedule' }, times: 1 });
    await save(card);
    const refused = card.getByText(/^The heating did not accept it\./).first();
    await refused.waitFor();
    expect(await text()).toBe(WEEK);
    await saved(card);
  });

  it('writes nothing over a change by the app of the vendor, and then what was meant', async () => {
    const { card } = await openWeek('wide');
    await type(card, EARLIER);
    // Nobody but the platform knows of this one before the bridge looks, which it does before it writes.
    const entries: unknown = JSON.parse(system.recorder.last(`${SCHEDULE_TOPIC}/entries`) ?? '{}');
    system.simulator.control({ command: 'set', feature: SCHEDULE, property: 'entries', value: { ...Object(entries), sun: [] } });
    await save(card);
    await card.getByText('The week was changed elsewhere in the meantime.').first().waitFor();
    await saved(card);
    await eventually(async () => expect(await text()).toBe(EARLIER.replace(/sat-sun.*/, 'sat 08:00-22:00 normal; sun none')));
  });

  it('keeps what was not saved while another view is shown, and shows two cards of their own', async () => {
    const { page, card } = await openWeek('sections', { viewport: { width: 1600, height: 1200 } });
    await page.locator('heating2mqtt-card').nth(1).getByRole('grid').waitFor();
    await type(card, EARLIER);
    await card.getByText('5 days changed').waitFor();
    expect(await page.locator('heating2mqtt-card').nth(1).getByText('days changed').count()).toBe(0);
    await page.getByRole('tab', { name: 'Other' }).click();
    await page.getByText('another view').waitFor();
    await page.getByRole('tab', { name: 'All weeks' }).click();
    await card.getByText('5 days changed').waitFor();
    // The other way in: another panel of Home Assistant, and back.
    await page.evaluate(`history.pushState(null, '', '/profile'); dispatchEvent(new CustomEvent('location-changed'))`);
    await page.locator('ha-panel-profile').waitFor();
    await page.goBack();
    await card.getByText('5 days changed').waitFor();
    await saved(card);
  });

  it('may be looked at by those who may change nothing, and tells them so', async () => {
    await write(WEEK);
    const guest = await addUser(hub, 'guest', 'system-read-only');
    const { card } = await open('wide', { user: guest });
    await card.getByText('Your account in Home Assistant may not change this.').first().waitFor();
    expect(await card.getByRole('button', { name: /Save|Add/ }).count()).toBe(0);
    expect(await text()).toBe(WEEK);
  });

  it('says what is wrong with its entity, and that the heating is not available', async () => {
    const { page, card } = await openWeek('wide');
    const other = await page.context().newPage();
    await other.goto(`${hub.url}/${DASHBOARD}/wrong`, { waitUntil: 'commit' });
    await other.getByText('Home Assistant has no entity text.nowhere.').waitFor();
    await other.getByText('is no schedule of heating2mqtt').waitFor();
    await other.getByText('Choose a schedule in the settings').waitFor();
    await type(card, EARLIER);
    await system.stopApp();
    await card.getByText('The heating is not available now').waitFor();
    await system.restart();
    await card.getByText('5 days changed').waitFor();
    await saved(card);
  });

  it('is set up in the editor of the dashboard, with our weeks to choose from, and is in the list of cards', async () => {
    const { page } = await open('sections', { user: { ...anna, login: { ...anna.login, access_token: hub.token } } });
    const form = await page.evaluate(`(async () => {
      const card = customElements.get('heating2mqtt-card');
      const { hass } = document.querySelector('home-assistant');
      const editor = await card.getConfigElement();
      editor.hass = hass;
      editor.setConfig({ type: 'custom:heating2mqtt-card', ...card.getStubConfig(hass) });
      editor.addEventListener('config-changed', ({ detail }) => { globalThis.changed = detail.config; });
      document.querySelector('home-assistant').shadowRoot.append(editor);
      editor.style.cssText = 'position: fixed; inset: 80px 20px auto; padding: 20px; z-index: 9; background: white; display: block';
      return { cards: customCards.map(({ type }) => type), schema: editor.querySelector('ha-form').schema, data: editor.querySelector('ha-form').data };
    })()`);
    expect(form).toMatchObject({
      cards: ['heating2mqtt-card'],
      schema: [{ name: 'entity', selector: { entity: { include_entities: expect.arrayContaining([week, water]) } } }, { name: 'title' }],
      data: { entity: expect.stringMatching(/^text\./) },
    });
    const editor = page.locator('heating2mqtt-card-editor');
    await editor.getByText('Title').first().waitFor();
    await editor.getByRole('textbox', { name: 'Title' }).fill('Upstairs');
    await expect.poll(() => page.evaluate('globalThis.changed')).toMatchObject({ title: 'Upstairs', entity: expect.any(String) });
  });

  it('speaks German to who has chosen it in Home Assistant', async () => {
    const { card } = await open('wide', { locale: 'de' });
    await card.getByRole('button', { name: 'Speichern', exact: true }).waitFor();
  });

  it('left no warning in the log', async () => {
    const lines = (await hub.problems()).split('\n');
    // That is how the card learns that the guest may change nothing.
    const asked = lines.filter((line) => line.endsWith('Error during service call to homeassistant.update_entity: Unauthorized'));
    expect([lines.filter((line) => line !== '' && !asked.includes(line)), asked.length]).toEqual([[], 1]);
  });
});
