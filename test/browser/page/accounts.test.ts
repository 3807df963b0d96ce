import { expect, test } from 'vitest';
import { ACCOUNT_WORDS } from '../../../src/language/accounts/accountWords.ts';
import { LINK_WORDS } from '../../../src/language/accounts/linkWords.ts';
import { loadPageWords } from '../../../src/language/page.ts';
import { englishOn } from '../../support/browser/englishOn.ts';
import { openLivePage } from '../../support/browser/livePage.ts';
import { fakeAccounts, REDIRECT } from '../../support/web/fakeAccounts.ts';

const many = Array.from({ length: 297 }, (_, index) => ({ name: `home${index}`, state: 'running', broker: true, login: 'ok' }) as const);

test.each([1280, 840, 390])('an account is added, logged in and given a link, among 300, at %i pixels', async (width) => {
  const { parts, clients, logins, views } = fakeAccounts(many);
  const opening = { viewport: { width, height: 800 }, hash: '#/accounts' };
  const { page, url, axe, wrong, overflow } = await openLivePage(opening, {}, { accounts: parts });
  expect(await page.locator('tbody tr').first().innerText()).toContain('Main account');
  expect(await page.locator('.top [aria-current=true]').innerText()).toBe('Settings');
  const switcher = page.getByLabel('Account', { exact: true });
  expect(await switcher.evaluate(({ clientWidth }) => clientWidth)).toBeGreaterThan(140);
  await page.getByLabel('Filter').fill('needed');
  expect(await page.locator('tbody tr').count()).toBe(3);
  const focused = () => page.locator(':focus').innerText();
  await page.getByRole('button', { name: 'Add an account' }).press('Enter');
  expect(await focused()).toBe('Add an account');
  expect(await page.locator(':focus').evaluate(({ tagName }) => tagName)).toBe('H2');
  await page.getByRole('button', { name: 'Cancel' }).press('Enter');
  expect(await focused()).toBe('Accounts');
  await page.getByRole('button', { name: 'Add an account' }).press('Enter');
  await page.getByLabel('Name').fill('west');
  await page.getByLabel('Client ID').fill('client-west');
  await page.getByRole('button', { name: 'Add an account' }).click();
  await page.getByRole('link', { name: 'Open the login' }).waitFor();
  expect(await focused()).toBe('Log in: west');
  expect(clients.get('west')).toBe('client-west');
  // What belongs to another login leaves this one as it is.
  await page.getByLabel('address of the error page').fill(`${REDIRECT}?code=old`);
  await page.getByText('to an earlier login').waitFor();
  await page.getByLabel('address of the error page').fill(`${REDIRECT}?code=good`);
  await page.getByText('“west” is logged in').waitFor();
  expect(logins).toEqual(['west']);
  await page.getByRole('button', { name: 'Link for the login: south' }).click();
  const link = await page.getByLabel('Link for the login', { exact: true }).inputValue();
  expect([await overflow(), await axe(), await wrong()]).toEqual([0, [], []]);
  await switcher.selectOption('west');
  await page.waitForURL(`${url}a/west/#/`);
  // The settings, and the login in them, are not those of this account.
  views.west.say(['heating2mqtt/west/bridge/auth', '{"state":"login_needed"}']);
  await page.getByRole('link', { name: 'Log in again' }).waitFor();
  const links = page.getByRole('link').filter({ hasText: /Settings|^heating2mqtt|Log in again/ });
  expect(await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')))).toEqual([
    '/#/settings',
    '/#/accounts',
    '/#/settings/version',
  ]);
  expect(await wrong()).toEqual([]);
  await page.goto(link);
  await page.getByRole('button', { name: 'Begin' }).click();
  await page.getByLabel('Address at the end').fill(`${REDIRECT}?code=good`);
  expect([await overflow(), await axe(), await wrong()]).toEqual([0, [], []]);
  await page.getByRole('button', { name: 'Finish' }).click();
  await page.getByText('“south” is logged in').waitFor();
  await page.goto(link);
  await page.getByText('used already').waitFor();
});

