import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startChromium } from '../test/support/browser/chromium.ts';

/** `npm run pictures` makes icon and logo of the Home Assistant app, `app/*.png`, from their drawings beside them. */
const FOLDER = join(import.meta.dirname, '../app');
const DRAWINGS = [
  { name: 'icon', width: 128, height: 128 },
  { name: 'logo', width: 250, height: 100 },
] as const;

const browser = await startChromium();
try {
  for (const { name, ...viewport } of DRAWINGS) {
    const page = await browser.newPage({ viewport });
    await page.setContent(`<style>body{margin:0}svg{display:block}</style>${readFileSync(join(FOLDER, `${name}.svg`), 'utf8')}`);
    await page.screenshot({ path: join(FOLDER, `${name}.png`), omitBackground: true });
    await page.close();
  }
} finally {
  await browser.close();
}
