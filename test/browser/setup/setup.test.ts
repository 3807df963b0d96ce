import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { freePort } from '../../support/network/freePort.ts';
import { listen } from '../../support/network/mqttRecorder.ts';
import { openSetup, type SetupPage } from '../../support/web/setupBrowser.ts';
import { PAGE_PASSWORD, type SetupWorld, setupWorld } from '../../support/web/setupWorld.ts';

const enter = async (field: Locator, text: string): Promise<void> => {
  await field.fill(text);
  await field.press('Enter');
};

/** A browser that is past the form for the code. */
const entered = async (world: SetupWorld, options: Parameters<typeof openSetup>[1] = {}): Promise<SetupPage> => {
  const opened = await openSetup(world.page, options);
  const { page } = opened;
  await enter(page.getByRole('textbox'), world.code());
  await page.getByRole('navigation').waitFor();
  return opened;
};

const LOOKS = [
  ['en', 1280, 'light'],
  ['de', 320, 'dark'],
] as const;

const WORDS = {
  en: {
    wrong: 'That code is wrong or has expired. Use the newest one in the log.',
    late: /^That took longer than 20 seconds/,
    chosen: '2 devices chosen. Data folder: ',
    used: /^This address belongs to an earlier login/,
    ...{ code: 'Code from the log', broker: 'Address of the broker', client: 'Client ID', open: 'Open the login page' },
    ...{ paste: 'The address of the error page', devices: 'Which devices?', finish: 'Check and start', next: 'Go on' },
    ...{ password: 'Password of this page', start: 'Save and start', overview: 'Overview' },
  },
  de: {
    wrong: 'Dieser Code ist falsch oder abgelaufen. Nimm den neuesten aus dem Protokoll.',
    late: /^Das hat länger als 20 Sekunden gedauert/,
    chosen: '2 Geräte gewählt. Datenordner: ',
    used: /^Diese Adresse gehört zu einer früheren Anmeldung/,
    ...{ code: 'Code aus dem Protokoll', broker: 'Adresse des Brokers', client: 'Client-ID', open: 'Anmeldung öffnen' },
    ...{ paste: 'Die Adresse der Fehlerseite', devices: 'Welche Geräte?', finish: 'Prüfen und starten', next: 'Weiter' },
    ...{ password: 'Passwort dieser Seite', start: 'Speichern und starten', overview: 'Übersicht' },
  },
} as const;

