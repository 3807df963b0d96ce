import type { BrowserContextOptions, FrameLocator, Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { AXE } from '../browser/axe.ts';
import { startChromium } from '../browser/chromium.ts';

const WAIT_MS = 40_000;

export type SetupPage = {
  readonly page: Page;
  /** Mistakes of the page that a browser reports: of scripts and of the content security policy. */
  readonly faults: readonly string[];
  /** What axe finds here, and whether the page is wider than the screen. */
  check(): Promise<readonly string[]>;
  /** Logs in at the tab that the link opens, as a person does; gives the address at which the browser ends. The link may be in a frame. */
  logInBy(link: string, within?: FrameLocator): Promise<string>;
};

/** Opens the page of a bridge in a browser of its own. */
export const openSetup = async (url: string, options: BrowserContextOptions = {}): Promise<SetupPage> => {
  const browser = await startChromium();
  onTestFinished(() => browser.close());
  const context = await browser.newContext({ locale: 'en-GB', ...options });
  context.setDefaultTimeout(WAIT_MS);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', ({ message }) => faults.push(message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) faults.push(message.text());
  });
  await page.goto(url);
  return {
    page,
    faults,
    check: async () => {
      const session = await context.newCDPSession(page);
      // Beside the page's own scripts, whose rules would not let it in.
      await session.send('Runtime.evaluate', { expression: AXE });
      const asked =
        "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join()))";
      const found = await page.evaluate<readonly string[]>(asked);
      const isWide = await page.evaluate<boolean>('document.documentElement.scrollWidth > document.documentElement.clientWidth');
      return isWide ? [...found, 'wider than the screen'] : found;
    },
    logInBy: async (link, within) => {
      const opened = context.waitForEvent('page');
      await (within ?? page).getByRole('link', { name: link }).click();
      const tab = await opened;
      const back = tab.waitForRequest((request) => request.url().includes('code='));
      await tab.getByLabel('User name').fill('someone');
      await tab.getByLabel('Password').fill('secret');
      await tab.getByRole('button', { name: 'Log in' }).click();
      const address = (await back).url();
      await tab.close();
      return address;
    },
  };
};
