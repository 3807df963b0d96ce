import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openLivePage } from '../../support/browser/livePage.ts';

test('the text for a bug report has what is needed, and no secret of the settings and the login', async () => {
  const { page, system, axe, overflow, wrong } = await openLivePage(
    { hash: '#/log', viewport: { width: 320, height: 640 } },
    { overrides: { web: { metrics_token: 'metrics-token-of-mine', password: 'a-long-page-password' } } },
  );
  await page.getByRole('region', { name: 'Calls of the last 24 hours' }).getByText('Regular reads').waitFor();
  const button = page.getByRole('button', { name: 'Create the text' });
  await button.focus();
  await page.keyboard.press('Enter');
  const text = await page.getByLabel('Text for a bug report').inputValue();
  for (const part of ['heating2mqtt 0.1.0', process.platform, '"poll_seconds"', '"failures": 0', '"per_day"', 'base_url'])
    expect(text).toContain(part);
  const { data_dir: dataDir, web } = system.settings;
  const files = readdirSync(dataDir).filter((name) => name.endsWith('.json'));
  const kept = files.flatMap((name) => readFileSync(join(dataDir, name), 'utf8').match(/(?<=":\s*")[^"]{12,}(?=")/g) ?? []);
  const secrets = [...kept.filter((one) => !/^\d{4}-\d\d-\d\dT|^https?:/.test(one)), web.metrics_token ?? '', web.password ?? ''];
  expect(secrets.length).toBeGreaterThan(3);
  for (const secret of secrets) expect(text).not.toContain(secret);
  expect(await overflow()).toBe(0);
  expect(await axe()).toEqual([]);
  expect(await wrong()).toEqual([]);
});

test('days are named, a name with a space is shown as it was given, one that turns round the text behind it is not', async () => {
  const { page, system } = await openLivePage({ hash: '#/log' }, { device: { name: 'Living room', features: ['*'] } });
  await system.recorder.publish('heating2mqtt/Living%20room/heating/dhw/temperature/main/value/set', 'warm');
  const answers = page.getByRole('region', { name: 'Answers to changes' });
  await system.recorder.publish('heating2mqtt/Living%20room/heating/dhw/schedule/set', 'sat-sun 09:00-11:00 normal');
  await answers.getByText(/\/schedule \(Saturday, Sunday\)$/).waitFor();
  await answers.getByText('Living room/heating/dhw/temperature/main/value').waitFor();
  expect(await answers.innerText()).not.toContain('%20');
  for (const name of ['a%E2%80%AEb', 'a%2Fb']) {
    await system.recorder.publish(`heating2mqtt/${name}/value/set`, '1');
    await answers.getByText(`${name}/value`).waitFor();
  }
});

test('the log tells the times of the home, wherever the page is opened', async () => {
  const overrides = { schedules: { time_zone: 'Asia/Kolkata' } };
  const { page, system } = await openLivePage({ hash: '#/log', timezoneId: 'America/New_York' }, { overrides });
  await system.recorder.publish('heating2mqtt/home/heating/dhw/temperature/main/value/set', 'warm');
  const answers = page.getByRole('region', { name: 'Answers to changes' });
  const shown = await answers.getByRole('time').first().textContent();
  const at = (await answers.getByRole('time').first().getAttribute('datetime')) ?? '';
  const style = { timeZone: 'Asia/Kolkata', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  expect(shown).toContain(new Intl.DateTimeFormat('en', style).format(Date.parse(at)));
});