test.each(LOOKS)('from nothing to the first topic, in %s at %i px, %s', async (locale, width, colorScheme) => {
  const world = await setupWorld();
  const w = WORDS[locale];
  const { page, check, faults, logInBy } = await openSetup(world.page, { locale, colorScheme, viewport: { width, height: 800 } });
  const recorder = await listen(world.broker.url);

  await enter(page.getByLabel(w.code), 'not the code');
  await expect.poll(() => page.getByRole('alert').first().textContent()).toBe(w.wrong);
  expect(await check()).toEqual([]);
  await enter(page.getByLabel(w.code), world.code());

  await enter(page.getByLabel(w.broker), 'mqtt://127.0.0.1:1');
  await expect.poll(() => page.getByLabel(w.broker).getAttribute('aria-invalid')).toBe('true');
  expect(await check()).toEqual([]);
  await enter(page.getByLabel(w.broker), world.broker.url);

  await page.getByLabel(w.client, { exact: true }).fill('nobody');
  // The last slash of the redirect address decides: it is shown on a phone too, where the button stood beside it.
  await page.setViewportSize({ width: 390, height: 800 });
  const redirect = page.locator('.copy textarea').first();
  const cut = () => redirect.evaluate((field) => [field.scrollWidth - field.clientWidth, field.scrollHeight - field.clientHeight]);
  expect(await cut()).toEqual([0, 0]);
  // So is that of the page itself, which is longer than a line.
  await page.getByRole('radio').nth(1).check();
  await expect.poll(() => redirect.inputValue()).toContain('/login/callback');
  expect(await cut()).toEqual([0, 0]);
  await page.getByRole('radio').first().check();
  await page.setViewportSize({ width, height: 800 });
  expect(await check()).toEqual([]);
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByLabel(w.client, { exact: true }).getAttribute('aria-invalid')).toBe('true');
  await enter(page.getByLabel(w.client, { exact: true }), 'heating2mqtt-demo');

  // A refusal has used up the link: the page has a new one, and says why.
  world.simulator.control({ command: 'fault', kind: 'invalid_grant', match: { path: 'token' }, times: 1 });
  const late = await logInBy(w.open);
  await page.getByLabel(w.paste).fill(late);
  await page.getByText(w.late).waitFor();
  expect(await check()).toEqual([]);
  // An address whose link was used is no error page's that was copied wrongly.
  await page.getByLabel(w.paste).fill(late);
  await page.getByText(w.used).waitFor();
  const address = await logInBy(w.open);
  expect(await check()).toEqual([]);
  // Pasting sends it.
  await page.getByLabel(w.paste).fill(address);
  await page.getByRole('heading', { name: w.devices }).waitFor();

  await page.getByRole('checkbox').nth(1).waitFor();
  expect(await check()).toEqual([]);
  await page.getByRole('textbox').first().fill('house');
  await page.getByRole('button', { name: w.next }).click();
  await page.getByRole('heading', { name: w.finish }).waitFor();

  await page.locator('.checks li').nth(3).waitFor();
  expect(await page.locator('.checks .bad').count()).toBe(0);
  expect(await page.locator('.checks').textContent()).toContain(w.chosen);
  expect(await page.getByRole('button', { name: w.start }).isDisabled()).toBe(true);
  await page.getByLabel(w.password).fill(PAGE_PASSWORD);
  await expect.poll(() => page.getByRole('button', { name: w.start }).isDisabled()).toBe(false);
  await page.locator('summary').filter({ hasText: 'settings.yaml' }).click();
  expect(await page.getByRole('textbox').last().inputValue()).toContain('client_id: heating2mqtt-demo');
  expect(await check()).toEqual([]);
  await page.getByRole('button', { name: w.start }).click();

  await recorder.until(({ topic }) => topic.startsWith('heating2mqtt/house/heating/'));
  await recorder.close();
  await page.getByRole('link', { name: w.overview }).waitFor();
  expect(faults).toEqual([]);
});

test('an account that may not list its devices yet: the bridge starts all the same, and says so', async () => {
  const world = await setupWorld();
  world.simulator.control({ command: 'fault', kind: 'not_paid', match: { path: '/iot/' } });
  const { page, check, logInBy } = await entered(world);
  const recorder = await listen(world.broker.url);
  await enter(page.getByLabel('Address of the broker'), world.broker.url);
  await enter(page.getByLabel('Client ID', { exact: true }), 'heating2mqtt-demo');
  await page.getByLabel('The address of the error page').fill(await logInBy('Open the login page'));
  await page.getByRole('button', { name: 'Go on with all devices' }).waitFor();
  expect(await check()).toEqual([]);
  await page.getByRole('button', { name: 'Go on with all devices' }).click();
  await page.getByLabel('Password of this page').fill(PAGE_PASSWORD);
  await page.getByRole('button', { name: 'Save and start' }).click();
  await recorder.until(({ topic, payload }) => topic === 'heating2mqtt/bridge/problems' && String(payload).includes('"plan"'));
  await recorder.close();
  await page.getByRole('link', { name: 'Overview' }).waitFor();
});

