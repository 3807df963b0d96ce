import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { recordedHome } from '../../../src/simulator/home/recorded.ts';
import { bridgeOf } from '../../support/browser/faults.ts';
import { openLivePage } from '../../support/browser/livePage.ts';
import { DEVICES } from '../../support/devices/deviceFiles.ts';

const TARGET = 'heating.dhw.temperature.main';

test('a value is found by its words, set within its limits, and copied, by keys alone', async () => {
  const { page, system, axe, overflow, wrong } = await openLivePage({ hash: '#/values' });
  await page.getByRole('searchbox', { name: 'Search' }).focus();
  await page.keyboard.type('dhw main temp value');
  const line = page.locator('summary', { hasText: TARGET });
  await line.waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  expect(await page.locator('details[open]', { has: line }).count()).toBe(1);
  const field = page.getByRole('spinbutton', { name: 'New value: value' });
  const [min, max] = [Number(await field.getAttribute('min')), Number(await field.getAttribute('max'))];
  expect(min).toBeLessThan(max);
  expect(await axe()).toEqual([]);

  // The browser holds back what the heating would refuse.
  await field.fill(String(max + 1));
  await page.keyboard.press('Enter');
  expect(await page.locator('input:invalid').count()).toBe(1);
  const wanted = String(max - 1);
  await field.fill(wanted);
  await page.keyboard.press('Enter');
  await page.locator('.outcome', { hasText: 'The heating has it.' }).waitFor();
  const topic = `heating2mqtt/home/${TARGET.replaceAll('.', '/')}/value`;
  await system.recorder.untilTopic(topic, wanted);

  expect(await page.getByLabel('Topic', { exact: true }).inputValue()).toBe(topic);
  expect(await page.getByLabel('To set it in a shell').inputValue()).toMatch(new RegExp(`^mosquitto_pub .*-t ${topic}/set -m ${wanted}$`));
  const yaml = parse(await page.getByLabel('Entity for Home Assistant').inputValue()) as object;
  expect(yaml).toMatchObject({ mqtt: [{ number: { state_topic: topic, command_topic: `${topic}/set`, min, max } }] });

  await page.setViewportSize({ width: 320, height: 640 });
  expect(await overflow()).toBe(0);
  expect(await axe()).toEqual([]);
  expect(await wrong()).toEqual([]);
});

test('a choice and a switch are set; the age follows the bridge', async () => {
  const { page, system } = await openLivePage({ hash: '#/values' });
  const search = page.getByRole('searchbox', { name: 'Search' });
  await search.fill('circuits.0.operating.modes.active');
  await page.locator('summary', { hasText: 'circuits.0.operating.modes.active.value' }).click();
  const choice = page.getByRole('combobox', { name: 'New value: value' });
  await choice.selectOption('standby');
  await page.getByRole('button', { name: 'Set', exact: true }).click();
  await system.recorder.untilTopic('heating2mqtt/home/heating/circuits/0/operating/modes/active/value', 'standby');
  await page.reload();
  await search.fill('circuits.0.operating.modes.active');
  await page.locator('summary', { hasText: /modes\.active\.value.*less than a minute ago/s }).waitFor();
  await search.fill('no such thing');
  await page.getByText('No value fits these words.').waitFor();
});

test('many devices: a slice is drawn, and more when it is asked for', async () => {
  const window = { hash: '#/values', locale: 'de-DE', viewport: { width: 320, height: 640 } };
  const { page, axe, overflow, wrong } = await openLivePage(window, bridgeOf(recordedHome(DEVICES), { recorded: DEVICES }));
  const lines = page.locator('.all-values > li');
  await lines.first().waitFor();
  expect(await lines.count()).toBe(60);
  await page.getByRole('button', { name: /^\d+ weitere zeigen$/ }).click();
  await lines.nth(60).waitFor();
  expect(await overflow()).toBe(0);
  expect(await axe()).toEqual([]);
  expect(await wrong()).toEqual([]);
});

test('what is refused stays in its field, to be corrected', async () => {
  const { page } = await openLivePage({ hash: '#/values' });
  await page.getByRole('searchbox', { name: 'Search' }).fill('programs.holiday.start');
  await page.locator('summary', { hasText: 'programs.holiday.start' }).click();
  const field = page.getByRole('textbox', { name: 'New value: start' });
  await field.fill('2030-02-30');
  await page.getByRole('button', { name: 'Set', exact: true }).click();
  await page.locator('.outcome.problem').waitFor();
  expect(await field.inputValue()).toBe('2030-02-30');
});

test('a date that waits for the other one stays in its field', async () => {
  const { page, system } = await openLivePage({ hash: '#/values' });
  await page.getByRole('searchbox', { name: 'Search' }).fill('programs.holiday.start');
  await page.locator('summary', { hasText: 'programs.holiday.start' }).click();
  const field = page.getByRole('textbox', { name: 'New value: start' });
  await field.fill('2030-12-21');
  await page.getByRole('button', { name: 'Set', exact: true }).click();
  await page.locator('.outcome', { hasText: 'Waits until the other values are set.' }).waitFor();
  await system.recorder.untilTopic('heating2mqtt/home/heating/operating/programs/holiday/start/field', '2030-12-21');
  await page.reload();
  await page.getByRole('searchbox', { name: 'Search' }).fill('programs.holiday.start');
  await page.locator('summary', { hasText: 'programs.holiday.start' }).click();
  await expect.poll(() => field.inputValue()).toBe('2030-12-21');
  expect(system.posts()).toEqual([]);
});
