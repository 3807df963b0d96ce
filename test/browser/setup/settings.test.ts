import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { listen } from '../../support/network/mqttRecorder.ts';
import { openSetup, type SetupPage } from '../../support/web/setupBrowser.ts';
import { afterSetup, PAGE_PASSWORD, type SetupWorld } from '../../support/web/setupWorld.ts';

/** The settings of a bridge that runs, behind its login. */
const settings = async (
  part: string,
  options: Parameters<typeof openSetup>[1] = {},
  env: Parameters<typeof afterSetup>[0] = {},
): Promise<SetupPage & { readonly world: SetupWorld }> => {
  const world = await afterSetup(env);
  const opened = await openSetup(`${world.page}#/settings/${part}`, options);
  await opened.page.locator('input[name=password]').fill(PAGE_PASSWORD);
  await opened.page.keyboard.press('Enter');
  await opened.page.locator('.parts').waitFor();
  return { ...opened, world };
};

const save = (page: Page): Promise<void> => page.getByRole('button', { name: 'Save and restart' }).click();
const saved = async (page: Page): Promise<void> => {
  await save(page);
  await page.locator('.settings .good').waitFor();
};

/** What has the keyboard focus; the body where it was lost. */
const FOCUSED = 'document.activeElement.tagName';

const textOf = ({ cwd }: SetupWorld): string => readFileSync(join(cwd, 'data/settings.yaml'), 'utf8');

const PARTS = ['devices', 'broker', 'login', 'profiles', 'password', 'display', 'tests', 'backup', 'version', 'all'] as const;

test.each([
  ['en', 1280, 'light'],
  ['de', 320, 'dark'],
] as const)('every part is accessible and fits, in %s at %i px, %s', async (locale, width, colorScheme) => {
  const { page, check, faults, world } = await settings('devices', { locale, colorScheme, viewport: { width, height: 800 } });
  for (const part of PARTS) {
    await page.goto(`${world.page}#/settings/${part}`);
    await page.locator(`.parts a[href$="/${part}"][aria-current]`).waitFor();
    await page.locator('.settings form, .settings section').first().waitFor();
    expect(await check(), part).toEqual([]);
  }
  expect(faults).toEqual([]);
});