const ENGLISH = [await loadPageWords('en'), ACCOUNT_WORDS.en, LINK_WORDS.en];
const GERMAN = [await loadPageWords('de'), ACCOUNT_WORDS.de, LINK_WORDS.de];

test('without a main account the page opens on the table, in German with every problem, and has nothing of a bridge', async () => {
  const trouble = { broker: false, login: 'unknown', problem: 'This is the sentence of the server' } as const;
  const { parts } = fakeAccounts([
    {
      name: 'wrong',
      state: 'wrong_settings',
      ...trouble,
      problemCode: 'wrong_settings',
      problemFacts: { 'wrong.yaml, line 1: poll.seconds': 'min', 'wrong.yaml: name': 'reserved' },
    },
    { name: 'taken', state: 'taken_over', ...trouble, problemCode: 'taken_over' },
    { name: 'other', state: 'stopped', ...trouble, problemCode: 'other_runs' },
    { name: 'twice', state: 'running', ...trouble, problemCode: 'gateway', problemFacts: { gateway: '757', account: 'wrong' } },
  ]);
  const view = { ...parts.view, list: () => parts.view.list().slice(1) };
  const opening = { locale: 'de-DE', viewport: { width: 1280, height: 800 } };
  const { page, url, axe, overflow, wrong } = await openLivePage(opening, {}, { accounts: { ...parts, view } });
  await page.getByText('wrong.yaml, Zeile 1: poll.seconds ist zu klein; wrong.yaml: name ist nicht möglich').waitFor();
  expect(await page.getByRole('navigation').getByRole('link').allInnerTexts()).toEqual(['Übersicht', 'Protokoll', 'Einstellungen']);
  expect(await englishOn(page, ENGLISH, GERMAN)).toEqual([]);
  // What failed for a moment is not said any more when the table is there again.
  await page.route('**/api/accounts', (route) => route.abort());
  await page.getByText('Die Bridge ist nicht erreichbar.').waitFor();
  await page.unroute('**/api/accounts');
  await expect.poll(() => page.getByText('Die Bridge ist nicht erreichbar.').count(), { timeout: 15_000 }).toBe(0);
  await page.getByRole('button', { name: 'Konto hinzufügen' }).click();
  await page.getByLabel('Name').fill('Nicht möglich');
  await page.getByLabel('Client-ID').fill('client');
  await page.getByRole('button', { name: 'Konto hinzufügen' }).click();
  await page.getByText('Dieser Name ist nicht möglich').waitFor();
  expect(await englishOn(page, ENGLISH, GERMAN)).toEqual([]);
  await page.getByRole('button', { name: 'Abbrechen' }).click();
  await page.getByRole('button', { name: 'Link zur Anmeldung: south' }).click();
  const link = await page.getByLabel('Link zur Anmeldung', { exact: true }).inputValue();
  expect([await englishOn(page, ENGLISH, GERMAN), await overflow(), await axe(), await wrong()]).toEqual([[], 0, [], []]);
  // The devices and the login of a main account are no mistake where there is none.
  await page.route('**/api/settings', (route) => route.fulfill({ json: { busy: false, file: '/data/settings.yaml', settings: [] } }));
  await page.route('**/api/platform/login?*', (route) => route.fulfill({ json: { loggedIn: false, redirect: '' } }));
  for (const part of ['devices', 'login']) {
    await page.goto(`${url}#/settings/${part}`);
    await page.getByText('Hier gibt es kein Hauptkonto').waitFor();
  }
  await page.goto(link);
  await page.getByRole('button', { name: 'Beginnen' }).click();
  await page.getByLabel('Adresse am Ende').fill('nichts');
  await page.getByRole('button', { name: 'Abschließen' }).click();
  await page.getByRole('alert').waitFor();
  expect(await englishOn(page, ENGLISH, GERMAN)).toEqual([]);
  await page.goto(`${url}l/nothing`);
  await page.getByText('nicht vollständig').waitFor();
  expect(await englishOn(page, ENGLISH, GERMAN)).toEqual([]);
});
