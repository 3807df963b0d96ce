import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { onTestFinished } from 'vitest';

const PICTURES = path.resolve(import.meta.dirname, '../../docs/images');

/** A page of a hub in a window of its own, which goes with the test; `script` runs before the page's own. */
export const openPage = async (browser: Browser, url: string, options: BrowserContextOptions, script = ''): Promise<Page> => {
  const context = await browser.newContext({ locale: 'en', ...options });
  onTestFinished(() => context.close());
  await context.addInitScript(script);
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  await page.goto(url, { waitUntil: 'commit' });
  return page;
};

/** All text of the page, also text that lies in a shadow root without an element around it, which locators do not find. */
const TEXT_OF_PAGE = `() => {
  const walk = (node) => [
    ...(node.nodeType === Node.TEXT_NODE ? [node.data] : []),
    ...[...(node.shadowRoot?.childNodes ?? []), ...node.childNodes].flatMap(walk),
  ];
  return walk(document.body).join(' ');
}`;

/** Resolves when all of these are on the page, also inside custom elements. */
export const untilShown = async (page: Page, ...texts: readonly string[]): Promise<void> => {
  for (const text of texts) await page.waitForFunction(`(${TEXT_OF_PAGE})().includes(${JSON.stringify(text)})`);
};

/** Remakes one of the documentation's pictures where `UPDATE_PICTURES=1` asks for it; they differ by some pixels each time. */
export const updatePicture = async (page: Page, name: string): Promise<void> => {
  if (process.env['UPDATE_PICTURES'] !== '1') return;
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: path.join(PICTURES, name) });
};