test('a list whose entries have commas is typed as it is written, and a mistake in an entry stands at its field', async () => {
  const { page, world } = await settings('all');
  await page.getByLabel('Search').fill('calendar.rules');
  const field = page.getByRole('textbox', { name: 'calendar.rules' });
  await field.fill('Away -> nothing; on a.*, b.*');
  await save(page);
  await page.locator('#setting-calendar-rules-problem').waitFor();
  await field.fill('Away -> holiday; on heating.circuits.0.*, heating.circuits.1.*, Guests -> program comfort');
  await saved(page);
  expect(textOf(world)).toMatch(
    /- Away -> holiday; on heating\.circuits\.0\.\*, heating\.circuits\.1\.\*\n\s+- Guests -> program comfort/u,
  );
  expect(await field.inputValue()).toMatch(/^\["Away/u);
  await page.getByText('Default: not set').waitFor();
});

test('where they cannot be loaded they are asked for again at a click', async () => {
  const { page, check } = await settings('devices');
  await page.route('**/api/settings', (route) => route.abort());
  await page.reload();
  await page.getByText('The bridge cannot be reached.').waitFor();
  expect(await check()).toEqual([]);
  await page.unroute('**/api/settings');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('textbox', { name: 'Name' }).first().waitFor();
});

test('a device is renamed, and its topics move', async () => {
  const { page, world } = await settings('devices');
  const recorder = await listen(world.broker.url);
  await page.getByRole('textbox', { name: 'Name' }).first().fill('cellar');
  await saved(page);
  await recorder.until(({ topic }) => topic.startsWith('heating2mqtt/cellar/heating/'));
  await recorder.close();
  expect(textOf(world)).toContain('name: cellar');
});

test('a wrong value is said at its field with what is allowed, and stays there to be mended', async () => {
  const { page, world } = await settings('all');
  const before = textOf(world);
  await page.getByLabel('Search').fill('poll seconds');
  const field = page.getByLabel('poll.seconds', { exact: true });
  await field.fill('soon');
  await save(page);
  await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true');
  expect(await page.getByRole('alert').filter({ hasText: /\S/ }).allTextContents()).toEqual([
    '"soon" is not a number; allowed: auto, or 1 to 86400',
  ]);
  expect([await field.inputValue(), textOf(world)]).toEqual(['soon', before]);
  await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('setting-poll-seconds');
  await field.fill('90');
  await saved(page);
  expect(textOf(world)).toContain('\n  seconds: 90\n');
  await page.getByText('set on the page').waitFor();
  // Somebody writes it into a file of their own.
  mkdirSync(join(world.cwd, 'config'));
  writeFileSync(join(world.cwd, 'config/local.yaml'), 'poll: { seconds: 80 }\n');
  await page.reload();
  await page.getByLabel('Search').fill('poll seconds');
  await page.getByText('The file has another value (config/local.yaml, line 1): 80').waitFor();
  await page.getByRole('button', { name: 'Back to the file: poll.seconds' }).click();
  expect(await field.inputValue()).toBe('80');
  await saved(page);
  expect(textOf(world)).not.toContain('seconds: 90');
  await page.getByText('set in the file (config/local.yaml, line 1)').waitFor();
});

test('what was entered is not lost: the page asks before it is closed, and a mistake is said whatever the search hides', async () => {
  const { page } = await settings('all');
  await page.getByLabel('Search').fill('log level');
  const level = page.getByLabel('log.level', { exact: true });
  await level.selectOption('debug');
  await saved(page);
  await page.getByRole('button', { name: 'Back to the default: log.level' }).click();
  expect(await level.inputValue()).toBe('info');
  await page.getByLabel('Search').fill('poll seconds');
  await page.getByLabel('poll.seconds', { exact: true }).fill('soon');
  await page.getByLabel('Search').fill('log level');
  await save(page);
  await page.getByText(/poll\.seconds "soon" is not a number/u).waitFor();
  const asked = page.waitForEvent('dialog').then((dialog) => dialog.accept());
  await page.reload();
  await asked;
});

test('the page asks before a form with changes is left, and not after they are saved', async () => {
  const { page } = await settings('profiles');
  const asked: string[] = [];
  page.on('dialog', (dialog) => {
    asked.push(dialog.message());
    void dialog.dismiss();
  });
  await page.getByRole('button', { name: 'Add a profile' }).click();
  await page.getByLabel('Name').fill('summer');
  await page.getByLabel('Week').fill('daily none');
  // The click may resolve before the event has come.
  await Promise.all([page.waitForEvent('dialog'), page.getByRole('link', { name: 'Tests' }).click()]);
  expect(asked).toEqual(['There are changes that are not saved. Leave this page without them?']);
  expect(await page.getByLabel('Week').inputValue()).toBe('daily none');
  await saved(page);
  await page.getByRole('link', { name: 'Tests' }).click();
  await page.getByRole('heading', { name: 'Tests' }).waitFor();
  await page.getByText(/^Tests the settings, the broker, .* Nothing is changed\.$/u).waitFor();
  expect(asked).toHaveLength(1);
});

test('a device and a profile of the settings file that the page overrides are shown in their forms, with the way back to the file', async () => {
  const { page, world, check } = await settings('devices', { viewport: { width: 320, height: 800 } });
  const { installation, gateway, devices } = world.simulator;
  mkdirSync(join(world.cwd, 'config'));
  const entry = `{ name: cellar, installation: '${installation}', gateway: '${gateway}', device: '${devices[0]}' }`;
  writeFileSync(join(world.cwd, 'config/local.yaml'), `devices: [${entry}]\nschedules: { profiles: { winter: daily none } }\n`);
  const name = page.getByRole('textbox', { name: 'Name' }).first();
  const back = page.getByRole('button', { name: 'Back to the file' });
  await page.reload();
  await page.getByText('The file has another value (config/local.yaml, line 1):').waitFor();
  await page.getByText(`name: cellar, installation: ${installation}, gateway: ${gateway}, device: ${devices[0]}`).waitFor();
  expect(await name.inputValue()).toBe('house');
  expect(await check()).toEqual([]);
  await back.click();
  await page.locator('.settings .good').waitFor();
  await expect.poll(() => name.inputValue()).toBe('cellar');
  expect([await back.count(), textOf(world).includes('name: house')]).toEqual([0, false]);

  await page.goto(`${world.page}#/settings/profiles`);
  await page.getByRole('button', { name: 'Add a profile' }).click();
  expect(await back.count()).toBe(0);
  await page.getByLabel('Name').last().fill('summer');
  await page.getByLabel('Week').last().fill('daily none');
  await saved(page);
  await page.getByText('The file has another value (config/local.yaml, line 2):').waitFor();
  await page.getByText('winter: daily none').waitFor();
  await back.click();
  await expect.poll(() => page.getByLabel('Name').count()).toBe(1);
  expect(await page.getByLabel('Name').inputValue()).toBe('winter');
});

test('what the environment sets is shown as fixed, with its place', async () => {
  const { page } = await settings('all', {}, { HEATING2MQTT_POLL_SECONDS: '120' });
  await page.getByLabel('Search').fill('poll seconds');
  expect(await page.getByLabel('poll.seconds', { exact: true }).isDisabled()).toBe(true);
  await page.getByText('Set by HEATING2MQTT_POLL_SECONDS').waitFor();
});

test('a profile is added, with its mistake mended', async () => {
  const { page, world } = await settings('profiles');
  await page.getByRole('button', { name: 'Save and restart' }).waitFor();
  const buttons = await page.locator('main form button').allTextContents();
  expect(buttons.slice(-2)).toEqual(['Add a profile', 'Save and restart']);
  await page.getByRole('button', { name: 'Add a profile' }).click();
  await page.getByLabel('Name').fill('summer');
  await page.getByLabel('Week').fill('daily 25:00');
  await save(page);
  await expect.poll(() => page.getByLabel('Week').getAttribute('aria-invalid')).toBe('true');
  await page.getByText(/^Line 1, character 12: /).waitFor();
  await page.getByLabel('Week').fill('daily none');
  await saved(page);
  expect(textOf(world)).toContain('profiles:\n    summer: daily none\n');
  mkdirSync(join(world.cwd, 'config'));
  const season = 'house heating.dhw.schedule: summer summer, winter summer, from 05-01 to 09-30';
  writeFileSync(join(world.cwd, 'config/local.yaml'), `schedules: { seasons: ['${season}'] }\n`);
  await page.getByRole('button', { name: 'Remove' }).press('Enter');
  expect(await page.evaluate(FOCUSED)).toBe('H1');
  await save(page);
  await page.getByText('schedules.seasons[0] names profiles that are not in schedules.profiles: summer').waitFor();
});

test('a profile is named as people write, and what cannot be a name is said at once', async () => {
  const { page, world } = await settings('profiles', { locale: 'de-DE' });
  await page.getByRole('button', { name: 'Profil hinzufügen' }).click();
  await page.getByLabel('Name').fill('Custom');
  await page.getByText('So kann ein Profil nicht heißen.').waitFor();
  await page.getByLabel('Name').fill('Früh im Winter');
  await page.getByText('Wird als frueh-im-winter gespeichert.').waitFor();
  await page.getByLabel('Woche').fill('daily none');
  await page.getByRole('button', { name: 'Profil hinzufügen' }).click();
  await page.getByLabel('Name').last().fill('frueh-im-winter');
  await page.getByText('So heißt schon ein anderes Profil.').first().waitFor();
  await page.getByRole('button', { name: 'frueh-im-winter entfernen', exact: true }).click();
  await page.getByRole('button', { name: 'Speichern und neu starten' }).click();
  await page.locator('.settings .good').waitFor();
  expect(textOf(world)).toContain('profiles:\n    frueh-im-winter: daily none\n');
});

test('what is wrong with one field of the broker moves no field beside it', async () => {
  const { page } = await settings('broker');
  await page.route('**/api/broker/test', (route) => route.fulfill({ json: { ok: false, code: '134', message: '' } }));
  const place = (name: string) => page.getByLabel(name, { exact: true }).boundingBox();
  const before = await place('Password');
  await save(page);
  await page.locator('.pair .problem').filter({ hasText: /./ }).waitFor();
  expect(await place('Password')).toEqual(before);
});

test('names from the platform are shown as text, whatever they hold', async () => {
  const { page, faults, world } = await settings('broker');
  const model = `<img src=x onerror="document.title='owned'">\u202e${'long '.repeat(1000)}`;
  await page.route('**/api/devices/find', (route) =>
    route.fulfill({ json: { devices: [{ installation: '1', gateway: '<b>', device: '0', model, roles: [] }] } }),
  );
  await page.goto(`${world.page}#/settings/devices`);
  await page.getByText('<img src=x').waitFor();
  expect(await page.locator('main img').count()).toBe(0);
  expect(await page.title()).not.toContain('owned');
  expect(faults).toEqual([]);
});

test('where the page is not at its address any more after a change, that is said', async () => {
  const { page, world } = await settings('all');
  await page.clock.install();
  await page.getByLabel('Search').fill('poll seconds');
  await page.getByLabel('poll.seconds').fill('300');
  await page.route('**/api/**', (route) => (route.request().method() === 'POST' ? route.continue() : route.abort()));
  const answered = page.waitForResponse('**/api/settings');
  await save(page);
  await answered;
  expect(textOf(world)).toContain('seconds: 300');
  const said = page.getByText('It is saved, but the page does not answer here any more.');
  const later = async (): Promise<number> => {
    await page.clock.fastForward('00:40');
    return said.count();
  };
  await expect.poll(later, { timeout: 15_000 }).toBe(1);
});

test('another password: everyone logs in anew, with it', async () => {
  const { page } = await settings('password');
  await page.getByLabel('New password of this page').fill('another one');
  await save(page);
  const field = page.locator('input[name=password]');
  await field.fill('another one');
  await page.keyboard.press('Enter');
  await page.locator('.parts').waitFor();
});

test('a login that nobody goes to is begun anew one at a time, and not at all while nobody looks', async () => {
  const { page, world } = await settings('devices');
  let begun = 0;
  const held: (() => void)[] = [];
  await page.route('**/api/platform/login', async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    begun += 1;
    if (begun > 1) await new Promise<void>((resolve) => held.push(resolve));
    return route.fulfill({ json: { address: 'http://127.0.0.1:1/', redirect: 'http://127.0.0.1:1/', oneTap: false, seconds: 1 } });
  });
  await page.clock.install();
  await page.goto(`${world.page}#/settings/login`);
  await page.getByRole('button', { name: 'Log in again' }).press('Enter');
  await page.getByRole('link', { name: 'Open the login page' }).waitFor();
  expect(await page.evaluate(FOCUSED)).toBe('H1');
  await page.clock.runFor(10_000);
  await expect.poll(() => begun).toBe(2);
  await page.evaluate("Object.defineProperty(document, 'hidden', { value: true, configurable: true })");
  const answered = page.waitForResponse((response) => response.url().endsWith('api/platform/login'));
  for (const release of held) release();
  await answered;
  await page.clock.runFor(200_000);
  expect(begun).toBe(2);
});

test('a backup is downloaded, and restored; what is no backup is refused with the reason', async () => {
  const { page, world } = await settings('backup');
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Download a backup' }).click()]);
  const backup = readFileSync(await download.path());
  expect(download.suggestedFilename()).toMatch(/^heating2mqtt-.*\.backup\.gz$/);
  const before = textOf(world);
  writeFileSync(join(world.cwd, 'data/settings.yaml'), before.replace('name: house', 'name: cellar'));
  const restore = async (buffer: Buffer): Promise<void> => {
    await page.getByLabel('Backup file').setInputFiles({ name: 'any.backup.gz', mimeType: 'application/gzip', buffer });
    await page.getByRole('button', { name: 'Restore', exact: true }).click();
  };
  await page.getByText('Restore a backup').click();
  await restore(Buffer.from('nothing'));
  await page.getByText('This file is not a backup of heating2mqtt').waitFor();
  await restore(backup);
  await page.locator('.settings .good').waitFor();
  expect(textOf(world)).toBe(before);
});

test('the foot of every view tells the version, and leads to the choice to look for newer ones', async () => {
  const { page, world } = await settings('tests');
  await page.locator('footer a').click();
  await page.getByText(/^This is heating2mqtt \d/).waitFor();
  await page.getByText('GitHub sees the address of your network').waitFor();
  expect(await page.getByRole('button', { name: 'Check for newer versions' }).isEnabled()).toBe(true);
  expect(textOf(world)).not.toContain('update_check: true');
});

test.each([375, 800])('at %i pixels neither the bar that saves nor the foot is behind the navigation', async (width) => {
  const { page } = await settings('all', { viewport: { width, height: 700 } });
  const gapTo = async (what: string): Promise<number> => {
    const [nav, box] = await Promise.all([page.locator('.top nav').boundingBox(), page.locator(what).boundingBox()]);
    return (nav?.y ?? 0) - (box?.y ?? Number.NaN) - (box?.height ?? Number.NaN);
  };
  await page.getByLabel('Search').fill('platform');
  await page.getByLabel('platform.scope', { exact: true }).fill('other');
  await page.locator('.save-bar').waitFor();
  expect(await gapTo('.save-bar')).toBeGreaterThan(0);
  await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
  expect(await gapTo('.save-bar')).toBeGreaterThan(0);
  expect(await gapTo('footer a')).toBeGreaterThan(0);
});
