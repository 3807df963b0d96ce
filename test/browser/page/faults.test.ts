import { expect, test } from 'vitest';
import { openLivePage } from '../../support/browser/livePage.ts';

const EVENTS = {
  overrides: { events: { minutes: 60 }, platform: { profile: 'v2' as const } },
  prepare: (simulator: { control: (command: object) => unknown }) => {
    simulator.control({ command: 'raise', code: 'F.454', device: '0', text: 'Refrigerant circuit locked <b>', late_ms: 0 });
    simulator.control({ command: 'raise', code: 'S.123', device: '0', type: 'device-message-status', late_ms: 0 });
  },
};

test('a log that was opened while the login had ended is there after it', async () => {
  const { page } = await openLivePage({}, EVENTS);
  const card = page.locator('.faults');
  await card.getByText('F.454').first().waitFor();
  const asked = /\/api\/(?:state|faults)/;
  await page.route(asked, (route) => route.fulfill({ status: 401, json: { error: 'login_needed' } }));
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
  await page.getByRole('heading', { name: 'Log in' }).waitFor();
  await card.locator('details').evaluate((fold: { open: boolean }) => {
    fold.open = true;
  });
  await page.unroute(asked);
  await page.getByLabel('Password of this page').fill('as there is none');
  await page.getByRole('button', { name: 'Log in' }).click();
  await card.getByRole('listitem').first().waitFor();
});

test('a fault that lasts stands on the overview, with its log and a sheet for the installer', async () => {
  const { page, axe, wrong, overflow } = await openLivePage({ viewport: { width: 390, height: 900 } }, EVENTS);
  const card = page.locator('.faults');
  await card.getByText('F.454').first().waitFor();
  await card.getByText('Viessmann says: “Refrigerant circuit locked <b>”').waitFor();
  // The first card names it; what it means stands before all that can be set.
  expect(await page.locator('.cards > .today').first().innerText()).toContain('F.454');
  expect(await page.locator('.cards > section').nth(1).getAttribute('class')).toContain('faults');
  expect(await page.locator('.health').innerText()).toContain('F.454');
  await card.getByText('Log of the last year').click();
  await card.getByRole('listitem').first().waitFor();
  expect(await card.getByText('S.123').count()).toBe(0);
  await card.getByLabel('State').check();
  await card.getByText('S.123').waitFor();
  expect([await axe(), await overflow()]).toEqual([[], 0]);

  await page.evaluate('window.print = () => { window.printed = document.querySelector(".printSheet").innerText; }');
  await page.emulateMedia({ media: 'print' });
  await card.getByRole('button', { name: 'Print for the installer' }).evaluate((button: { click: () => void }) => button.click());
  await page.waitForFunction('window.printed !== undefined');
  // Paper is read on another day.
  expect(await page.evaluate('window.printed')).toMatch(/F\.454 Fault, \d+ \w+ \d{4}, \d\d:\d\d – ongoing/u);
  expect(await wrong()).toEqual([]);
});

test('an open log of faults shows one that begins', async () => {
  const { page, system } = await openLivePage({}, EVENTS);
  const card = page.locator('.faults');
  await card.getByText('Log of the last year').click();
  await card.getByRole('listitem').getByText('F.454').waitFor();
  system.simulator.control({ command: 'raise', code: 'F.160', device: '0', text: 'Outdoor unit' });
  await system.recorder.publish('heating2mqtt/bridge/poll/set', 'x');
  await card.getByRole('listitem').getByText('F.160').waitFor();
});

test('the sheet for the installer is one page, also in a bad week with long sentences', async () => {
  const text = 'The high pressure switch has opened several times; the compressor stays locked until it is released. '.repeat(4);
  const { page, wrong } = await openLivePage(
    {},
    {
      ...EVENTS,
      prepare: (simulator) => {
        for (let code = 100; code < 140; code += 1) simulator.control({ command: 'raise', code: `F.${code}`, text, late_ms: 0 });
      },
    },
  );
  const card = page.locator('.faults');
  await card.getByText('Log of the last year').click();
  await page.evaluate('window.print = () => {}');
  for (const format of ['A4', 'Letter']) {
    await card.getByRole('button', { name: 'Print for the installer' }).click();
    await page.locator('.printSheet').waitFor({ state: 'attached' });
    const paper = (await page.pdf({ format })).toString('latin1');
    expect(paper.match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
  }
  expect(await wrong()).toEqual([]);
});

test.each([
  ['en-GB', 'None known; the events cannot be read', /: Viessmann refuses them to this account, 402 \(/],
  ['de-DE', 'Keine bekannt; Ereignisse nicht abrufbar', /: Viessmann verweigert sie diesem Konto, 402 \(/],
])(
  'while the platform refuses the events, the first card has no fault that it knows, and the card of faults says why, in %s',
  async (locale, first, why) => {
    const { page, axe, wrong } = await openLivePage(
      { locale },
      {
        ...EVENTS,
        prepare: (simulator) => void simulator.control({ command: 'fault', kind: 'not_paid', match: { path: '/events-history/' } }),
      },
    );
    await page.locator('.cards > .today').getByText(first).waitFor();
    await page.locator('.faults').getByText(why).waitFor();
    expect([await axe(), await wrong()]).toEqual([[], []]);
  },
);
