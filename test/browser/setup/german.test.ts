import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { loadEditorWords } from '../../../src/language/editor.ts';
import type { Language } from '../../../src/language/language.ts';
import { LOG_WORDS } from '../../../src/language/log.ts';
import { loadPageWords } from '../../../src/language/page.ts';
import { CHART_WORDS } from '../../../src/language/pages/chart.ts';
import { HISTORY_WORDS } from '../../../src/language/pages/history.ts';
import { TODAY_WORDS } from '../../../src/language/pages/today.ts';
import { SETUP_WORDS } from '../../../src/language/setup/setup.ts';
import { VALUES_WORDS } from '../../../src/language/values.ts';
import { englishOn } from '../../support/browser/englishOn.ts';
import { openSetup } from '../../support/web/setupBrowser.ts';
import { afterSetup, PAGE_PASSWORD, setupWorld } from '../../support/web/setupWorld.ts';

const dictionaries = async (language: Language): Promise<readonly unknown[]> => {
  const [page, editor] = await Promise.all([loadPageWords(language), loadEditorWords(language)]);
  return [
    page,
    editor,
    CHART_WORDS[language],
    HISTORY_WORDS[language],
    TODAY_WORDS[language],
    LOG_WORDS[language],
    SETUP_WORDS[language],
    VALUES_WORDS[language],
  ];
};

const [english, german] = await Promise.all([dictionaries('en'), dictionaries('de')]);

const GERMAN = { locale: 'de-DE', viewport: { width: 1280, height: 900 } } as const;

const expectGerman = async (page: Page, where: string): Promise<void> =>
  expect.soft(await englishOn(page, english, german), where).toEqual([]);

const alerts = (page: Page) => page.getByRole('alert').filter({ hasText: /\S/ });

const SENTENCE = { ok: true, note: false, message: 'This is the sentence of the server' } as const;
const CHECKS_OF_ACCOUNTS = [
  { ...SENTENCE, name: 'broker', code: 'broker', facts: { address: 'mqtt://a', version: 5 } },
  { ...SENTENCE, name: 'account', note: true, code: 'refused', facts: { what: 'Ereignisse' } },
  {
    ...SENTENCE,
    name: 'broker',
    isAccount: true,
    ok: false,
    code: 'wrong_settings',
    facts: { 'broker.yaml, line 1: poll.seconds': 'min' },
  },
  { ...SENTENCE, name: 'login', isAccount: true, ok: false, code: 'login_login_needed' },
];

test('an English text is noticed', async () => {
  const world = await setupWorld();
  const { page } = await openSetup(world.page, { locale: 'en-GB' });
  await page.getByRole('heading', { name: SETUP_WORDS.en.codeTitle }).waitFor();
  expect(await englishOn(page, english, german)).toContain(SETUP_WORDS.en.codeWhy);
});

test('the set-up is German, with its mistakes', async () => {
  const world = await setupWorld();
  const { page, faults } = await openSetup(world.page, GERMAN);
  await page.getByRole('heading', { name: SETUP_WORDS.de.codeTitle }).waitFor();
  await page.getByRole('textbox').fill('wrong');
  await page.keyboard.press('Enter');
  await alerts(page).first().waitFor();
  await expectGerman(page, 'the code');
  await page.getByRole('textbox').fill(world.code());
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: SETUP_WORDS.de.brokerTitle }).waitFor();
  for (const address of ['mqtt://127.0.0.1:1', 'http://x', 'mqtt://nowhere.invalid']) {
    await page.getByLabel(SETUP_WORDS.de.brokerAddress).fill(address);
    await page.getByRole('button', { name: SETUP_WORDS.de.brokerTest }).click();
    await page.getByRole('button', { name: SETUP_WORDS.de.brokerTest }).and(page.locator(':enabled')).waitFor();
    await alerts(page).first().waitFor();
    await expectGerman(page, `the broker ${address}`);
  }
  await world.post('api/setup', { changes: { 'mqtt.url': world.broker.url } });
  await page.goto(`${world.page}#/setup/client`);
  await page.getByLabel(SETUP_WORDS.de.clientId, { exact: true }).fill('nobody-knows-it');
  await page.getByRole('button', { name: SETUP_WORDS.de.clientCheck }).click();
  await alerts(page).first().waitFor();
  await expectGerman(page, 'the client');
  await page.getByLabel(SETUP_WORDS.de.clientId, { exact: true }).fill('heating2mqtt-demo');
  // What has a sentence of its own is not told by the general one.
  world.simulator.control({ command: 'fault', kind: 'cut_before', match: { path: '/authorize' } });
  await page.getByRole('button', { name: SETUP_WORDS.de.clientCheck }).click();
  await page.getByText('Die Verbindung zur Plattform brach ab.').waitFor();
  world.simulator.control({ command: 'clear' });
  await page.getByRole('button', { name: SETUP_WORDS.de.clientCheck }).click();
  const pasted = page.getByLabel(SETUP_WORDS.de.pasteHere);
  await pasted.fill('http://localhost:4200/?code=1&state=2');
  await alerts(page).first().waitFor();
  await expectGerman(page, 'the login');
  for (const step of ['devices', 'finish']) {
    await page.goto(`${world.page}#/setup/${step}`);
    await page.getByRole('heading', { name: step === 'devices' ? SETUP_WORDS.de.devicesTitle : SETUP_WORDS.de.finishTitle }).waitFor();
    await (step === 'devices' ? alerts(page).first() : page.locator('.checks li').first()).waitFor();
    await expectGerman(page, step);
  }
  expect(faults).toEqual([]);
});

