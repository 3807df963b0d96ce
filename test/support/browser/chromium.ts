import { type Browser, chromium } from 'playwright-core';
import { neededProgram } from '../programs.ts';

/** Starts the installed Chromium, headless; playwright-core brings none of its own. */
export const startChromium = (): Promise<Browser> =>
  chromium.launch({ executablePath: neededProgram('chromium'), args: ['--no-sandbox', '--disable-gpu', '--hide-scrollbars'] });