test('on a platform without a list of devices (v1) the ids are entered, and the bridge reads', async () => {
  const world = await setupWorld({ HEATING2MQTT_PLATFORM_PROFILE: '' }, { v1Retired: false });
  const { installation, gateway, devices } = world.simulator;
  const { page, check, faults, logInBy } = await entered(world);
  const recorder = await listen(world.broker.url);
  await enter(page.getByLabel('Address of the broker'), world.broker.url);
  await enter(page.getByLabel('Client ID', { exact: true }), 'heating2mqtt-demo');
  await page.getByLabel('The address of the error page').fill(await logInBy('Open the login page'));
  await page.getByLabel('Number of the installation').fill(String(installation));
  await page.getByLabel('Serial number of the gateway').fill(gateway);
  await page.getByLabel('Id of the device').fill(String(devices[0]));
  expect(await check()).toEqual([]);
  await page.getByRole('button', { name: 'Add this device' }).click();
  await page.getByLabel('Name').fill('house');
  expect(await check()).toEqual([]);
  await page.getByRole('button', { name: 'Go on' }).click();
  await page.getByRole('heading', { name: 'Check and start' }).waitFor();
  await page.locator('.checks li').nth(3).waitFor();
  expect(await page.locator('.checks .bad').count()).toBe(0);
  await page.getByLabel('Password of this page').fill(PAGE_PASSWORD);
  await page.getByRole('button', { name: 'Save and start' }).click();
  await recorder.until(({ topic }) => topic.startsWith('heating2mqtt/house/heating/'));
  await recorder.close();
  const calls = world.simulator.calls().filter(({ path }) => path.includes('/features'));
  expect(calls.every(({ path }) => path.startsWith('/iot/v1/'))).toBe(true);
  expect(faults).toEqual([]);
});

test('what was entered stays over a reload, and over back', async () => {
  const world = await setupWorld();
  const { page } = await entered(world);
  await enter(page.getByLabel('Address of the broker'), world.broker.url);
  await page.getByLabel('Client ID', { exact: true }).waitFor();
  await page.reload();
  await page.getByLabel('Client ID', { exact: true }).waitFor();
  await page.goBack();
  await expect.poll(() => page.getByLabel('Address of the broker').inputValue()).toBe(world.broker.url);
  await page.goto(`${world.page}#/setup/client`);
  await enter(page.getByLabel('Client ID', { exact: true }), 'heating2mqtt-demo');
  await page.getByRole('link', { name: 'Open the login page' }).waitFor();
  await page.goto(`${world.page}#/setup/client`);
  await expect.poll(() => page.getByLabel('Client ID', { exact: true }).inputValue()).toBe('heating2mqtt-demo');
});

/** The set-up of a page to which the login comes back by itself, and the tab of that login. */
const loginThatReturns = async () => {
  const port = await freePort();
  const callback = `http://127.0.0.1:${port}/login/callback`;
  const world = await setupWorld({ HEATING2MQTT_WEB_PORT: String(port) }, { redirectUris: [callback] });
  const { page } = await entered(world);
  await page.goto(`${world.page}#/setup/client`);
  await page.getByLabel('Return to this page automatically', { exact: false }).check();
  expect(await page.getByRole('textbox', { name: 'Redirect address' }).inputValue()).toBe(callback);
  await enter(page.getByLabel('Client ID', { exact: true }), 'heating2mqtt-demo');
  const opened = page.context().waitForEvent('page');
  await page.getByRole('link', { name: 'Open the login page' }).click();
  const tab = await opened;
  return { world, page, tab };
};

test('a login that comes back to the page itself: one tap, and the tab ends at the page without the code in its address', async () => {
  const { world, page, tab } = await loginThatReturns();
  await tab.getByLabel('User name').fill('someone');
  await tab.getByLabel('Password').fill('secret');
  await tab.getByRole('button', { name: 'Log in' }).click();
  await tab.waitForURL(`${world.page}#/settings/login`);
  expect(tab.url()).not.toContain('code');
  // The tab in which it began goes on by itself.
  await page.getByRole('heading', { name: 'Which devices?' }).waitFor();
});

test('a login that fails on its way back to the page says why', async () => {
  const { world, page, tab } = await loginThatReturns();
  // The tab in which it began is behind this one: else it could take the failure, and begin anew.
  await page.evaluate("Object.defineProperty(document, 'hidden', { value: true, configurable: true })");
  world.simulator.control({ command: 'fault', kind: 'invalid_grant', match: { path: 'token' }, times: 1 });
  await tab.getByLabel('User name').fill('someone');
  await tab.getByLabel('Password').fill('secret');
  await tab.getByRole('button', { name: 'Log in' }).click();
  await tab.waitForURL(`${world.page}#/settings/login`);
  await tab.getByText(WORDS.en.late).waitFor();
});

