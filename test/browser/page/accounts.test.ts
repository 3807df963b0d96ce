import { expect, test } from 'vitest';
import { openLivePage } from '../../support/browser/livePage.ts';
import { fakeAccounts, REDIRECT } from '../../support/web/fakeAccounts.ts';

const many = Array.from({ length: 297 }, (_, index) => ({ name: `home${index}`, state: 'running', broker: true, login: 'ok' }) as const);

test.each([1280, 390])('an account is added, logged in and given a link, among 300, at %i pixels', async (width) => {
  const { parts, clients, logins } = fakeAccounts(many);
  const opening = { viewport: { width, height: 800 }, hash: '#/accounts' };
  const { page, url, axe, wrong, overflow } = await openLivePage(opening, {}, { accounts: parts });
  expect(await page.locator('tbody tr').first().innerText()).toContain('Main account');
  await page.getByLabel('Filter').fill('needed');
  expect(await page.locator('tbody tr').count()).toBe(3);
  await page.getByRole('button', { name: 'Add an account' }).click();
  await page.getByLabel('Name').fill('west');
  await page.getByLabel('Client ID').fill('client-west');
  await page.getByRole('button', { name: 'Add an account' }).click();
  await page.getByRole('link', { name: 'Open the login' }).waitFor();
  expect(clients.get('west')).toBe('client-west');
  await page.getByLabel('Address at the end').fill(`${REDIRECT}?code=good`);
  await page.getByRole('button', { name: 'Finish' }).click();
  await page.getByText('“west” is logged in').waitFor();
  expect(logins).toEqual(['west']);
  await page.getByRole('button', { name: 'Link for the login: south' }).click();
  const link = await page.getByLabel('Link for the login', { exact: true }).inputValue();
  expect([await overflow(), await axe(), await wrong()]).toEqual([0, [], []]);
  await page.getByLabel('Account', { exact: true }).selectOption('west');
  await page.waitForURL(`${url}a/west/#/`);
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
