import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startAppSystem } from '../../support/app/appSystem.ts';
import { TOKEN } from '../../support/app/falseSupervisor.ts';
import { startReverseProxy } from '../../support/web/reverseProxy.ts';
import { openSetup } from '../../support/web/setupBrowser.ts';

test('in Home Assistant, from the installed app to the first topic: no code, no password, no broker to enter', async () => {
  const { start, recorder, ingress, dataDir, supervisor } = await startAppSystem({ withoutTokens: true });
  const app = start('run');
  await app.untilLogged('Home Assistant shows the page');
  const proxy = await startReverseProxy('ingress');
  proxy.leadTo(ingress);
  const { page, faults, logInBy } = await openSetup(proxy.url);
  const frame = page.frameLocator('iframe');

  // The broker is known, so the set-up begins at the client; who likes can look at it.
  await frame.getByLabel('Client ID', { exact: true }).waitFor();
  await frame.getByRole('link', { name: 'Broker' }).click();
  await frame.getByText('the bridge asks Home Assistant for its broker').waitFor();
  expect(await frame.getByLabel('Address of the broker').inputValue()).toBe('');
  expect(await frame.getByLabel('User name').count()).toBe(0);
  await frame.getByLabel('Address of the broker').fill('mqtt://elsewhere');
  await frame.getByLabel('User name').waitFor();
  await frame.getByLabel('Address of the broker').fill('');
  const { service } = supervisor;
  supervisor.service = undefined;
  await frame.getByRole('button', { name: 'Test and go on' }).click();
  await frame.getByText('Home Assistant has no broker yet.').waitFor();
  supervisor.service = service;
  await frame.getByRole('button', { name: 'Test and go on' }).click();
  await frame.getByLabel('Client ID', { exact: true }).fill('heating2mqtt-demo');
  await page.keyboard.press('Enter');

  const address = await logInBy('Open the login page', frame);
  await frame.getByLabel('The address of the error page').fill(address);
  await frame.getByRole('heading', { name: 'Which devices?' }).waitFor();
  await frame.getByRole('checkbox').nth(1).waitFor();
  await frame.getByRole('textbox').first().fill('house');
  await frame.getByRole('button', { name: 'Go on' }).click();
  await frame.getByRole('heading', { name: 'Check and start' }).waitFor();
  await frame.locator('.checks li').nth(3).waitFor();
  expect(await frame.locator('.checks .bad').allTextContents()).toEqual([]);
  await frame.getByRole('button', { name: 'Save and start' }).click();

  await recorder.until(({ topic }) => topic.startsWith('heating2mqtt/house/heating/'));
  await frame.getByRole('link', { name: 'Overview' }).waitFor();
  const written = readFileSync(join(dataDir, 'settings.yaml'), 'utf8');
  expect(written).toContain('client_id: heating2mqtt-demo');
  expect(written).not.toContain('url:');
  expect(app.log() + written).not.toContain(TOKEN);
  expect(await page.context().cookies()).toEqual([]);
  expect(faults).toEqual([]);
});
