import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const BINARY = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium', '/usr/bin/chromium-browser'].find((file) => existsSync(file));

/** Starts the installed Chromium, headless; playwright-core brings none of its own. */
export const startChromium = (): Promise<Browser> => {
  if (BINARY === undefined) throw new Error('No Chromium is installed: apt-get install chromium-headless-shell');
  return chromium.launch({ executablePath: BINARY, args: ['--no-sandbox', '--disable-gpu', '--hide-scrollbars'] });
};
