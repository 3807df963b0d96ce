import { expect, test } from 'vitest';
import { openLivePage } from '../../support/browser/livePage.ts';
import { terminalFor } from '../../support/schedules/writing.ts';

const CALENDAR = 'heating2mqtt/calendar/family/set';

test('a person sees what the events do, and switches it on', async () => {
  const overrides = {
    calendar: { rules: ['Away -> profile away; on heating.circuits.0.*'], addresses: 'https://127.0.0.1/secret-token.ics' },
    schedules: { profiles: [['away', 'daily none']] as const },
  };
  const { page, system, axe, wrong, overflow } = await openLivePage(
    { hash: '#/schedules', viewport: { width: 390, height: 900 } },
    { overrides },
  );
  const card = page.locator('section.card', { hasText: 'Calendar' });
  await card.getByText('No events have arrived yet.').waitFor();
  await card.getByText('The calendar 127.0.0.1/….ics cannot be read; the log says why.').waitFor();
  const now = Date.now();
  const event = (summary: string, from: number, to: number) => ({
    summary,
    start: new Date(now + from).toISOString(),
    end: new Date(now + to).toISOString(),
  });
  await system.recorder.publish(
    CALENDAR,
    JSON.stringify([event('Away <b>', -3_600_000, 7_200_000), event('Dentist', 3_600_000, 7_200_000)]),
  );
  await card.getByText('Away <b>').waitFor();
  await card.getByText('No rule matches: Dentist').waitFor();
  expect([await axe(), await overflow()]).toEqual([[], 0]);
  const from = system.recorder.heard.length;
  await card.getByRole('button', { name: 'Switch on as shown' }).click();
  await terminalFor(system.recorder, 'heating2mqtt/bridge/calendar/set', from, 'heating2mqtt/bridge/result');
  await card.getByRole('button', { name: 'Switch off' }).waitFor();
  await page.waitForFunction("!document.querySelector('.outcome:is(.sending, .sent, .accepted)')");
  expect(await card.innerText()).not.toContain('The heating has it');
  await page
    .getByRole('link', { name: /Floor|Circuit 1/ })
    .first()
    .click();
  await page.getByText('The calendar controls this schedule now: Away <b>').waitFor();
  expect(await wrong()).toEqual([]);
});