test('a tab that stays in a set-up that has ended in another one shows the bridge, as does the way back', async () => {
  const world = await setupWorld();
  const { page, logInBy } = await entered(world);
  await enter(page.getByLabel('Address of the broker'), world.broker.url);
  await enter(page.getByLabel('Client ID', { exact: true }), 'heating2mqtt-demo');
  const others = [await page.context().newPage(), await page.context().newPage()];
  // One of them as under Home Assistant.
  await others[1]?.route('**/api/session', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), ingress: true } });
  });
  for (const other of others) {
    await other.goto(`${world.page}#/setup/broker`);
    await other.getByLabel('Address of the broker').waitFor();
  }
  await page.getByLabel('The address of the error page').fill(await logInBy('Open the login page'));
  await page.getByRole('checkbox').nth(1).waitFor();
  await page.getByRole('button', { name: 'Go on' }).click();
  await page.getByLabel('Password of this page').fill(PAGE_PASSWORD);
  await page.getByRole('button', { name: 'Save and start' }).click();
  await page.getByRole('link', { name: 'Overview' }).waitFor();
  await page.goBack();
  await page.getByRole('heading', { name: 'Hot water' }).waitFor();
  for (const other of others) {
    await enter(other.getByLabel('Address of the broker'), world.broker.url);
    await other.getByRole('link', { name: 'Overview' }).waitFor();
  }
});

test('where the session of a set-up is lost, it asks for another code, and for no password', async () => {
  const world = await setupWorld();
  const { page } = await entered(world);
  await page.context().clearCookies();
  await enter(page.getByLabel('Address of the broker'), world.broker.url);
  await page.getByLabel('Code from the log').waitFor();
});

test('where a proxy finds the bridge no more, a step asks once, and says that it did not work', async () => {
  const world = await setupWorld();
  const { page } = await entered(world);
  const asked: string[] = [];
  await page.route('**/api/**', (route) => {
    asked.push(new URL(route.request().url()).pathname);
    return route.fulfill({ status: 404, contentType: 'text/plain', body: '404 page not found' });
  });
  await enter(page.getByLabel('Address of the broker'), world.broker.url);
  await page.locator('.problem:not(:empty)').first().waitFor();
  // Whatever it asks for again at once comes before these.
  for (let i = 0; i < 5; i += 1) await page.evaluate(`fetch('api/other')`);
  expect(asked.filter((path) => path === '/api/session')).toHaveLength(1);
});

test('where its first answer fails, it is asked for again at a click; at its end the steps that are not done are named', async () => {
  const world = await setupWorld();
  const { page, check } = await entered(world);
  await page.route('**/api/setup', (route) => route.abort());
  await page.goto(`${world.page}#/setup/finish`);
  await page.reload();
  await page.getByText('The bridge cannot be reached.').waitFor();
  expect(await check()).toEqual([]);
  await page.unroute('**/api/setup');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { name: 'Check and start' }).waitFor();
  expect(await page.locator('.banner').allTextContents()).toEqual(['Still missing: Client, Password of this page.']);
  for (const step of ['login', 'devices']) {
    await page.goto(`${world.page}#/setup/${step}`);
    await page.getByText('Still missing: Client.').waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Register a client with Viessmann' }).click();
    await page.getByRole('textbox', { name: 'Client ID' }).waitFor();
  }
});

test('by keys alone: every control is reached in order, and the focus is seen', async () => {
  const world = await setupWorld();
  const { page } = await entered(world);
  await page.getByLabel('Address of the broker').focus();
  const seen: string[] = [];
  for (let i = 0; i < 4; i += 1) {
    seen.push(await page.evaluate<string>('document.activeElement.labels?.[0]?.textContent ?? document.activeElement.textContent'));
    await page.keyboard.press('Tab');
  }
  expect(seen).toEqual(['Address of the broker', 'User name', 'Password', 'Test and go on']);
});

test('a wrong password of the broker is said at the user name', async () => {
  const world = await setupWorld();
  const { page } = await entered(world);
  await page.route('**/api/broker/test', (route) => route.fulfill({ json: { ok: false, code: '134', message: 'no' } }));
  await enter(page.getByLabel('Address of the broker'), world.broker.url);
  await expect.poll(() => page.getByLabel('User name').getAttribute('aria-invalid')).toBe('true');
  expect(await page.getByLabel('Address of the broker').getAttribute('aria-invalid')).toBe('false');
});
