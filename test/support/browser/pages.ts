import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { AXE } from './axe.ts';
import { startChromium } from './chromium.ts';

/** Chromium, and a server over loopback for its windows: each has axe and this script. */
export const startPages = async (answer: RequestListener, script = '') => {
  const browser = await startChromium();
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    open: async ({ at, ...window }: BrowserContextOptions & { readonly at?: string }): Promise<Page> => {
      const context = await browser.newContext({ reducedMotion: 'reduce', ...window });
      await context.addInitScript({ content: `${AXE}\n${script}` });
      const page = await context.newPage();
      page.setDefaultTimeout(20_000);
      if (at !== undefined) await page.clock.setFixedTime(at);
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      return page;
    },
    close: async (): Promise<void> => {
      await browser.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
