import { setTimeout as pause } from 'node:timers/promises';
import { startChromium } from '../support/browser/chromium.ts';

/** A page of a hub in a headless browser. */
export type Page = {
  open(url: string): Promise<void>;
  /** All text that is on the page, also inside custom elements. */
  text(): Promise<string>;
  /** Resolves when all the words are on the page; rejects after 60 s with what is there. */
  untilShown(...words: readonly string[]): Promise<void>;
  evaluate(expression: string): Promise<unknown>;
  /** Writes a PNG of the window. */
  picture(file: string): Promise<void>;
};

export type Browser = {
  /** A new window; `script` runs before each page's own. */
  window(size: { readonly width: number; readonly height: number }, script?: string): Promise<Page>;
  close(): Promise<void>;
};

const LONGEST_WAIT_MS = 60_000;

const ALL_TEXT = `(() => {
  const found = [];
  const walk = (node) => {
    if (node.nodeType === Node.TEXT_NODE) found.push(node.data);
    if (node.nodeName === 'STYLE' || node.nodeName === 'SCRIPT') return;
    if (node.nodeName === 'INPUT') found.push(node.value);
    for (const child of node.shadowRoot?.childNodes ?? []) walk(child);
    for (const child of node.childNodes) walk(child);
  };
  walk(document.body);
  return found.map((one) => one.trim()).filter((one) => one !== '').join('\\n');
})()`;

/** Starts a headless browser; it calls nobody but the pages it is given. */
export const startBrowser = async (): Promise<Browser> => {
  const chromium = await startChromium();
  return {
    window: async (viewport, script) => {
      const context = await chromium.newContext({ viewport, locale: 'en' });
      if (script !== undefined) await context.addInitScript({ content: script });
      const page = await context.newPage();
      // A hub may lead to another page while this one is looked at.
      const text = (): Promise<string> => page.evaluate<string>(ALL_TEXT).catch(() => '');
      return {
        text,
        evaluate: (expression) => page.evaluate(expression),
        open: async (url) => void (await page.goto(url, { waitUntil: 'commit', timeout: LONGEST_WAIT_MS })),
        untilShown: async (...words) => {
          const limit = Date.now() + LONGEST_WAIT_MS;
          for (;;) {
            const shown = await text();
            const missing = words.filter((word) => !shown.includes(word));
            if (missing.length === 0) return;
            if (Date.now() > limit) throw new Error(`not on the page: ${missing.join(', ')}; there is:\n${shown}`);
            await pause(200);
          }
        },
        picture: async (path) => void (await page.screenshot({ path })),
      };
    },
    close: () => chromium.close(),
  };
};
