import type { FrameLocator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { type LivePage, openLivePage, saveWeek, typeWeek } from '../../support/browser/livePage.ts';
import { freePort } from '../../support/network/freePort.ts';
import { SCHEDULE, SCHEDULE_TOPIC } from '../../support/system/testSystem.ts';
import { startReverseProxy } from '../../support/web/reverseProxy.ts';
import { openSetup } from '../../support/web/setupBrowser.ts';
import { setupWorld } from '../../support/web/setupWorld.ts';

const PASSWORD = 'correct horse';
const NAME = 'heating.example.com';
const TARGET = 'heating2mqtt/home/heating/dhw/temperature/main/value';
const UNTIL = { timeout: 20_000 };

/** A write on the overview, and a week that is drawn anew, as people do both. */
const useIt = async ({ system }: LivePage, page: Page | FrameLocator): Promise<void> => {
  const { recorder } = system;
  const water = page.getByRole('region', { name: 'Hot water', exact: true });
  await water.getByRole('button', { name: 'Warmer' }).click();
  await water.getByRole('button', { name: 'Permanently', exact: true }).click();
  await water.getByText(/^The heating has it/).waitFor(UNTIL);
  expect(recorder.last(TARGET)).toBe('51');
  await page.getByRole('link', { name: 'Schedules', exact: true }).click();
  await page.locator(`a[href$="${SCHEDULE}"]`).click();
  await typeWeek(page, 'mon 05:30-09:00 normal');
  await saveWeek(page);
  await page.locator('heating-week-editor').getByText('The heating has it.').first().waitFor(UNTIL);
  expect(recorder.last(`${SCHEDULE_TOPIC}/text`)).toContain('mon 05:30-09:00 normal');
};

describe.each([
  ['keeps', { base_path: '/heating', hosts: [NAME] }],
  ['strips', { hosts: [NAME] }],
] as const)('behind a proxy that %s the prefix', (style, settings) => {
  test('by a name of its own, on plain http, with a password', async () => {
    const proxy = await startReverseProxy(style, { name: NAME, client: '192.168.1.30' });
    const web = { ...settings, password: PASSWORD, trusted_proxies: ['127.0.0.1'] };
    const opened = await openLivePage({ proxy, through: proxy }, {}, { settings: web });
    const { page, wrong } = opened;
    await page.getByLabel('Password of this page').fill(PASSWORD);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByText('All is well').waitFor();
    expect(await page.context().cookies()).toMatchObject([{ domain: NAME, path: '/heating/api', httpOnly: true, sameSite: 'Strict' }]);
    await expect.poll(() => proxy.passed.some((line) => line.startsWith('GET 200 api/stream'))).toBe(true);
    await useIt(opened, page);
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Floor' }).waitFor();
    expect(proxy.passed.filter((line) => !/^\w+ (?:2|401 api\/|304)/.test(line))).toEqual([]);
    expect(await wrong()).toEqual([]);
  });
});

describe('in Home Assistant', () => {
  const open = async (): Promise<
    LivePage & { readonly frame: FrameLocator; readonly proxy: Awaited<ReturnType<typeof startReverseProxy>> }
  > => {
    const proxy = await startReverseProxy('ingress', { holdsStreams: true });
    const settings = { ingress: await freePort(), password: PASSWORD };
    const opened = await openLivePage({ through: proxy }, {}, { settings, supervisor: ['127.0.0.1'] });
    return { ...opened, proxy, frame: opened.page.frameLocator('iframe') };
  };

  test('in its frame, without a login or a cookie, while streams are held back', async () => {
    const opened = await open();
    const { page, frame, proxy, system } = opened;
    await frame.getByText('All is well').waitFor();
    await useIt(opened, frame);
    await frame.getByRole('link', { name: 'Overview' }).click();
    const water = frame.getByRole('region', { name: 'Hot water', exact: true });
    await water.getByText('51 °C').waitFor();
    await system.recorder.publish(`${TARGET}/set`, '54');
    await water.getByText('54 °C').waitFor();
    await frame.getByRole('link', { name: 'Log', exact: true }).click();
    const lines = frame.locator('.changes li');
    await lines
      .filter({ hasText: 'heating.dhw' })
      .filter({ hasText: '50 °C → 51 °C' })
      .filter({ hasText: 'Änna B., on this page' })
      .waitFor();
    await lines.filter({ hasText: '51 °C → 54 °C' }).filter({ hasText: 'MQTT' }).waitFor();
    expect(await page.context().cookies()).toEqual([]);
    expect(proxy.passed.filter((line) => !/^\w+ 20/.test(line))).toEqual([]);
    expect(await page.frames()[1]?.evaluate('wrong')).toEqual([]);
    expect(opened.web.logged.some(({ facts }) => JSON.stringify(facts).includes('Änna B.'))).toBe(true);
  });

  test('when its login has ended the page says so, keeps a week that is not saved, and goes on as soon as there is a new one', async () => {
    const { frame, proxy } = await open();
    await frame.getByRole('link', { name: 'Schedules', exact: true }).click();
    await frame.locator(`a[href$="${SCHEDULE}"]`).click();
    await typeWeek(frame, 'mon 05:30-09:00 normal');
    proxy.end();
    const told = frame.getByText(/^Home Assistant has closed this session/);
    await told.waitFor(UNTIL);
    expect(await frame.getByLabel('Password of this page').count()).toBe(0);
    await saveWeek(frame);
    await frame
      .locator('heating-week-editor')
      .getByText(/The connection broke before it was sent/)
      .first()
      .waitFor(UNTIL);
    proxy.renew();
    await told.waitFor({ state: 'hidden', ...UNTIL });
    await saveWeek(frame);
    await frame.locator('heating-week-editor').getByText('The heating has it.').first().waitFor(UNTIL);
  });
});

describe('the first set-up', () => {
  test.each(['keeps', 'strips'] as const)('below a path, where the proxy %s it', async (style) => {
    const proxy = await startReverseProxy(style, { name: NAME, client: '192.168.1.30' });
    const port = await freePort();
    proxy.leadTo(port);
    const world = await setupWorld({
      HEATING2MQTT_WEB_PORT: String(port),
      HEATING2MQTT_WEB_HOSTS: NAME,
      ...(style === 'keeps' ? { HEATING2MQTT_WEB_BASE_PATH: '/heating' } : {}),
    });
    const { page, faults, check } = await openSetup(proxy.url, { proxy });
    await page.getByRole('textbox').fill(world.code());
    await page.keyboard.press('Enter');
    await page.getByLabel('Address of the broker').fill(world.broker.url);
    await page.keyboard.press('Enter');
    await page.getByLabel('Client ID', { exact: true }).waitFor();
    await page.reload();
    // The cookie of the code holds, and what was entered is there.
    await page.getByLabel('Client ID', { exact: true }).waitFor();
    expect(await check()).toEqual([]);
    expect(faults).toEqual([]);
  });
});