const SETTINGS = ['devices', 'broker', 'login', 'profiles', 'password', 'display', 'tests', 'backup', 'version', 'all'] as const;

test('every view of a bridge that runs is German, with its mistakes', async () => {
  const world = await afterSetup();
  const { page, faults } = await openSetup(world.page, GERMAN);
  const w = SETUP_WORDS.de;
  await page.locator('input[name=password]').fill('not the one');
  await page.keyboard.press('Enter');
  await alerts(page).first().waitFor();
  await expectGerman(page, 'the login of the page');
  await page.locator('input[name=password]').fill(PAGE_PASSWORD);
  await page.keyboard.press('Enter');
  await page.locator('.cards .card').first().waitFor();
  await expectGerman(page, 'the overview');
  for (const view of ['schedules', 'values', 'chart', 'log', 'nowhere']) {
    await page.goto(`${world.page}#/${view}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expect.poll(() => page.getByText('Lädt …').count()).toBe(0);
    if (view === 'log') await page.getByRole('heading', { name: LOG_WORDS.de.calls24h }).waitFor();
    await expectGerman(page, view);
  }
  await page.goto(`${world.page}#/schedules`);
  await page.locator('.card.schedule a').first().click();
  await page.getByRole('grid').waitFor();
  await expectGerman(page, 'the week');
  const editor = await loadEditorWords('de');
  await page.getByRole('button', { name: editor.profiles }).click();
  await page.getByLabel(editor.saveProfile).fill('none');
  await expectGerman(page, 'the profiles');
  await page.getByRole('button', { name: editor.close, exact: true }).click();
  await page.locator('summary', { hasText: editor.text }).click();
  await page.getByRole('textbox', { name: editor.text, exact: true }).fill('mon 25:00-26:00 nothing');
  await page.getByText('keine Uhrzeit', { exact: false }).first().waitFor();
  await expectGerman(page, 'the week as text');
  for (const part of SETTINGS) {
    await page.goto(`${world.page}#/settings/${part}`);
    await page.locator(`.parts a[href$="/${part}"][aria-current]`).waitFor();
    await page.locator('.settings form, .settings section').first().waitFor();
    await expectGerman(page, `settings: ${part}`);
  }
  for (const summary of await page.locator('.settings summary').all()) await summary.click();
  await page.getByText('Sekunden von einer Abfrage zur nächsten.').waitFor();
  await expectGerman(page, 'all settings');
  for (const [name, value] of [
    ['poll.seconds', 'soon'],
    ['mqtt.base', 'a/#'],
    ['mqtt.ca', '/nowhere.pem'],
    ['web.hosts', 'a b'],
    ['commands.confirm_s', '5, 3'],
    ['schedules.time_zone', 'Berlin'],
    ['platform.timeout_s', '9999'],
  ] as const)
    await page.getByLabel(name, { exact: true }).fill(value);
  await page.getByRole('button', { name: w.save }).click();
  await alerts(page).first().waitFor();
  await expectGerman(page, 'wrong settings');
  await page.getByRole('button', { name: w.discard }).click();
  await page.goto(`${world.page}#/settings/tests`);
  await page.getByRole('button', { name: w.test }).click();
  await page.locator('.checks li').nth(3).waitFor();
  await expectGerman(page, 'the tests');
  await page.route('**/api/check', (route) => route.fulfill({ json: { lines: CHECKS_OF_ACCOUNTS } }));
  await page.getByRole('button', { name: w.checkAgain }).click();
  await page.getByText('broker.yaml, Zeile 1: poll.seconds ist zu klein').waitFor();
  expect(await page.locator('.checks strong').allInnerTexts()).toEqual(['Broker:', 'Konto:', 'broker:', 'login:']);
  await expectGerman(page, 'the tests of accounts');
  await page.goto(`${world.page}#/settings/profiles`);
  await page.getByRole('button', { name: w.addProfile }).click();
  await page.getByLabel(w.profileName).fill('winter');
  await page.getByLabel(w.profileWeek).fill('daily 25:00-26:00 normal');
  await page.getByRole('button', { name: w.save }).click();
  await alerts(page).first().waitFor();
  await expectGerman(page, 'a wrong profile');
  expect(faults).toEqual([]);
});
