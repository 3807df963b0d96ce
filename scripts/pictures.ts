import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { ViewportSize } from 'playwright-core';
import { startChromium } from '../test/support/browser/chromium.ts';

/** `npm run pictures`: makes the pictures of the page in docs/images anew, from the demo. They differ by some pixels each time. */
const FOLDER = join(import.meta.dirname, '../docs/images');
const START_MS = 60_000;

/** `card`: the heading of the one that it shows, else it shows what the window does. */
type Picture = {
  readonly name: string;
  readonly hash: string;
  readonly shows: string;
  readonly card?: string;
  readonly colorScheme: 'light' | 'dark';
  readonly viewport: ViewportSize;
};
const EDITOR = 'heating-week-editor [role=grid]';
const WEEK = { hash: '#/schedules/home/heating.circuits.0.heating.schedule', shows: EDITOR, viewport: { width: 1100, height: 760 } };
const CARD = { colorScheme: 'light', viewport: { width: 1100, height: 1000 } } as const;
const PICTURES: readonly Picture[] = [
  { name: 'page-week', ...WEEK, colorScheme: 'light' },
  { name: 'page-dark', ...WEEK, colorScheme: 'dark' },
  { name: 'page-phone', ...WEEK, colorScheme: 'light', viewport: { width: 390, height: 800 } },
  { name: 'page-calendar', ...CARD, hash: '#/schedules', shows: '.card', card: 'Calendar' },
  { name: 'page-prices', ...CARD, hash: '#/schedules/home/heating.dhw.schedule', shows: EDITOR, card: 'By prices' },
];

/** The address of the page that the demo prints. */
const addressOf = (demo: ReturnType<typeof spawn>): Promise<string> =>
  new Promise((resolve, reject) => {
    let printed = '';
    demo.stdout?.on('data', (chunk) => {
      printed += chunk;
      const address = /http:\/\/127\.0\.0\.1:\d+\//.exec(printed)?.[0];
      if (address !== undefined) resolve(address);
    });
    demo.once('exit', () => reject(new Error('the demo ended before it had printed an address')));
    AbortSignal.timeout(START_MS).addEventListener('abort', () => reject(new Error('the demo prints no address')));
  });

const demo = spawn(process.execPath, [join(import.meta.dirname, '../src/main.ts'), 'demo'], { stdio: ['ignore', 'pipe', 'inherit'] });
try {
  const [address, browser] = await Promise.all([addressOf(demo), startChromium()]);
  // One context keeps the scripts: the page refuses more than some cold visits in a second.
  const context = await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce' });
  for (const { name, hash, shows, card, colorScheme, viewport } of PICTURES) {
    const page = await context.newPage();
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(viewport);
    await page.goto(address + hash);
    await page.locator(shows).first().waitFor();
    const shown = card === undefined ? page : page.locator('section.card', { has: page.getByRole('heading', { name: card, exact: true }) });
    await shown.screenshot({ path: join(FOLDER, `${name}.png`) });
    await page.close();
  }
  await browser.close();
} finally {
  demo.kill();
}
