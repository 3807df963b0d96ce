import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { startChromium } from '../test/support/browser/chromium.ts';
import { costInMemory, costOfStart } from './bridgeCost.ts';
import { BROKER_NAMES, USERS_BROKER } from './brokers.ts';
import { costOfDrag } from './editorDrag.ts';
import { Figures } from './figures.ts';
import { speedOfPage } from './pageSpeed.ts';
import { DISK } from './processes.ts';

/**
 * `npm run bench:web`: what people feel of the page, and what it costs the bridge; the release beside floors, both measured alternately in
 * the same run. Fails when something that is waited for does not come.
 */
const ROUNDS = 7;

if (!existsSync('dist/heating2mqtt.js')) {
  console.error('the release is measured, and it is not built: npm run build');
  process.exit(1);
}
const dir = mkdtempSync(join(DISK, 'h2m-bench-'));
process.once('exit', () => rmSync(dir, { recursive: true, force: true }));
process.env['CACHE_DIRECTORY'] = join(dir, 'cache');
const browser = await startChromium();
const figures = new Figures('.');
figures.atBroker(BROKER_NAMES[USERS_BROKER]);
try {
  await speedOfPage(dir, ROUNDS, figures, browser);
  await costOfDrag(ROUNDS, figures, browser);
  await costInMemory(dir, ROUNDS, figures, browser);
  await costOfStart(dir, ROUNDS, figures);
  figures.end();
} finally {
  await browser.close();
}
