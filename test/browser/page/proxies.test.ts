import { expect, test } from 'vitest';
import { openLivePage } from '../../support/browser/livePage.ts';
import { SCHEDULE } from '../../support/system/testSystem.ts';

const TARGET = 'heating2mqtt/home/heating/dhw/temperature/main/value';
const PREFIX = '/some/where';
const PASSWORD = 'a good password';

test.each([
  ['the ingress of Home Assistant', { kind: 'ingress', prefix: '/api/hassio_ingress/abc' }, {}],
  [
    'the ingress of Home Assistant, which holds streams back',
    { kind: 'ingress', prefix: '/api/hassio_ingress/abc', holdsStreams: true },
    {},
  ],
  ['a proxy that keeps the prefix', { kind: 'kept', prefix: PREFIX }, { base_path: PREFIX }],
  ['a proxy that takes the prefix off', { kind: 'stripped', prefix: PREFIX }, {}],
] as const)('behind %s the page loads, follows and writes', async (_, front, settings) => {
  const trusted = { ...settings, password: PASSWORD, trusted_proxies: ['127.0.0.1'] };
  const { page, url, system, wrong } = await openLivePage({ front }, {}, { settings: trusted });
  if (front.kind !== 'ingress') {
    await page.getByLabel('Password of this page').fill(PASSWORD);
    await page.getByRole('button', { name: 'Log in' }).click();
  }
  const water = page.getByRole('region', { name: 'Hot water', exact: true });
  await water.getByText('50 °C').waitFor();
  await system.recorder.publish(`${TARGET}/set`, '53');
  await water.getByText('53 °C').waitFor();
  await water.getByRole('button', { name: 'Colder' }).click();
  await water.getByRole('button', { name: 'Keep it so' }).click();
  await water.getByText('The heating has it.').waitFor();
  expect(system.recorder.last(TARGET)).toBe('52');
  // What is loaded late lies below the prefix too.
  await page.goto(`${url}#/schedules/home/${SCHEDULE}`);
  await page.locator('heating-week-editor').getByRole('grid').waitFor();
  expect(await wrong()).toEqual([]);
});
